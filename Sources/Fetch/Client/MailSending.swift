import Reactive

extension Client {
  /// Starts sending a mail; `completion` is called once, with nil for success, unless the result is disposed before.
  ///
  /// It is tried once: only the caller knows whether it may be sent again.
  @discardableResult
  public func send(
    _ mail: Mail, limits: TransferLimits = TransferLimits(),
    completion: @escaping @Sendable (FetchError?) -> Void
  ) -> Subscription {
    // No request is sent to this address; it only names the server.
    let address = Address(scheme: .https, host: mail.host, port: mail.port, path: "/", query: [])
    let order = TransferOrder(
      method: .post, address: address, headers: [], body: [], limits: limits, receiver: nil, mail: mail)
    let redaction = Redaction(options.secrets + [mail.user, mail.password].compactMap(\.self))
    return transport.start(order) { result in
      switch result {
      case .failure(let error):
        completion(FetchError(error.kind, redaction.masked("\(mail)"), redaction.masked(error.message)))
      case .success: completion(nil)
      }
    }
  }
}
