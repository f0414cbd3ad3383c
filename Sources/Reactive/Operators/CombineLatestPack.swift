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
      var places: [Place] = []
      places.reserveCapacity(4)
      for source in repeat each sources { places.append(place(for: source)) }
      let all = LatestOfAll(downstream, places) { places in
        var index = 0
        return try transform(repeat present((each Source).self, places, &index))
      }
      var index = 0
      for source in repeat each sources {
        all.attach(source, at: index, subscription)
        index += 1
      }
    }
  }
}

/// The place of a latest element, an `Unguarded` of its type: without it, because a type made of others has to be looked up
/// each time in code that is not specialised, which costs more than all the rest.
private typealias Place = AnyObject & Sendable

private func place<Source>(for source: Observable<Source>) -> Place { Unguarded<Source>() }

/// The element at a place that is filled.
private func present<Source: Sendable>(_ type: Source.Type, _ places: [Place], _ index: inout Int) -> Source {
  defer { index += 1 }
  return known(places[index], as: Unguarded<Source>.self).value
}

private final class LatestInput<Source: Sendable, Output: Sendable>: Observer {
  private let child: Subscription
  private let all: LatestOfAll<Output>
  private let latest: Unguarded<Source>

  init(_ child: Subscription, _ all: LatestOfAll<Output>, _ latest: Unguarded<Source>) {
    self.child = child
    self.all = all
    self.latest = latest
  }

  func next(_ value: Source) {
    all.turn(self, value) { $0.all.place($1, $0.latest) }
  }

  func fail(_ error: any Error) {
    if child.finish() { all.fail(error) }
  }

  func complete() {
    if child.finish() { all.complete() }
  }
}

/// The common state of streams of different types: the serializer, and which of them are missing or at their end.
private final class LatestOfAll<Output: Sendable>: SerializedOutput<Output>, @unchecked Sendable {
  private struct State: Sendable {
    var missing: Int
    var open: Int
  }

  /// Only inside the serializer.
  @exclusivity(unchecked) private var state: State
  private let places: [Place]
  private let combine: @Sendable ([Place]) throws -> Output

  init(
    _ downstream: any Observer<Output>, _ places: [Place],
    _ combine: @escaping @Sendable ([Place]) throws -> Output
  ) {
    self.places = places
    self.combine = combine
    state = State(missing: places.count, open: places.count)
    super.init(downstream)
  }

  func attach<Source>(_ source: Observable<Source>, at index: Int, _ subscription: Subscription) {
    if subscription.isDisposed { return }
    let latest = known(places[index], as: Unguarded<Source>.self)
    source.feed(subscription) { LatestInput($0, self, latest) }
  }

  func complete() {
    pass { [self] in
      state.open -= 1
      if state.open == 0 { end(.completed) }
    }
  }

  func place<Source>(_ value: Source, _ latest: Unguarded<Source>) {
    if isOver { return }
    if latest.isVacant { state.missing -= 1 }
    latest.fill(value)
    if state.missing > 0 {
      if state.open == 1 { end(.completed) }
      return
    }
    emit { try combine(places) }
  }
}
