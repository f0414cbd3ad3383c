import Expectations
import Glibc
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ObserveOnTests {
  @Test func deliversEverythingOnTheScheduler() throws {
    try expectMarbles("a--b--c--|") { try $0.hot("a--b--c--|").observable.observe(on: $0) }
    let clock = VirtualScheduler()
    let recording = clock.record(Observable.from(1...3).observe(on: clock))
    #expect(recording.records.isEmpty)
    clock.run()
    expect(recording.drawing.line, equals: "(123|)")
  }

  @Test func aFullMailboxThatBlocksLosesNothing() {
    let counters = MailboxCounters()
    expect(
      outcome { Observable.from(1...5).observe(on: $0, capacity: 2, counters: counters) },
      equals: "1, 2, 3, 4, 5, |")
    expect(counters.acceptedCount, equals: 5)
    expect(counters.droppedCount, equals: 0)
    expect(counters.waitCount, equals: 2)
  }

  @Test func aFullMailboxMayDropTheOldest() {
    let counters = MailboxCounters()
    expect(
      outcome {
        Observable.from(1...5).observe(on: $0, capacity: 2, overflow: .dropOldest, counters: counters)
      }, equals: "4, 5, |")
    expect(counters.acceptedCount, equals: 5)
    expect(counters.droppedCount, equals: 3)
    expect(counters.waitCount, equals: 0)
    expect(
      outcome { Observable.from(1...3).observe(on: $0, capacity: 2, overflow: .dropOldest) },
      equals: "2, 3, |")
  }

  @Test func aFullMailboxMayDropTheNewest() {
    let counters = MailboxCounters()
    expect(
      outcome {
        Observable.from(1...5).observe(on: $0, capacity: 2, overflow: .dropNewest, counters: counters)
      }, equals: "1, 2, |")
    expect(counters.acceptedCount, equals: 2)
    expect(counters.droppedCount, equals: 3)
  }

  @Test func aFullMailboxMayFailAfterWhatIsInIt() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("(abc)--|")
    let counters = MailboxCounters()
    let recording = clock.record(
      source.observable.observe(on: clock, capacity: 2, overflow: .fail, counters: counters))
    clock.run()
    expect(recording.drawing.line, equals: "(ab#)")
    #expect(recording.error as? ReactiveError == .overflow(what: "a mailbox", limit: 2))
    expect(counters.droppedCount, equals: 1)
    expect(source.subscriptions, equals: ["(^!)"])
  }

  @Test func aFailureComesAfterTheElementsBeforeIt() {
    expect(outcome { Observable.just(1).concat(.fail(Oops())).observe(on: $0) }, equals: "1, #")
  }

  @Test func disposingDropsWhatWaits() {
    let clock = VirtualScheduler()
    expect(clock.play(Observable.from(1...5).observe(on: clock).take(2)), equals: "(12|)")
    let recording = clock.record(Observable.from(1...5).observe(on: clock))
    recording.subscription.dispose()
    clock.run()
    #expect(recording.records.isEmpty)
  }

  @Test func makesRoomForTheOneInsideADelivery() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    _ = subject.observable.observe(on: clock, capacity: 1).subscribe(next: { value in
      log.note(value)
      if value == 1 { for next in 2...4 { subject.next(next) } }
    })
    subject.next(1)
    clock.run()
    expect(log.entries, equals: [1, 2, 3, 4])
  }

  @Test func leavesOnePieceOfWorkInTheLineHoweverOftenItWasFull() {
    let clock = VirtualScheduler()
    let recording = clock.record(Observable.from(1...100).observe(on: clock, capacity: 2))
    expect(clock.pending, equals: 1)
    clock.run()
    expect(recording.elements, equals: Array(1...100))
  }

  @Test func holdsOneAtLeast() {
    expect(
      outcome { Observable.from(1...3).observe(on: $0, capacity: 0, overflow: .dropOldest) }, equals: "3, |")
  }

  @Test func leavesTheSourceWhenItEndsOrIsLeft() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-c|")
    expect(clock.play(source.observable.observe(on: clock)), equals: "a-b-c|")
    let other = try clock.hot("a-b-c|")
    let start = clock.now
    _ = clock.play(other.observable.observe(on: clock).take(2))
    expect(clock.now, equals: start + .seconds(5))
    expect(source.subscriptions, equals: ["^----!"])
    expect(other.subscriptions, equals: ["-----^-!"])
  }

  @Test func aSenderDoesNotWaitForASchedulerThatHasStopped() {
    let lane = SerialScheduler(name: "stopped")
    let subject = PublishSubject<Int>()
    let bag = Bag()
    subject.observable.observe(on: lane, capacity: 4).subscribe().disposed(by: bag)
    lane.stop()
    #expect(inThreads(1, patience: 10) { _ in for number in 0..<100 { subject.next(number) } })
    #expect(!subject.hasObservers)
  }

  @Test func aTaskFailsRatherThanHoldAThreadThatTheReceiverNeeds() async {
    let lane = SerialScheduler(name: "held up")
    let release = Flag()
    let failed = Flag()
    let bag = Bag()
    let subject = PublishSubject<Int>()
    subject.observable.observe(on: lane, capacity: 2).subscribe(
      next: { _ in _ = eventually(patience: 60) { release.isRaised } },
      fail: { error in
        #expect(error as? ReactiveError == .standstill(limit: 2))
        failed.raise()
      }
    ).disposed(by: bag)
    await Task.detached { for number in 0..<10 { subject.next(number) } }.value
    release.raise()
    #expect(eventually { failed.isRaised })
  }

  @Test func aTaskWaitsForAReceiverThatIsOnlySlow() async {
    let lane = SerialScheduler(name: "slow")
    let tally = Tally()
    let over = Flag()
    let bag = Bag()
    let subject = PublishSubject<Int>()
    subject.observable.observe(on: lane, capacity: 8).subscribe(
      next: { _ in
        usleep(300_000)
        tally.add()
      }, complete: { over.raise() }
    ).disposed(by: bag)
    await Task.detached {
      for number in 0..<10 { subject.next(number) }
      subject.complete()
    }.value
    #expect(eventually(patience: 60) { over.isRaised })
    expect(tally.value, equals: 10)
  }

  @Test func noLockIsHeldWhileTheOldestIsLetGo() {
    final class Leaver: Sendable {
      let subscription: Subscription
      init(_ subscription: Subscription) { self.subscription = subscription }
      deinit { subscription.dispose() }
    }
    let clock = VirtualScheduler()
    let subscription = Subscription()
    let back = inThreads(1, patience: 5) { _ in
      let subject = PublishSubject<Leaver>()
      subject.observable.observe(on: clock, capacity: 1, overflow: .dropOldest).subscribe(in: subscription)
      subject.next(Leaver(subscription))
      subject.next(Leaver(Subscription()))
    }
    #expect(back)
    #expect(subscription.isDisposed)
  }
}

