import CCurl
import Reactive

/// Transfers by libcurl: all of them on one thread, over connections that are kept and shared.
///
/// Certificates are verified. The thread ends when nobody holds the transport any more; what is under way then fails.
public final class CurlTransport: Transport {
  public struct Options: Sendable {
    /// What servers are told of who asks.
    public var userAgent: String
    public var surroundings: Surroundings
    /// How many transfers are under way at a time; others wait for their turn.
    public var transfers: Int
    /// How many wait for their turn; more fail at once.
    public var waiting: Int

    public init(
      userAgent: String = "flow", surroundings: Surroundings = Surroundings(), transfers: Int = 32,
      waiting: Int = 10_000
    ) {
      self.userAgent = userAgent
      self.surroundings = surroundings
      self.transfers = transfers
      self.waiting = waiting
    }
  }

  private let loop: CurlLoop
  private let thread: SerialScheduler

  public init(_ options: Options = Options()) throws(TransferFailure) {
    let loop = try CurlLoop(options)
    self.loop = loop
    thread = SerialScheduler(name: "transfers")
    thread.perform { loop.run() }
  }

  deinit { loop.stop() }

  public func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferAnswer, TransferFailure>) -> Void
  ) -> Subscription {
    loop.start(order, completion)
  }

  /// What libcurl and its parts are, as in `libcurl/7.88.1 OpenSSL/3.0.19 …`.
  public static var version: String {
    guard flow_curl_load() == nil, let version = flow_curl_version() else { return "libcurl" }
    return String(cString: version)
  }
}
