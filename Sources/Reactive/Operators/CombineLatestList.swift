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

private final class LatestList<Element: Sendable>: InputOwner {
  private struct State: Sendable {
    var waiting: [Element?]
    var missing: Int
    /// Filled once nothing is missing, and from then on changed in place.
    var latest: [Element] = []
    var open: Int
    var over = false
  }

  private let downstream: any Observer<[Element]>
  private let serializer: Serializer<State>

  init(_ downstream: any Observer<[Element]>, count: Int) {
    self.downstream = downstream
    serializer = Serializer(State(waiting: Array(repeating: nil, count: count), missing: count, open: count))
  }

  func take(_ value: Element, at index: Int) {
    guard serializer.enter() else { return serializer.later { [self] in place(value, at: index) } }
    place(value, at: index)
    serializer.leave()
  }

  func fail(_ error: any Error, at index: Int) {
    serializer.pass { [self] in end(.failed(error)) }
  }

  func close(_ index: Int) {
    serializer.pass { [self] in
      serializer.state.open -= 1
      if serializer.state.open == 0 { end(.completed) }
    }
  }

  private func place(_ value: Element, at index: Int) {
    if serializer.state.over { return }
    if serializer.state.missing > 0 {
      gather(value, at: index)
    } else {
      serializer.state.latest[index] = value
    }
    if serializer.state.missing == 0 {
      downstream.next(serializer.state.latest)
    } else if serializer.state.open == 1 {
      end(.completed)
    }
  }

  private func gather(_ value: Element, at index: Int) {
    if serializer.state.waiting[index] == nil { serializer.state.missing -= 1 }
    serializer.state.waiting[index] = value
    if serializer.state.missing > 0 { return }
    serializer.state.latest = serializer.state.waiting.compactMap { $0 }
    serializer.state.waiting = []
  }

  private func end(_ terminal: Termination) {
    if serializer.state.over { return }
    serializer.state.over = true
    terminal.deliver(to: downstream)
  }
}
