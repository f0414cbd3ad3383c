/// One of several inputs of an operator, under a child of the subscription that ends with the input.
final class Input<Element: Sendable>: Observer {
  private let child: Subscription
  private let onNext: @Sendable (Element) -> Void
  private let onFail: @Sendable (any Error) -> Void
  private let onComplete: @Sendable () -> Void

  fileprivate init(
    _ child: Subscription, _ onNext: @escaping @Sendable (Element) -> Void,
    _ onFail: @escaping @Sendable (any Error) -> Void, _ onComplete: @escaping @Sendable () -> Void
  ) {
    self.child = child
    self.onNext = onNext
    self.onFail = onFail
    self.onComplete = onComplete
  }

  func next(_ value: Element) { onNext(value) }

  func fail(_ error: any Error) {
    guard child.close() else { return }
    child.release()
    onFail(error)
  }

  func complete() {
    guard child.close() else { return }
    child.release()
    onComplete()
  }
}

extension Observable {
  /// Attaches as one of several inputs; the result ends the input before its time.
  @discardableResult
  func feed(
    _ subscription: Subscription,
    next: @escaping @Sendable (Element) -> Void,
    fail: @escaping @Sendable (any Error) -> Void,
    complete: @escaping @Sendable () -> Void
  ) -> Subscription {
    let child = subscription.child()
    if !child.isDisposed { attach(Input(child, next, fail, complete), in: child) }
    return child
  }
}
