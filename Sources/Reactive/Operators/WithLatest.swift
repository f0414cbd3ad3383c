extension Observable {
  /// Joins to each element the latest one of another stream; elements before its first are left out.
  ///
  ///     --1---2--|
  ///     a---b---c--|
  ///     --x---y--|   withLatest(letters) { … }   x = 1a, y = 2b
  /// ```
  /// Observable.from([1, 2]).withLatest(Observable.just("a")) { "\($0)\($1)" }  // 1a, 2a, |
  /// ```
  public func withLatest<Other: Sendable, Output: Sendable>(
    _ other: Observable<Other>, _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let join = LatestJoin(downstream, transform)
      other.feed(subscription) { OtherInput($0, join) }
      if !subscription.isDisposed { attach(join, in: subscription) }
    }
  }
}

extension Observable {
  /// Emits the latest element of another stream for each of this one: a button that sends what a field has.
  ///
  /// ```
  /// Observable.from([1, 2]).withLatestFrom(Observable.just("a"))  // a, a, |
  /// ```
  public func withLatestFrom<Other: Sendable>(_ other: Observable<Other>) -> Observable<Other> {
    withLatest(other) { $1 }
  }
}

private final class OtherInput<Element: Sendable, Other: Sendable, Output: Sendable>: Observer {
  private let child: Subscription
  private let join: LatestJoin<Element, Other, Output>

  init(_ child: Subscription, _ join: LatestJoin<Element, Other, Output>) {
    self.child = child
    self.join = join
  }

  func next(_ value: Other) { join.note(value) }

  func fail(_ error: any Error) {
    if child.finish() { join.fail(error) }
  }

  func complete() { _ = child.finish() }
}

private final class LatestJoin<Element: Sendable, Other: Sendable, Output: Sendable>: Observer {
  private let downstream: any Observer<Output>
  private let transform: @Sendable (Element, Other) throws -> Output
  private let serializer = Serializer<(latest: Other?, over: Bool)>((nil, false))

  init(
    _ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func note(_ value: Other) {
    guard serializer.enter() else { return serializer.later { [self] in serializer.state.latest = value } }
    serializer.state.latest = value
    serializer.leave()
  }

  func next(_ value: Element) {
    guard serializer.enter() else { return serializer.later { [self] in join(value) } }
    join(value)
    serializer.leave()
  }

  func fail(_ error: any Error) {
    serializer.pass { [self] in finish(.failed(error)) }
  }

  func complete() {
    serializer.pass { [self] in finish(.completed) }
  }

  private func join(_ value: Element) {
    guard !serializer.state.over, let latest = serializer.state.latest else { return }
    let output: Output
    do { output = try transform(value, latest) } catch { return finish(.failed(error)) }
    downstream.next(output)
  }

  private func finish(_ terminal: Termination) {
    if serializer.state.over { return }
    serializer.state.over = true
    terminal.deliver(to: downstream)
  }
}