@Suite struct SubscribeOnTests {
  @Test func startsTheSourceOnTheScheduler() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--|")
    let recording = clock.record(source.observable.subscribe(on: clock))
    #expect(source.subscriptions.isEmpty)
    clock.run()
    expect(recording.drawing.line, equals: "---b--|")  // a was said before the work got its turn
    expect(source.subscriptions, equals: ["^-----!"])
  }

  @Test func holdsTheSchedulerUntilTheSourceHasStarted() {
    let tally = Tally()
    let bag = Bag()
    for _ in 0..<200 {
      Observable.just(1).subscribe(on: SerialScheduler(name: "released")).subscribe(next: { tally.add($0) })
        .disposed(by: bag)
    }
    #expect(eventually { tally.value == 200 })
  }

  @Test func emitsWhatTheSourceDoes() throws {
    try expectMarbles("a--b--|") { try $0.cold("a--b--|").observable.subscribe(on: $0) }
    try expectMarbles("a-#") { try $0.cold("a-#").observable.subscribe(on: $0) }
    expect(outcome { Observable.from(1...2).subscribe(on: $0) }, equals: "1, 2, |")
  }

  @Test func disposedBeforeItsTurnItDoesNotStart() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    let recording = clock.record(source.observable.subscribe(on: clock))
    recording.subscription.dispose()
    clock.run()
    #expect(recording.records.isEmpty)
    #expect(source.subscriptions.isEmpty)
  }
}
