import Reactive
import Server
import System

/// The sky on a port of the loopback.
///
///     let server = try SkyServer(sky) { clock.now }
///     server.url      // http://127.0.0.1:41235
///     server.stop()
public final class SkyServer: Sendable {

  public let port: Int
  private let front: SkyFront
  private let server: RequestServer

  /// The greatest number of connections, and the seconds for which one may be idle.
  private static let connections = 128
  private static let idleLimit: UInt32 = 10

  /// Starts to serve; port 0 is any free port.
  ///
  /// A request must arrive within `arrival`, counted from the connection or from the end of its last response.
  ///
  /// With `isEverywhere`, links in answers lead to the host that the client addressed.
  public init(
    _ sky: Sky, port wanted: Int = 0, dripping: Duration = .seconds(5), arrival: Duration = .seconds(20),
    isEverywhere: Bool = false, clock: @escaping @Sendable () -> SkyTime
  ) throws(Sentence) {
    do throws(ListeningSocket.Failure) {
      try RequestServer.load()
      let listener = try ListeningSocket(port: wanted)
      port = listener.port
      front = SkyFront(
        sky, port: listener.port, dripping: dripping,
        arrivals: ArrivalLimit(arrival, on: SerialScheduler(name: "sky arrivals")),
        isEverywhere: isEverywhere, clock: clock)
      server = try RequestServer(
        front, on: listener, .perConnection, connections: Self.connections, idle: Self.idleLimit)
    } catch {
      throw Sentence(
        error.isInUse
          ? "port \(wanted) is taken; --port 0 takes one that is free" : error.description)
    }
  }

  deinit { stop() }

  public var url: String { front.origin }

  /// Closes connections and waits for answers in progress; slow ones are cut short.
  public func stop() {
    front.isStopped.store(true, ordering: .relaxed)
    server.stop()
  }
}
