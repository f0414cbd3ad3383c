extension Observable {
  /// Starts the stream and hands what comes to the closures.
  ///
  /// The stream goes on when the subscription is released, so keep it, or put it in a `Bag`. An error without `fail`
  /// is reported to `Diagnostics`.
  /// ```
  /// ticks.subscribe(next: { print($0) }).disposed(by: bag)
  /// ```
  @inlinable
  public func subscribe(
    next: @escaping @Sendable (Element) -> Void = { _ in },
    fail: (@Sendable (any Error) -> Void)? = nil,
    complete: @escaping @Sendable () -> Void = {}
  ) -> Subscription {
    subscribe(in: Subscription(), next: next, fail: fail, complete: complete)
  }

  /// Starts the stream under a subscription of the caller's: one that can be disposed from inside `next` of a source
  /// that delivers at once.
  ///
  /// ```
  /// let subscription = Subscription()
  /// numbers.subscribe(in: subscription, next: { if $0 > 3 { subscription.dispose() } })
  /// ```
  ///
  /// Inlinable, so that the type of the observer need not be looked up.
  @inlinable
  @discardableResult
  public func subscribe(
    in subscription: Subscription,
    next: @escaping @Sendable (Element) -> Void = { _ in },
    fail: (@Sendable (any Error) -> Void)? = nil,
    complete: @escaping @Sendable () -> Void = {}
  ) -> Subscription {
    if subscription.isDisposed { return subscription }
    attach(EndObserver(subscription, next, fail, complete), in: subscription)
    return subscription
  }

  /// Starts the stream into an observer, a subject say, whose terminals end the subscription.
  public func subscribe(_ observer: any Observer<Element>) -> Subscription {
    subscribe(observer, in: Subscription())
  }

  /// Starts the stream into an observer, under a subscription of the caller's.
  @discardableResult
  public func subscribe(_ observer: any Observer<Element>, in subscription: Subscription) -> Subscription {
    subscribe(
      in: subscription, next: { observer.next($0) }, fail: { observer.fail($0) },
      complete: { observer.complete() })
  }
}

/// The end of every chain: owns the subscription, and lets nothing through after a terminal or a dispose.
@usableFromInline final class EndObserver<Element: Sendable>: Observer {
  @usableFromInline let subscription: Subscription
  @usableFromInline let onNext: @Sendable (Element) -> Void
  @usableFromInline let onFail: (@Sendable (any Error) -> Void)?
  @usableFromInline let onComplete: @Sendable () -> Void

  @inlinable init(
    _ subscription: Subscription,
    _ onNext: @escaping @Sendable (Element) -> Void,
    _ onFail: (@Sendable (any Error) -> Void)?,
    _ onComplete: @escaping @Sendable () -> Void
  ) {
    self.subscription = subscription
    self.onNext = onNext
    self.onFail = onFail
    self.onComplete = onComplete
  }

  @usableFromInline func next(_ value: Element) {
    if subscription.isDisposed { return }
    onNext(value)
  }

  @usableFromInline func fail(_ error: any Error) {
    guard subscription.close() else { return }
    if let onFail { onFail(error) } else { Diagnostics.report(.unhandledError(error)) }
    subscription.release()
  }

  @usableFromInline func complete() {
    guard subscription.close() else { return }
    onComplete()
    subscription.release()
  }
}
