import Synchronization

extension Observable {
  /// Subscribes to all sources and stays with the one that emits first.
  ///
  ///     ----a--b--|
  ///     --1---2---|
  ///     --1---2---|   amb([letters, digits])
  /// ```
  /// Observable.amb([Observable.never(), Observable.just(1)])  // 1, |
  /// ```
  public static func amb(_ sources: [Observable]) -> Observable {
    Observable { downstream, subscription in
      if sources.isEmpty { return downstream.complete() }
      let race = Race(downstream)
      for index in 0..<sources.count {
        if subscription.isDisposed || race.isDecided { return }
        race.enter(index, sources[index].feed(race, at: index, subscription))
      }
    }
  }
}

private final class Race<Element: Sendable>: InputOwner {
  private let downstream: any Observer<Element>
  private let winner = Atomic<Int>(-1)
  private let runners = Locked<[(index: Int, subscription: Subscription)]>([])

  init(_ downstream: any Observer<Element>) {
    self.downstream = downstream
  }

  var isDecided: Bool { winner.load(ordering: .acquiring) >= 0 }

  /// Whether this source has won: the first to ask has, and the others are disposed.
  func take(_ value: Element, at index: Int) {
    if wins(index) { downstream.next(value) }
  }

  func fail(_ error: any Error, at index: Int) {
    if wins(index) { downstream.fail(error) }
  }

  func close(_ index: Int) {
    if wins(index) { downstream.complete() }
  }

  private func wins(_ index: Int) -> Bool {
    let claim = winner.compareExchange(expected: -1, desired: index, ordering: .acquiringAndReleasing)
    if claim.exchanged { sendHome(butFor: index) }
    return claim.exchanged || claim.original == index
  }

  func enter(_ index: Int, _ runner: Subscription) {
    runners.withLock { $0.append((index, runner)) }
    let first = winner.load(ordering: .acquiring)
    if first >= 0 { sendHome(butFor: first) }
  }

  private func sendHome(butFor index: Int) {
    let all = runners.withLock { runners in
      defer { runners = [] }
      return runners
    }
    for runner in all where runner.index != index { runner.subscription.dispose() }
  }
}
