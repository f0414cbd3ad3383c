import Server
import System

/// The server of a page: one thread, on which requests are answered, and which sleeps while there are none.
///
///     let server = try PageServer(hub, at: .standard, token: nil, hasPictures: false)
///     server.urls     // ["http://127.0.0.1:8787/"]
///     server.stop()
public final class PageServer: Sendable {

  /// The limits that a client meets.
  public struct Limits: Sendable {
    /// Tabs with live updates, and connections besides.
    public var streams = 500
    public var connections = 640
    /// Connections without a request: where there are more, the oldest is closed.
    public var waiting = 600
    /// The time in which a request must have arrived, and for which a connection may be idle.
    public var arrival = Duration.seconds(10)
    public var idle: UInt32 = 10
    /// The bytes for a connection: its request line and headers, and a piece of the answer.
    public var memory = 16384

    public init() {}
  }

  public let address: PageAddress
  private let token: String?
  private let front: PageFront
  private let server: RequestServer

  /// Starts to serve; port 0 is any free port.
  ///
  /// `token` is asked for, and required of readers, where the address is not the loopback's. A socket that the service manager has passed
  /// is used instead of the address.
  package init(
    _ hub: PageHub, at wanted: PageAddress, token: @autoclosure () -> String?, names: Set<String> = [],
    hasPictures: Bool,
    probes: PageProbes? = nil, passed: ListeningSocket? = nil, limits: Limits = Limits()
  ) throws(Sentence) {
    do throws(ListeningSocket.Failure) {
      try RequestServer.load()
      let socket: ListeningSocket
      switch (passed, wanted) {
      case (let passed?, _):
        socket = passed
        address = passed.isPath ? .unix(path: passed.host) : .tcp(host: passed.host, port: passed.port)
      case (nil, .tcp(let host, let port)):
        socket = try ListeningSocket(host: host, port: port)
        address = .tcp(host: host, port: socket.port)
      case (nil, .unix(let path)):
        socket = try ListeningSocket(path: path)
        address = wanted
      }
      let guarding = PageGuard(
        address, token: address.isLoopback ? nil : token(), names: names, hasPictures: hasPictures)
      self.token = guarding.token
      front = PageFront(
        PageRouter(hub, guarding, probes), arrival: limits.arrival, waiting: limits.waiting,
        streamLimit: limits.streams)
      server = try RequestServer(
        front, on: socket, .one(memory: limits.memory), connections: limits.connections, idle: limits.idle)
    } catch {
      throw Sentence(error.description)
    }
  }

  deinit { stop() }

  /// Where it is, with the token if one is required: all addresses at which other machines reach it.
  public var urls: [String] { address.urls(token: token) }

  /// The number of tabs with live updates.
  package var streamCount: Int { front.streamCount }

  public func stop() {
    front.stop()
    server.stop()
  }
}
