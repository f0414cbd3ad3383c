import Fetch
import Reactive

/// The network under the sky: whoever is asked, the sky answers, and says where it is as the one who was asked would.
///
/// So nothing has to know of it: budgets and caches are kept for the hosts that they are for, and links stay among them.
struct SkyTransport: Transport {
  private let inner: any Transport
  private let port: Int

  /// `port` is where the sky listens on the loopback.
  init(over inner: any Transport, port: Int) {
    self.inner = inner
    self.port = port
  }

  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    var order = order
    order.headers += [
      Header("Host", order.address.site), Header("X-Forwarded-Proto", order.address.scheme.rawValue),
    ]
    order.address = order.address.served(by: "127.0.0.1", port: port)
    return inner.start(order, completion: completion)
  }
}
