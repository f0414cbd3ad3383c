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
      let race = Race()
      for (index, source) in sources.enumerated() {
        if subscription.isDisposed || race.isDecided { return }
        let runner = source.feed(
          subscription, next: { if race.wins(index) { downstream.next($0) } },
          fail: { if race.wins(index) { downstream.fail($0) } },
          complete: { if race.wins(index) { downstream.complete() } })
        race.enter(index, runner)
      }
    }
  }
}

private final class Race: Sendable {
  private let winner = Atomic<Int>(-1)
  private let runners = Locked<[(index: Int, subscription: Subscription)]>([])

  var isDecided: Bool { winner.load(ordering: .acquiring) >= 0 }

  /// Whether this source has won: the first to ask has, and the others are disposed.
  func wins(_ index: Int) -> Bool {
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
