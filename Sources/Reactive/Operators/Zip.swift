extension Observable {
  /// Pairs the first elements of all sources, then the second, and so on, as lists.
  ///
  ///     a--b-----c--|
  ///     -1-----2----|
  ///     -x-----y----|   zip([letters, digits])   x = [a, 1], y = [b, 2]
  ///
  /// Completes when no further list can come. A source may be ahead by `backlog` elements; more is a failure.
  /// ```
  /// Observable.zip([Observable.from([1, 2, 3]), Observable.from([10, 20])])  // [1, 10], [2, 20], |
  /// ```
  public static func zip(_ sources: [Observable], backlog: Int = 65_536) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      if sources.isEmpty { return downstream.complete() }
      let zipper = Zipper(downstream, subscription, count: sources.count, backlog: backlog)
      for index in 0..<sources.count {
        if subscription.isDisposed { return }
        sources[index].feed(zipper, at: index, subscription)
      }
    }
  }

  /// Pairs the first element of this stream with the first of another, then the second, and so on.
  ///
  /// ```
  /// Observable.from([1, 2]).zip(Observable.from(["a", "b"])) { "\($0)\($1)" }  // 1a, 2b, |
  /// ```
  public func zip<Other: Sendable, Output: Sendable>(
    _ other: Observable<Other>, backlog: Int = 65_536,
    _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) -> Observable<Output> {
    Observable<Output>.zip(self, other, backlog: backlog, transform: transform)
  }
}

private final class Zipper<Element: Sendable>: InputOwner {
  private struct State: Sendable {
    let lines: [ZipLine<Element>]
    /// How many queues are empty; a list goes out when none is.
    var empty: Int
    /// The list that goes out, changed in place unless an observer downstream has kept it.
    var row: [Element] = []
    var over = false
  }

  private let downstream: any Observer<[Element]>
  private let subscription: Subscription
  private let backlog: Int
  private let turn: Serializer<State>

  init(_ downstream: any Observer<[Element]>, _ subscription: Subscription, count: Int, backlog: Int) {
    self.downstream = downstream
    self.subscription = subscription
    self.backlog = backlog
    turn = Serializer(
      State(lines: (0..<count).map { _ in ZipLine() }, empty: count))
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
      turn.state.lines[index].isOpen = false
      if turn.state.lines[index].waiting.isEmpty { end(.completed) }
    }
  }

  private func place(_ value: Element, at index: Int) {
    if turn.state.over { return }
    let line = turn.state.lines[index]
    if line.waiting.count >= backlog {
      return end(.failed(ReactiveError.overflow(what: "the backlog of zip", limit: backlog)))
    }
    if line.waiting.isEmpty { turn.state.empty -= 1 }
    line.waiting.append(value)
    if turn.state.empty > 0 { return }
    let spent = takeRow()
    downstream.next(turn.state.row)
    if spent, !subscription.isDisposed { end(.completed) }
  }

  /// Moves the first of each queue into the row; whether a source that has ended has nothing left.
  private func takeRow() -> Bool {
    var spent = false
    for index in 0..<turn.state.lines.count {
      let line = turn.state.lines[index]
      let value = line.waiting.removeFirst()
      if index < turn.state.row.count { turn.state.row[index] = value } else { turn.state.row.append(value) }
      if line.waiting.isEmpty {
        turn.state.empty += 1
        if !line.isOpen { spent = true }
      }
    }
    return spent
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}
