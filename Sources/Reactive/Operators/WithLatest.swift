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

private final class LatestJoin<Element: Sendable, Other: Sendable, Output: Sendable>: SerializedOutput<
  Output
>,
Observer, @unchecked Sendable
{
  private let transform: @Sendable (Element, Other) throws -> Output
  /// Only inside the serializer.
  private let latest = Unguarded<Other>()

  init(
    _ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) {
    self.transform = transform
    super.init(downstream)
  }

  func note(_ value: Other) {
    turn(self, value) { $0.latest.fill($1) }
  }

  func next(_ value: Element) {
    turn(self, value) { $0.join($1) }
  }

  func complete() {
    pass { [self] in end(.completed) }
  }

  private func join(_ value: Element) {
    if !latest.isVacant { emit { try transform(value, latest.value) } }
  }
}
