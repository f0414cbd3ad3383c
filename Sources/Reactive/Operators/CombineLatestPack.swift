extension Observable {
  /// Combines the latest elements of several streams of any types, each time one of them emits, once all have.
  ///
  ///     a-------b-|
  ///     --1---2---|
  ///     ----*-----|
  ///     ----x-y-z-|   combineLatest(letters, digits, marks) { … }   x = a1*, y = a2*, z = b2*
  /// ```
  /// Observable.combineLatest(Observable.just(1), Observable.just("a"), Observable.just(2.5)) { "\($0)\($1)\($2)" }  // 1a2.5, |
  /// ```
  public static func combineLatest<First: Sendable, Second: Sendable, Third: Sendable, each Other: Sendable>(
    _ first: Observable<First>, _ second: Observable<Second>, _ third: Observable<Third>,
    _ others: repeat Observable<each Other>,
    transform: @escaping @Sendable (First, Second, Third, repeat each Other) throws -> Element
  ) -> Observable {
    combineAll(first, second, third, repeat each others, transform: transform)
  }

  /// Combines the latest elements of several streams of any types into tuples.
  ///
  /// ```
  /// Observable.combineLatest(Observable.just(1), Observable.from([2, 3])).map { $0 + $1 }  // 3, 4, |
  /// ```
  public static func combineLatest<each Source: Sendable>(
    _ sources: repeat Observable<each Source>
  ) -> Observable where Element == (repeat each Source) {
    combineAll(repeat each sources) { (value: repeat each Source) in (repeat each value) }
  }

  private static func combineAll<each Source: Sendable>(
    _ sources: repeat Observable<each Source>,
    transform: @escaping @Sendable (repeat each Source) throws -> Element
  ) -> Observable {
    Observable { downstream, subscription in
      let latest = (repeat Unguarded<each Source>())
      let all = LatestOfAll(downstream) { try transform(repeat present(each latest)) }
      for _ in repeat each sources { all.turn.state.missing += 1 }
      all.turn.state.open = all.turn.state.missing
      repeat all.attach(each sources, each latest, subscription)
    }
  }
}

/// What streams of different types have in common: the turn, and which of them are missing or at their end.
private final class LatestOfAll<Output: Sendable>: Sendable {
  struct State: Sendable {
    var missing = 0
    var open = 0
    var over = false
  }

  let turn = Serializer(State())
  private let downstream: any Observer<Output>
  private let combine: @Sendable () throws -> Output

  init(_ downstream: any Observer<Output>, _ combine: @escaping @Sendable () throws -> Output) {
    self.downstream = downstream
    self.combine = combine
  }

  func attach<Source>(
    _ source: Observable<Source>, _ latest: Unguarded<Source>, _ subscription: Subscription
  ) {
    if subscription.isDisposed { return }
    source.feed(
      subscription, next: { [self] in take($0, latest) },
      fail: { [self] error in turn.pass { [self] in end(.failed(error)) } },
      complete: { [self] in turn.pass { [self] in close(latest) } })
  }

  private func take<Source: Sendable>(_ value: Source, _ latest: Unguarded<Source>) {
    guard turn.enter() else { return turn.later { [self] in place(value, latest) } }
    place(value, latest)
    turn.leave()
  }

  private func place<Source>(_ value: Source, _ latest: Unguarded<Source>) {
    if turn.state.over { return }
    if latest.isVacant { turn.state.missing -= 1 }
    latest.fill(value)
    if turn.state.missing > 0 { return }
    let output: Output
    do { output = try combine() } catch { return end(.failed(error)) }
    downstream.next(output)
  }

  private func close<Source>(_ latest: Unguarded<Source>) {
    turn.state.open -= 1
    if latest.isVacant || turn.state.open == 0 { end(.completed) }
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}

/// The value of a place that is filled; a function, because the compiler does not take the address of one out of several.
private func present<Value>(_ place: Unguarded<Value>) -> Value { place.value }
