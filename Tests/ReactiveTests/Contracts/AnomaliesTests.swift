import Expectations
import Reactive
import ReactiveTesting
import TestScale
import Testing

/// The situations in which reactive libraries have deadlocked, lost their order or run out of stack.
@Suite struct AnomaliesTests {
  /// Another thread uses the stream while an element is being delivered, and the delivery waits for that thread: with a
  /// lock held while calling out, neither would ever come back.
  @Test(arguments: Contract.all.filter(\.hasSource))
  func noLockIsHeldWhileAnElementIsDelivered(_ contract: Contract) {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let stuck = Flag()
    let once = Flag()
    let witness = Witness { witness, _ in
      guard once.raiseOnce() else { return }
      let back = inThreads(1, patience: 5) { _ in
        subject.next(7)
        subject.subscribe().dispose()
        witness.subscription.dispose()
      }
      if !back { stuck.raise() }
    }
    witness.watch(contract.build(subject, clock, { $0 }))
    for number in 1...4 { subject.next(number) }
    clock.advance(by: .seconds(10))
    subject.complete()
    clock.run(limit: 1000)
    #expect(!stuck.isRaised)
  }

  @Test(arguments: Contract.all.filter(\.throwing))
  func noLockIsHeldWhileAClosureRuns(_ contract: Contract) {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let stuck = Flag()
    let once = Flag()
    let subscription = Subscription()
    let chain = contract.build(
      subject, clock,
      { number in
        if once.raiseOnce() {
          let back = inThreads(1, patience: 5) { _ in
            subject.next(7)
            subscription.dispose()
          }
          if !back { stuck.raise() }
        }
        return number
      })
    chain.subscribe(in: subscription)
    for number in 1...3 { subject.next(number) }
    clock.run(limit: 1000)
    #expect(!stuck.isRaised)
  }

  @Test func noLockIsHeldWhileTearingDown() {
    let subject = PublishSubject<Int>()
    let subscription = Subscription()
    let back = Flag()
    subject.subscribe(in: subscription)
    subscription.onDispose {
      if inThreads(1, patience: 5, { _ in subscription.onDispose {} }) { back.raise() }
    }
    subscription.dispose()
    #expect(back.isRaised)
  }

  @Test func noLockIsHeldWhileReplaying() {
    let subject = ReplaySubject<Int>(limit: 2)
    subject.next(1)
    let back = Flag()
    _ = subject.subscribe(next: { _ in
      if inThreads(1, patience: 5, { _ in subject.subscribe().dispose() }) { back.raise() }
    })
    #expect(back.isRaised)
  }

  @Test func concurrentFirstSubscribersConnectOnce() {
    for _ in 0..<TestScale.count(200) {
      let connections = Tally()
      let shared = Observable<Int>.create { _ in connections.add() }.share()
      #expect(inThreads(4) { _ in _ = shared.subscribe() })
      expect(connections.value, equals: 1)
    }
  }

  @Test func aSubjectFedFromInsideItselfKeepsItsOrder() {
    let subject = PublishSubject<Int>()
    let first = Witness { _, text in
      if text == "1" { subject.next(2) }
    }
    let second = Witness()
    first.watch(subject.map { "\($0)" })
    second.watch(subject.map { "\($0)" })
    subject.next(1)
    expect(first.elements, equals: ["1", "2"])
    expect(second.elements, equals: ["1", "2"])
    #expect(first.breaches.isEmpty && second.breaches.isEmpty)
  }

  @Test func anObserverThatSubscribesInsideNextHearsFromTheNextElementOn() {
    let subject = PublishSubject<Int>()
    let late = Witness()
    let once = Flag()
    _ = subject.subscribe(next: { _ in
      if once.raiseOnce() { late.watch(subject.map { "\($0)" }) }
    })
    subject.next(1)
    subject.next(2)
    expect(late.elements, equals: ["2"])
  }

  @Test func anInnerStreamOnAnotherThreadDoesNotBlockFlatMap() {
    let lanes = (0..<3).map { SerialScheduler(name: "inner \($0)") }
    let count = Tally()
    let done = Flag()
    _ = Observable.from(0..<30).flatMap { number in
      Observable.from(0..<100).subscribe(on: lanes[number % 3])
    }.subscribe(next: { _ in count.add() }, complete: { done.raise() })
    #expect(eventually { done.isRaised })
    expect(count.value, equals: 3000)
  }

  /// One thread sleeps in a full mailbox while it has the turn of a merge; the lane that would empty the mailbox feeds
  /// the same merge, and finds its line full.
  @Test func aLaneThatFeedsWhatWaitsForItGoesOn() {
    let lane = SerialScheduler(name: "lane")
    let outside = PublishSubject<Int>()
    let fromLane = PublishSubject<Int>()
    let count = Tally()
    _ = Observable.merge([outside, fromLane]).observe(on: lane, capacity: 4)
      .subscribe(next: { _ in count.add() })
    let gate = Flag()
    lane.perform {
      _ = eventually { gate.isRaised }
      for number in 0..<2000 { fromLane.next(number) }
    }
    let back = inThreads(2) { index in
      if index == 0 {
        for number in 0..<10 { outside.next(number) }
      } else {
        _ = eventually(patience: 0.1) { false }
        gate.raise()
      }
    }
    #expect(back)
    #expect(eventually { count.value == 2010 })
  }

  @Test func whatIsDueNeverIsNotDueAtTheEndOfTime() {
    let clock = VirtualScheduler()
    let witness = Witness()
    witness.watch(
      Observable<Int>.never().timeout(after: .seconds(Int64.max), on: clock).map { "\($0)" })
    clock.run()
    expect(witness.terminals, equals: 0)
    expect(clock.pending, equals: 0)
  }

  // MARK: a hundred thousand rounds on a small stack, where recursion ends after some thousand

  private static let rounds = TestScale.count(100_000)

  @Test func concatTakesNoStack() {
    expectRounds(Observable.concat(Array(repeating: .just(1), count: Self.rounds)))
  }

  @Test func repeatTakesNoStack() {
    expectRounds(Observable.from([1]).repeat(Self.rounds))
  }

  @Test func retryTakesNoStack() {
    let failing = Observable.from([1]).concat(.fail(Oops()))
    expectRounds(failing.retry(times: Self.rounds - 1).catch { _ in .empty() })
  }

  @Test func retryWithBackoffTakesNoStack() {
    let clock = ImmediateScheduler()
    let backoff = Backoff(initial: .zero, cap: .zero)
    expectRounds(Observable.from([1]).concat(.fail(Oops())).retry(backoff, on: clock).take(Self.rounds))
  }

  @Test func concatMapTakesNoStack() {
    expectRounds(Observable.from(0..<Self.rounds).concatMap { Observable.from([$0]) })
  }

  @Test func concatMapWithABacklogTakesNoStack() {
    let gate = PublishSubject<Int>()
    let waiting = Observable.from(0..<60_000).concatMap { $0 == 0 ? gate : Observable.from([$0]) }
    let count = Tally()
    let done = Flag()
    _ = waiting.subscribe(next: { _ in count.add() }, complete: { done.raise() })
    #expect(onSmallStack { gate.complete() })
    expect(count.value, equals: 59_999)
    #expect(done.isRaised)
  }

  private func expectRounds(_ source: Observable<Int>) {
    let count = Tally()
    let done = Flag()
    let back = onSmallStack {
      _ = source.subscribe(next: { _ in count.add() }, complete: { done.raise() })
    }
    #expect(back)
    #expect(done.isRaised)
    expect(count.value, equals: Self.rounds)
  }
}
