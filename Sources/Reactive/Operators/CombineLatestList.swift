extension Observable {
  /// Combines the latest elements of all sources into a list, each time one of them emits, once all have.
  ///
  ///     a-----b--|
  ///     --1-2----|
  ///     --x-y-z--|   combineLatest([letters, digits])   x = [a, 1], y = [a, 2], z = [b, 2]
  /// ```
  /// Observable.combineLatest([Observable.just(1), Observable.from([2, 3])])  // [1, 2], [1, 3], |
  /// ```
  public static func combineLatest(_ sources: [Observable]) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      if sources.isEmpty { return downstream.complete() }
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
  private let turn: Serializer<State>

  init(_ downstream: any Observer<[Element]>, count: Int) {
    self.downstream = downstream
    turn = Serializer(State(waiting: Array(repeating: nil, count: count), missing: count, open: count))
  }

  func take(_ value: Element, at index: Int) {
    guard turn.enter() else { return turn.later { [self] in place(value, at: index) } }
    place(value, at: index)
    turn.leave()
  }

  func fail(_ error: any Error, at index: Int) {
    turn.pass { [self] in end(.failed(error)) }
  }

  func close(_ index: Int) {
    turn.pass { [self] in
      turn.state.open -= 1
      let dead = turn.state.missing > 0 && turn.state.waiting[index] == nil
      if dead || turn.state.open == 0 { end(.completed) }
    }
  }

  private func place(_ value: Element, at index: Int) {
    if turn.state.over { return }
    if turn.state.missing > 0 {
      gather(value, at: index)
    } else {
      turn.state.latest[index] = value
    }
    if turn.state.missing == 0 { downstream.next(turn.state.latest) }
  }

  private func gather(_ value: Element, at index: Int) {
    if turn.state.waiting[index] == nil { turn.state.missing -= 1 }
    turn.state.waiting[index] = value
    if turn.state.missing > 0 { return }
    turn.state.latest = turn.state.waiting.compactMap { $0 }
    turn.state.waiting = []
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}
