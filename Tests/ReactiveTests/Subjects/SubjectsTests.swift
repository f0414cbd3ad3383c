import Expectations
@testable import Reactive
import ReactiveTesting
import TestScale
import Testing

@Suite struct PublishSubjectTests {
  @Test func subjectsRelaysAndConnectablesAreObservables() {
    let clock = VirtualScheduler()
    let (name, count, stop) = (BehaviorSubject("a"), BehaviorRelay(1), PublishSubject<Void>())
    let both = Observable.combineLatest(name, count) { "\($0)\($1)" }.take(until: stop).publish()
    let recording = clock.record(both.map { $0.uppercased() })
    both.connect()
    name.next("b")
    count.next(2)
    stop.next(())
    expect(recording.drawing.legend, equals: ["a = A1", "b = B1", "c = B2"])
    expect(recording.drawing.line, equals: "(abc|)")
    expect(name.value, equals: "b")
  }

  @Test func anObservableOfASubjectIsNotFed() {
    let subject: Observable<Int> = PublishSubject<Int>()
    let face = PublishSubject<Int>().observable
    #expect(subject is any Observer)
    #expect(!(face is any Observer))
  }

  @Test func aChainOfASubjectDoesNotOutliveIt() {
    var subject: PublishSubject<Canary>? = PublishSubject()
    weak let canary: Canary?
    do {
      let new = Canary()
      canary = new
      _ = subject?.map { $0 }.subscribe(next: { _ in new.chirp() })
    }
    #expect(canary != nil)
    subject = nil
    expectNil(canary)
  }

  @Test func whoSubscribesGetsWhatComesFromThenOn() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    subject.next(1)
    let first = clock.record(subject)
    subject.next(2)
    let second = clock.record(subject)
    subject.next(3)
    expect(first.elements, equals: [2, 3])
    expect(second.elements, equals: [3])
  }

  @Test func whoComesAfterTheEndGetsTheEnd() {
    let subject = PublishSubject<Int>()
    subject.next(1)
    subject.fail(Oops())
    expect(outcome { _ in subject }, equals: "#")
    let other = PublishSubject<Int>()
    other.complete()
    expect(outcome { _ in other }, equals: "|")
  }

  @Test func theSecondTerminalAndWhatFollowsIsNotHeard() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let recording = clock.record(subject)
    subject.complete()
    subject.fail(Oops())
    subject.next(1)
    expect(recording.drawing.line, equals: "|")
  }

  @Test func whatIsSentFromInsideADeliveryComesToAllAfterIt() {
    let subject = PublishSubject<Int>()
    let log = Journal<String>()
    _ = subject.subscribe(next: { value in
      log.note("first \(value)")
      if value == 1 { subject.next(2) }
    })
    _ = subject.subscribe(next: { log.note("second \($0)") })
    subject.next(1)
    expect(log.entries, equals: ["first 1", "second 1", "first 2", "second 2"])
  }

  @Test func membersMayLeaveAndJoinDuringADelivery() {
    let subject = PublishSubject<Int>()
    let log = Journal<String>()
    let second = Subscription()
    _ = subject.subscribe(next: { value in
      if value == 1 {
        second.dispose()
        _ = subject.subscribe(next: { log.note("third \($0)") })
      }
    })
    subject.subscribe(in: second, next: { log.note("second \($0)") })
    subject.next(1)
    subject.next(2)
    expect(log.entries, equals: ["third 2"])
  }

  @Test func severalAtOnceAreTheSameAsOneByOne() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let recordings = [clock.record(subject), clock.record(subject.take(2))]
    subject.next(batch: [1, 2, 3])
    expect(recordings[0].elements, equals: [1, 2, 3])
    expect(recordings[1].drawing.line, equals: "(12|)")
  }

  @Test func knowsWhetherAnybodyIsSubscribed() {
    let subject = PublishSubject<Int>()
    #expect(!subject.hasObservers)
    let first = subject.subscribe()
    let second = subject.subscribe()
    first.dispose()
    #expect(subject.hasObservers)
    second.dispose()
    #expect(!subject.hasObservers)
    _ = subject.subscribe()
    subject.complete()
    #expect(!subject.hasObservers)
  }

  @Test func leavingInGreatNumbersDoesNotWaitForADelivery() {
    let subject = PublishSubject<Int>()
    let others = (0..<3000).map { _ in subject.subscribe() }
    let back = Flag()
    _ = subject.subscribe(next: { _ in
      if inThreads(1, patience: 5, { _ in for other in others { other.dispose() } }) { back.raise() }
    })
    subject.next(1)
    #expect(back.isRaised)
  }
}

