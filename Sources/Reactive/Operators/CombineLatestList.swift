extension Observable {
  /// Combines the latest elements of all sources into a list, each time one of them emits, once all have.
  ///
  ///     a-----b--|
  ///     --1-2----|
  ///     --x-y-z--|   combineLatest([letters, digits])   x = [a, 1], y = [a, 2], z = [b, 2]
  ///
  /// Completes when all sources have, or when an element comes from the last one that has not and another never emitted.
  /// Of no sources there is one list, an empty one.
  /// ```
  /// Observable.combineLatest([Observable.just(1), Observable.from([2, 3])])  // [1, 2], [1, 3], |
  /// ```
  public static func combineLatest(_ sources: [Observable]) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      if sources.isEmpty { return Observable<[Element]>.just([]).attach(downstream, in: subscription) }
      let list = LatestList(downstream, count: sources.count)
      for index in 0..<sources.count {
        if subscription.isDisposed { return }
        sources[index].feed(list, at: index, subscription)
      }
    }
  }
}

private final class LatestList<Element: Sendable>: SerializedOutput<[Element]>, InputOwner,
  @unchecked Sendable
{
  private struct State: Sendable {
    var waiting: [Element?]
    var missing: Int
    /// Filled once nothing is missing, and from then on changed in place.
    var latest: [Element] = []
    var open: Int
  }

  /// Only inside the serializer.
  private let state: Unguarded<State>

  init(_ downstream: any Observer<[Element]>, count: Int) {
    state = Unguarded(State(waiting: Array(repeating: nil, count: count), missing: count, open: count))
    super.init(downstream)
  }

  func take(_ value: Element, at index: Int) {
    turn(self, (value, index)) { $0.place($1.0, at: $1.1) }
  }

  func close(_ index: Int) {
    pass { [self] in
      state.value.open -= 1
      if state.value.open == 0 { end(.completed) }
    }
  }

  private func place(_ value: Element, at index: Int) {
    if state.value.missing > 0 {
      gather(value, at: index)
    } else {
      state.value.latest[index] = value
    }
    if state.value.missing == 0 {
      send(state.value.latest)
    } else if state.value.open == 1 {
      end(.completed)
    }
  }

  private func gather(_ value: Element, at index: Int) {
    if state.value.waiting[index] == nil { state.value.missing -= 1 }
    state.value.waiting[index] = value
    if state.value.missing > 0 { return }
    state.value.latest = state.value.waiting.compactMap { $0 }
    state.value.waiting = []
  }
}
