import CMicrohttpd
import Glibc
import Reactive

/// The sky on a port of the loopback.
///
///     let server = try SkyServer(sky) { clock.now }
///     server.url      // http://127.0.0.1:41235
///     server.stop()
public final class SkyServer: Sendable {
  /// Why the server cannot start: a sentence without a full stop.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  public let port: Int
  private let front: SkyFront
  private let daemon: Locked<OpaquePointer?>

  /// The greatest number of connections, and the seconds for which one may be idle.
  private static let connections: UInt32 = 128
  private static let patience: UInt32 = 10

  /// Starts to serve; port 0 is any free port.
  ///
  /// A request must arrive within `arrival`, counted from the connection or from the end of its last response.
  ///
  /// With `isEverywhere`, links in answers lead to the host that the client addressed.
  public init(
    _ sky: Sky, port wanted: Int = 0, dripping: Duration = .seconds(5), arrival: Duration = .seconds(20),
    isEverywhere: Bool = false, clock: @escaping @Sendable () -> SkyTime
  ) throws(Failure) {
    if let problem = flow_mhd_load() { throw Failure(description: String(cString: problem)) }
    let listener: LoopbackSocket = try LoopbackSocket(port: wanted)
    port = listener.port
    front = SkyFront(
      sky, port: listener.port, dripping: dripping, arrivals: ArrivalLimit(arrival),
      isEverywhere: isEverywhere, clock: clock)
    let context = Unmanaged.passUnretained(front).toOpaque()
    guard
      let daemon = flow_mhd_start(
        listener.descriptor, Self.connections, Self.patience, answerRequest, releaseRequest,
        noteConnection, context)
    else {
      close(listener.descriptor)
      throw Failure(description: "the server cannot be started: \(String(cString: strerror(errno)))")
    }
    self.daemon = Locked(daemon)
  }

  deinit { stop() }

  public var url: String { front.origin }

  /// Closes connections and waits for answers in progress; slow ones are cut short.
  public func stop() {
    front.isStopped.store(true, ordering: .relaxed)
    if let daemon = daemon.withLock({ $0.take() }) { flow_mhd_stop(daemon) }
  }
}

/// A listening socket.
struct LoopbackSocket {
  let descriptor: Int32
  let port: Int

  init(port wanted: Int) throws(SkyServer.Failure) {
    guard let number = UInt16(exactly: wanted) else {
      throw SkyServer.Failure(description: "there is no port \(wanted); ports go from 0 to 65535")
    }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isUp = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isUp else {
      let reason = errno
      close(descriptor)
      throw SkyServer.Failure(
        description: reason == EADDRINUSE
          ? "port \(wanted) is taken; --port 0 takes one that is free"
          : "port \(wanted) cannot be had: \(String(cString: strerror(reason)))")
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
  }
}
