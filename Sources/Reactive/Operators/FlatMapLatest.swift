import Synchronization

extension Observable {
  /// Turns each element into a stream and emits the newest of them, disposing the one before.
  ///
  ///     a-b------|
  ///     -1--2|        what a is turned into
  ///       -3--4|      what b is turned into
  ///     -1-3--4--|    flatMapLatest { … }
  /// ```
  /// Observable.from(1...3).flatMapLatest { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }  // 30, |
  /// ```
  public func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let observer = FlatMapLatestObserver(downstream, subscription, transform)
      attach(observer, in: observer.outer)
    }
  }
}

private struct Latest: Sendable {
  /// The number of the current inner stream, zero without one; what an older one still emits is discarded.
  var number = 0
  var outerOpen = true
}

private final class FlatMapLatestObserver<Element: Sendable, Output: Sendable>: SerializedOutput<Output>,
  Observer, InputOwner, @unchecked Sendable
{
  let outer: Subscription
  private let subscription: Subscription
  private let transform: @Sendable (Element) throws -> Observable<Output>
  private let running = CurrentSubscription()
  private let lastNumber = Atomic<Int>(0)
  /// Only inside the serializer.
  @exclusivity(unchecked) private var latest = Latest()

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) {
    self.subscription = subscription
    self.transform = transform
    outer = subscription.child()
    super.init(downstream)
    subscription.adopt(running)
  }

  func next(_ value: Element) {
    let inner: Observable<Output>
    do { inner = try transform(value) } catch { return fail(error) }
    if inner.takeSole({ emitSole($0) }) { return }
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    let own = Subscription(beside: subscription)
    // Joining happens inside the serializer, attaching after it: an inner stream that never pauses must find it free.
    turn(self, (own, number)) { $0.join($1.0, $1.1) }
    // The stream is over before its subscription has ended the inner one.
    if !subscription.isDisposed { inner.feed(self, at: number, as: own) }
  }

  /// Emits the element of `just`, which needs no subscription.
  private func emitSole(_ value: Output) {
    turn(self, value) { $0.sendSole($1) }
  }

  private func sendSole(_ value: Output) {
    join(nil, 0)
    if !subscription.isDisposed { send(value) }
  }

  private func join(_ own: Subscription?, _ number: Int) {
    if isOver { return own?.dispose() ?? () }
    running.replace(with: own)
    latest.number = number
  }

  override func fail(_ error: any Error) {
    super.fail(error)
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    pass { [self] in
      latest.outerOpen = false
      if latest.number == 0 { end(.completed) }
    }
  }

  // The inner streams:
  func take(_ value: Output, at number: Int) {
    turn(self, (value, number)) { own, next in if own.latest.number == next.1 { own.send(next.0) } }
  }

  override func fail(_ error: any Error, at number: Int) {
    pass { [self] in
      if latest.number == number { end(.failed(error)) }
    }
  }

  func close(_ number: Int) {
    turn(self, number) { $0.finish($1) }
  }

  private func finish(_ number: Int) {
    if latest.number != number { return }
    join(nil, 0)
    if !latest.outerOpen { end(.completed) }
  }
}

extension Observable {
  /// Emits the newest of the streams that this stream emits, disposing the one before.
  ///
  ///     A-B------|
  ///     -1--2|        A
  ///       -3--4|      B
  ///     -1-3--4--|    switchLatest()
  /// ```
  /// Observable.from([Observable.just(1), Observable.just(2)]).switchLatest()  // 1, 2, |
  /// ```
  public func switchLatest<Output: Sendable>() -> Observable<Output> where Element: Observable<Output> {
    flatMapLatest { $0 }
  }
}
