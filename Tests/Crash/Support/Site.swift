import Foundation
import Loopback

/// A server on the loopback that outlives the processes which ask it.
final class Site {
  private let server: LoopbackServer
  private let end = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  init(_ answer: @escaping @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step]) throws {
    let server = try LoopbackServer(answer)
    self.server = server
    Thread.detachNewThread { [end, ended] in
      server.serving { end.wait() }
      ended.signal()
    }
  }

  deinit {
    end.signal()
    ended.wait()
  }

  var url: String { server.url }

  /// All that it was asked so far.
  var received: [LoopbackServer.Received] { server.received }
}