@Suite struct BehaviorSubjectTests {
  @Test func whoSubscribesGetsThePresentValueFirst() {
    let clock = VirtualScheduler()
    let subject = BehaviorSubject("TBD")
    let first = clock.record(subject)
    subject.next("Go")
    let second = clock.record(subject)
    subject.next("Hold")
    expect(first.elements, equals: ["TBD", "Go", "Hold"])
    expect(second.elements, equals: ["Go", "Hold"])
  }

  @Test func thePresentValueCanBeRead() {
    let subject = BehaviorSubject(1)
    expect(subject.value, equals: 1)
    subject.next(2)
    subject.next(batch: [3, 4])
    expect(subject.value, equals: 4)
    subject.complete()
    subject.next(5)
    expect(subject.value, equals: 4)
  }

  @Test func afterTheEndOnlyTheEndIsTold() {
    let subject = BehaviorSubject(1)
    subject.complete()
    expect(outcome { _ in subject }, equals: "|")
    let failed = BehaviorSubject(1)
    failed.fail(Oops())
    expect(outcome { _ in failed }, equals: "#")
  }

  @Test func mayBeSetFromInsideADelivery() {
    let subject = BehaviorSubject(0)
    let log = Journal<Int>()
    _ = subject.subscribe(next: { value in
      log.note(value)
      if value < 3 { subject.next(value + 1) }
    })
    expect(log.entries, equals: [0, 1, 2, 3])
    expect(subject.value, equals: 3)
  }

  @Test func theLastValueSentIsPresentAtOnce() {
    let subject = BehaviorSubject(0)
    let log = Journal<Int>()
    let bag = Bag()
    subject.subscribe(next: { value in
      if value != 10 { return }
      subject.next(subject.value + 1)
      subject.next(subject.value + 1)
      log.note(subject.value)
    }).disposed(by: bag)
    subject.next(10)
    expect(log.entries, equals: [12])
    expect(subject.value, equals: 12)
  }

  @Test func countsUnderALockWhileOthersComeAndGo() {
    let subject = BehaviorSubject(0)
    let lock = Locked(())
    let over = Flag()
    let back = inThreads(3, patience: 60) { index in
      if index == 2 {
        while !over.isRaised { subject.subscribe().dispose() }
        return
      }
      for _ in 0..<20_000 { lock.withLock { _ in subject.next(subject.value + 1) } }
      if index == 0 { over.raise() }
    }
    #expect(back)
    expect(subject.value, equals: 40_000)
  }

  @Test func thePresentValueIsThereWhenSubscribeReturns() {
    let subject = BehaviorSubject(0)
    let over = Flag()
    let missing = Tally()
    let doubled = Tally()
    let bag = Bag()
    subject.subscribe(next: { _ in for _ in 0..<50 { _ = over.isRaised } }).disposed(by: bag)
    let back = inThreads(2, patience: 60) { index in
      if index == 0 {
        var number = 0
        while !over.isRaised {
          number += 1
          subject.next(number)
        }
        return
      }
      for _ in 0..<TestScale.count(2000) {
        let seen = Journal<Int>()
        let subscription = subject.subscribe(next: { seen.note($0) })
        if seen.entries.isEmpty { missing.add() }
        subscription.dispose()
        let entries = seen.entries
        // In order, and none of them missing: each is one more than the one before.
        if let first = entries.first, entries != Array(first..<first + entries.count) { doubled.add() }
      }
      over.raise()
    }
    #expect(back)
    expect(missing.value, equals: 0)
    expect(doubled.value, equals: 0)
  }

