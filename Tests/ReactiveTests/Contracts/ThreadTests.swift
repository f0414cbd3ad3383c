import Expectations
import Reactive
import ReactiveTesting
import TestScale
import Testing

/// Real threads against each other; what the thread sanitizer looks at.
@Suite struct ThreadTests {
  private static let many = TestScale.count(20_000)

  @Test func aSubjectFedByFourThreadsDeliversEverythingOneAtATime() {
    let subject = PublishSubject<Int>()
    let witnesses = (0..<2).map { _ in Witness() }
    for witness in witnesses { witness.watch(subject.map { "\($0)" }) }
    #expect(
      inThreads(4) { index in for number in 0..<Self.many { subject.next(index * Self.many + number) } })
    for witness in witnesses {
      #expect(witness.breaches.isEmpty)
      expect(witness.elements.count, equals: 4 * Self.many)
    }
    expect(witnesses[0].elements, equals: witnesses[1].elements, "every observer gets the same order")
    for index in 0..<4 {
      let own = witnesses[0].elements.compactMap { Int($0) }.filter { $0 / Self.many == index }
      expect(own, equals: own.sorted(), "the order of each thread is kept")
    }
  }

  @Test(arguments: ["merge", "combineLatest", "zip", "withLatest", "flatMap", "switchLatest"])
  func inputsOnSeveralThreadsAreMadeOne(_ name: String) {
    let subjects = (0..<3).map { _ in PublishSubject<Int>() }
    let sources = subjects
    let joined: Observable<String> =
      switch name {
      case "merge": Observable.merge(sources).map { "\($0)" }
      case "combineLatest": Observable.combineLatest(sources).map { "\($0)" }
      case "zip": Observable.zip(sources).map { "\($0)" }
      case "withLatest": sources[0].withLatest(sources[1]) { "\($0) \($1)" }
      case "flatMap": Observable.from(sources).flatMap { $0 }.map { "\($0)" }
      default: Observable.from(sources).switchLatest().map { "\($0)" }
      }
    let witness = Witness()
    witness.watch(joined)
    #expect(
      inThreads(3) { index in
        for number in 0..<Self.many { subjects[index].next(number) }
        subjects[index].complete()
      })
    #expect(witness.breaches.isEmpty)
    expect(witness.terminals, equals: 1)
    if name == "merge" || name == "flatMap" { expect(witness.elements.count, equals: 3 * Self.many) }
    if name == "zip" { expect(witness.elements, equals: (0..<Self.many).map { "[\($0), \($0), \($0)]" }) }
  }

  @Test(arguments: Contract.all.filter(\.hasSource))
  func disposeFromAnotherThreadEndsIt(_ contract: Contract) {
    let lane = SerialScheduler(name: "kit")
    let subject = PublishSubject<Int>()
    let stop = Flag()
    let witness = Witness()
    witness.watch(contract.build(subject, lane, { $0 }))
    let feeding = Flag()
    let back = inThreads(2) { index in
      if index == 0 {
        var number = 0
        while !stop.isRaised {
          subject.next(number % 5)
          number += 1
          feeding.raise()
        }
      } else {
        _ = eventually { feeding.isRaised }
        witness.subscription.dispose()
        let seen = witness.elements.count + witness.terminals
        _ = eventually(patience: 0.02) { false }
        // One call, an element or the terminal, may have been under way.
        if witness.elements.count + witness.terminals > seen + 1 {
          Issue.record("\(contract.testDescription) went on after dispose")
        }
        stop.raise()
      }
    }
    #expect(back)
    // A call between the beginning of `dispose()` and its return is no breach when that is another thread, nor is the
    // one under way: an operator that ends by itself (take, take(while:)) may be about to complete.
    let late: Set = ["next after dispose", "complete after dispose", "fail after dispose"]
    #expect(late.isSuperset(of: witness.breaches))
    #expect(witness.terminals <= 1)
    #expect(!subject.hasObservers || contract.staysConnected)
  }

  /// The one who disposes may have to complete a window or a group while another thread is inside, and must not stay
  /// there to serve that thread, which never ends.
  @Test(arguments: Contract.all.filter(\.hasSource))
  func disposeComesBackWhileAnotherThreadSends(_ contract: Contract) {
    let lane = SerialScheduler(name: "kit")
    let subject = PublishSubject<Int>()
    let stop = Flag()
    let back = inThreads(2) { index in
      if index == 0 {
        var number = 0
        while !stop.isRaised {
          subject.next(number % 5)
          number += 1
        }
      } else {
        let stream = contract.build(subject, lane, { $0 })
        for _ in 0..<Self.many / 4 { stream.subscribe(next: { _ in }).dispose() }
        stop.raise()
      }
    }
    stop.raise()
    #expect(back)
    #expect(!subject.hasObservers || contract.staysConnected)
  }

  @Test func crossingKeepsTheOrderAndLosesNothing() {
    let lane = SerialScheduler(name: "lane")
    let witness = Witness()
    let counters = MailboxCounters()
    let onLane = Flag()
    witness.watch(
      Observable.from(0..<Self.many).observe(on: lane, capacity: 16, counters: counters)
        .do(next: { _ in if !lane.isCurrent { onLane.raise() } }).map { "\($0)" })
    #expect(eventually { witness.terminals == 1 })
    expect(witness.elements, equals: (0..<Self.many).map { "\($0)" })
    #expect(!onLane.isRaised, "everything is delivered on the lane")
    expect(counters.acceptedCount, equals: Self.many)
    expect(counters.droppedCount, equals: 0)
    #expect(counters.waitCount > 0, "the sender was slowed down")
  }

  @Test(arguments: [Overflow.dropOldest, .dropNewest])
  func droppingIsCountedToTheElement(_ overflow: Overflow) {
    let lane = SerialScheduler(name: "lane")
    let counters = MailboxCounters()
    let witness = Witness()
    witness.watch(
      Observable.from(0..<Self.many).observe(on: lane, capacity: 4, overflow: overflow, counters: counters)
        .map { "\($0)" })
    #expect(eventually { witness.terminals == 1 })
    expect(witness.elements.count + counters.droppedCount, equals: Self.many)
    let numbers = witness.elements.compactMap { Int($0) }
    expect(numbers, equals: numbers.sorted())
    if overflow == .dropOldest { expect(numbers.last, equals: Self.many - 1) }
    if overflow == .dropNewest { expect(numbers.first, equals: 0) }
  }

  @Test func aMailboxThatMustNotOverflowFailsAfterWhatItHolds() {
    let lane = SerialScheduler(name: "lane")
    let gate = Flag()
    let witness = Witness { _, _ in _ = eventually { gate.isRaised } }
    witness.watch(Observable.from(0..<1000).observe(on: lane, capacity: 10, overflow: .fail).map { "\($0)" })
    gate.raise()
    #expect(eventually { witness.terminals == 1 })
    #expect(witness.failures.first as? ReactiveError == .overflow(what: "a mailbox", limit: 10))
    #expect(witness.elements.count >= 10)
  }

  @Test func disposeWakesASenderThatWaitsForRoom() {
    let lane = SerialScheduler(name: "lane")
    let subject = PublishSubject<Int>()
    let subscription = Subscription()
    let release = Flag()
    subject.observe(on: lane, capacity: 1).subscribe(
      in: subscription, next: { _ in _ = eventually { release.isRaised } })
    let sender = Flag()
    let back = inThreads(2) { index in
      if index == 0 {
        for number in 0..<10 { subject.next(number) }
        sender.raise()
      } else {
        _ = eventually(patience: 0.05) { sender.isRaised }
        subscription.dispose()
        release.raise()
      }
    }
    #expect(back)
    #expect(sender.isRaised)
  }

  @Test func aConsumerOnItsOwnSchedulerIsNeverMadeToWaitForItself() {
    let lane = SerialScheduler(name: "lane")
    let witness = Witness()
    lane.perform {
      witness.watch(Observable.from(0..<5000).observe(on: lane, capacity: 8).map { "\($0)" })
    }
    #expect(eventually { witness.terminals == 1 })
    expect(witness.elements, equals: (0..<5000).map { "\($0)" })
    #expect(witness.breaches.isEmpty)
  }

  @Test func aFloodedTurnstileMakesItsSendersWait() {
    let subject = PublishSubject<Int>()
    let slow = Tally()
    _ = subject.subscribe(next: { _ in
      slow.add()
      if slow.value < 50 { _ = eventually(patience: 0.001) { false } }
    })
    #expect(inThreads(4) { _ in for number in 0..<Self.many { subject.next(number) } })
    expect(slow.value, equals: 4 * Self.many)
  }

  @Test func timersOfASerialSchedulerFireInOrderOnItsThread() {
    let lane = SerialScheduler(name: "timers")
    let order = Locked<[Int]>([])
    let start = lane.now
    for delay in [30, 10, 20, 0] {
      _ = lane.schedule(at: start + .milliseconds(delay)) {
        order.withLock { $0.append(lane.isCurrent && lane.now >= start + .milliseconds(delay) ? delay : -1) }
      }
    }
    let cancelled = lane.schedule(after: .milliseconds(5)) { order.withLock { $0.append(-2) } }
    cancelled.dispose()
    #expect(eventually { order.withLock { $0.count } == 4 })
    expect(order.withLock { $0 }, equals: [0, 10, 20, 30])
  }

  @Test func aSchedulerThatIsLetGoEndsItsThreadAndItsWork() {
    weak var held: Canary?
    do {
      let canary = Canary()
      held = canary
      let lane = SerialScheduler(name: "gone")
      _ = lane.schedule(after: .seconds(3600)) { canary.chirp() }
    }
    #expect(eventually { held == nil })
  }

  @Test func debounceOnARealClock() {
    let lane = SerialScheduler(name: "lane")
    let subject = PublishSubject<Int>()
    let witness = Witness()
    witness.watch(subject.debounce(for: .milliseconds(20), on: lane).map { "\($0)" })
    for number in 0..<5 { subject.next(number) }
    #expect(eventually { witness.elements == ["4"] })
    subject.next(9)
    subject.complete()
    expect(witness.elements, equals: ["4", "9"])
    #expect(witness.breaches.isEmpty)
  }
}
