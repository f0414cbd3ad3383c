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
  /// The current inner stream and its number; what an older one still emits is discarded.
  var running: Subscription?
  var number = 0
  var outerOpen = true
  var over = false
}

private final class FlatMapLatestObserver<Element: Sendable, Output: Sendable>: Observer, InputOwner {
  let outer: Subscription
  private let downstream: any Observer<Output>
  private let subscription: Subscription
  private let transform: @Sendable (Element) throws -> Observable<Output>
  private let lastNumber = Atomic<Int>(0)
  private let turn = Serializer(Latest())

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.transform = transform
    outer = subscription.child()
  }

  func next(_ value: Element) {
    let inner: Observable<Output>
    do { inner = try transform(value) } catch { return fail(error) }
    if inner.takeSole({ emit($0) }) { return }
    let number = lastNumber.add(1, ordering: .relaxed).newValue
    // Joining happens in turn, attaching after it: an inner stream that never pauses must find the way free.
    inner.feed(self, at: number, subscription) { child in
      guard turn.enter() else { return turn.later { [self] in join(child, number) } }
      join(child, number)
      turn.leave()
    }
  }

  /// Emits the element of `just`, which needs no subscription.
  private func emit(_ value: Output) {
    guard turn.enter() else { return turn.later { [self] in send(value) } }
    send(value)
    turn.leave()
  }

  private func send(_ value: Output) {
    join(nil, 0)
    if !turn.state.over, !subscription.isDisposed { downstream.next(value) }
  }

  private func join(_ child: Subscription?, _ number: Int) {
    turn.state.running?.dispose()
    turn.state.running = child
    turn.state.number = number
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    turn.pass { [self] in
      turn.state.outerOpen = false
      if turn.state.running == nil { end(.completed) }
    }
  }

  // The inner streams:
  func take(_ value: Output, at number: Int) {
    guard turn.enter() else { return turn.later { [self] in pass(value, number) } }
    pass(value, number)
    turn.leave()
  }

  private func pass(_ value: Output, _ number: Int) {
    if turn.state.number == number { downstream.next(value) }
  }

  func fail(_ error: any Error, at number: Int) {
    turn.pass { [self] in
      if turn.state.number == number { end(.failed(error)) }
    }
  }

  func close(_ number: Int) {
    guard turn.enter() else { return turn.later { [self] in finish(number) } }
    finish(number)
    turn.leave()
  }

  private func finish(_ number: Int) {
    if turn.state.number != number { return }
    join(nil, 0)
    if !turn.state.outerOpen { end(.completed) }
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    turn.state.running = nil
    turn.state.number = 0
    terminal.deliver(to: downstream)
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
