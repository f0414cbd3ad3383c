import CMicrohttpd
import Glibc
import Reactive

/// The time limit for requests to arrive: closes connections on which one takes longer.
///
/// The server's own limit is for idle connections. A client that sends a byte now and then is never idle, and would
/// keep others out.
final class ArrivalLimit: Sendable {
  private struct Wait: Sendable {
    let number: Int
    let timer: Subscription
  }

  private struct State: Sendable {
    var waits: [Int32: Wait] = [:]
    var count = 0
  }

  private let limit: Duration
  private let scheduler = SerialScheduler(name: "sky arrivals")
  private let state = Locked(State())

  init(_ limit: Duration) { self.limit = limit }

  /// Starts to wait for a request on a connection: it is new, or its last request was answered.
  func begin(_ connection: Int32) {
    end(connection)
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let timer = scheduler.schedule(after: limit) { [weak self] in self?.cut(connection, number) }
    state.withLock { $0.waits[connection] = Wait(number: number, timer: timer) }
  }

  /// Ends the wait: the request is complete, or the connection is about to be closed.
  func end(_ connection: Int32) {
    state.withLock { $0.waits.removeValue(forKey: connection) }?.timer.dispose()
  }

  /// Shuts the connection down, which the server notices and closes it.
  private func cut(_ connection: Int32, _ number: Int) {
    state.withLock { state in
      // Under the lock, since the descriptor may be another connection's after `end`.
      guard state.waits[connection]?.number == number else { return }
      state.waits[connection] = nil
      shutdown(connection, Int32(SHUT_RDWR))
    }
  }
}

/// The library calls this when a connection was accepted, and before it is closed.
func noteConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ own: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
  guard let context, let connection else { return }
  let limit = Unmanaged<SkyFront>.fromOpaque(context).takeUnretainedValue().arrivals
  let descriptor = flow_mhd_descriptor(connection)
  if flow_mhd_has_begun(what) { limit.begin(descriptor) } else { limit.end(descriptor) }
}