  @Test func thePresentValueIsThereInsideItsOwnDelivery() {
    let subject = BehaviorSubject(7)
    let log = Journal<Int>()
    let bag = Bag()
    subject.subscribe(next: { _ in
      subject.take(1).subscribe(next: { log.note($0) }).disposed(by: bag)
      log.note(0)
    }).disposed(by: bag)
    subject.next(8)
    expect(log.entries, equals: [7, 0, 8, 0])
  }

  @Test func doesNotKeepWhatHasBeenReplaced() {
    weak var first: Canary?
    let subject: BehaviorSubject<Canary?>
    do {
      let canary = Canary()
      first = canary
      subject = BehaviorSubject(canary)
    }
    #expect(first != nil)
    subject.next(nil)
    expectNil(first)
  }

  @Test func noLockIsHeldWhileWhatIsReplacedIsLetGo() {
    final class Sender: Sendable {
      let subject: BehaviorSubject<AnyObject & Sendable>
      init(_ subject: BehaviorSubject<AnyObject & Sendable>) { self.subject = subject }
      deinit { subject.next(Canary()) }
    }
    let back = inThreads(1, patience: 10) { _ in
      let subject = BehaviorSubject<AnyObject & Sendable>(Canary())
      subject.next(Sender(subject))
      subject.next(Canary())
      subject.next(Sender(subject))
      subject.next(batch: [Canary(), Canary()])
    }
    #expect(back)
  }

  @Test func oneValueIsEnoughForSome() {
    let subject = BehaviorSubject(7)
    expect(outcome { _ in subject.take(1) }, equals: "7, |")
    #expect(!subject.hasObservers)
  }

  @Test func endedFromInsideADeliveryItTellsOnlyTheEndToo() {
    let subject = BehaviorSubject(1)
    let log = Journal<String>()
    _ = subject.subscribe(next: { _ in
      subject.complete()
      _ = subject.subscribe(next: { log.note("\($0)") }, complete: { log.note("|") })
    })
    expect(log.entries, equals: ["|"])
  }
}

@Suite struct ReplaySubjectTests {
  @Test func whoSubscribesGetsTheLastElementsFirst() {
    let clock = VirtualScheduler()
    let subject = ReplaySubject<String>(limit: 2)
    for line in ["a", "b", "c"] { subject.next(line) }
    let recording = clock.record(subject)
    subject.next("d")
    expect(recording.elements, equals: ["b", "c", "d"])
  }

  @Test func tellsTheEndAfterThem() {
    let subject = ReplaySubject<Int>(limit: 2)
    subject.next(batch: [1, 2, 3])
    subject.complete()
    subject.next(4)
    expect(outcome { _ in subject }, equals: "2, 3, |")
    let failed = ReplaySubject<Int>(limit: 2)
    failed.next(1)
    failed.fail(Oops())
    expect(outcome { _ in failed }, equals: "1, #")
  }

  @Test func disposingDuringTheReplayStopsIt() {
    let subject = ReplaySubject<Int>(limit: 9)
    for number in 1...5 { subject.next(number) }
    expect(outcome { _ in subject.take(2) }, equals: "1, 2, |")
    #expect(!subject.hasObservers)
  }

  @Test func withoutAMemoryItOnlyPublishes() {
    let subject = ReplaySubject<Int>(limit: 0)
    let log = Journal<Int>()
    subject.next(1)
    _ = subject.subscribe(next: { log.note($0) })
    subject.next(batch: [2, 3])
    expect(log.entries, equals: [2, 3])
  }

  @Test func whatIsSentDuringTheReplayComesAfterIt() {
    let subject = ReplaySubject<Int>(limit: 9)
    subject.next(batch: [1, 2])
    let log = Journal<Int>()
    _ = subject.subscribe(next: { value in
      log.note(value)
      if value == 1 { subject.next(3) }
    })
    expect(log.entries, equals: [1, 2, 3])
  }
}
