import CCurl
import Reactive

/// The transport on libcurl: one thread for all transfers, with connections that are reused.
///
/// Certificates are verified. The thread ends with the last reference to the transport; open transfers then fail.
public final class CurlTransport: Transport {
  public typealias Options = CurlOptions

  private let loop: CurlLoop
  private let thread: SerialScheduler

  public init(_ options: Options = Options()) throws(TransferError) {
    let loop = try CurlLoop(options)
    self.loop = loop
    thread = SerialScheduler(name: "transfers")
    thread.perform { loop.run() }
  }

  deinit { loop.stop() }

  public func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    loop.start(order, completion)
  }
}
