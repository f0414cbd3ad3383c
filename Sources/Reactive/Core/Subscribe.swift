extension Observable {
  /// Starts the stream and hands what comes to the closures.
  ///
  /// Give a `subscription` of your own to be able to dispose it from inside `next` of a source that delivers at once.
  /// ```
  /// let subscription = Subscription()
  /// numbers.subscribe(in: subscription, next: { if $0 > 3 { subscription.dispose() } })
  /// ```
  @discardableResult
  public func subscribe(
    in subscription: Subscription = Subscription(),
    next: @escaping @Sendable (Element) -> Void = { _ in },
    fail: @escaping @Sendable (any Error) -> Void = { _ in },
    complete: @escaping @Sendable () -> Void = {}
  ) -> Subscription {
    if subscription.isDisposed { return subscription }
    attach(EndObserver(subscription, next, fail, complete), in: subscription)
    return subscription
  }

  /// Starts the stream into an observer, a subject say, whose terminals end the subscription.
  @discardableResult
  public func subscribe(
    _ observer: any Observer<Element>, in subscription: Subscription = Subscription()
  ) -> Subscription {
    subscribe(
      in: subscription, next: { observer.next($0) }, fail: { observer.fail($0) },
      complete: { observer.complete() })
  }
}

/// The end of every chain: owns the subscription, and lets nothing through after a terminal or a dispose.
private final class EndObserver<Element: Sendable>: Observer {
  private let subscription: Subscription
  private let onNext: @Sendable (Element) -> Void
  private let onFail: @Sendable (any Error) -> Void
  private let onComplete: @Sendable () -> Void

  init(
    _ subscription: Subscription,
    _ onNext: @escaping @Sendable (Element) -> Void,
    _ onFail: @escaping @Sendable (any Error) -> Void,
    _ onComplete: @escaping @Sendable () -> Void
  ) {
    self.subscription = subscription
    self.onNext = onNext
    self.onFail = onFail
    self.onComplete = onComplete
  }

  func next(_ value: Element) {
    if subscription.isDisposed { return }
    onNext(value)
  }

  func fail(_ error: any Error) {
    guard subscription.close() else { return }
    onFail(error)
    subscription.release()
  }

  func complete() {
    guard subscription.close() else { return }
    onComplete()
    subscription.release()
  }
}
