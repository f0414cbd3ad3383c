@testable import Reactive
import Testing

@Suite struct PublishSubjectTests {
  @Test func whoSubscribesGetsWhatComesFromThenOn() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    subject.next(1)
    let first = clock.record(subject.observable)
    subject.next(2)
    let second = clock.record(subject.observable)
    subject.next(3)
    #expect(first.elements == [2, 3])
    #expect(second.elements == [3])
  }

  @Test func whoComesAfterTheEndGetsTheEnd() {
    let subject = PublishSubject<Int>()
    subject.next(1)
    subject.fail(Oops())
    #expect(outcome { _ in subject.observable } == "#")
    let other = PublishSubject<Int>()
    other.complete()
    #expect(outcome { _ in other.observable } == "|")
  }

  @Test func theSecondTerminalAndWhatFollowsIsNotHeard() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let recording = clock.record(subject.observable)
    subject.complete()
    subject.fail(Oops())
    subject.next(1)
    #expect(recording.drawing.line == "|")
  }

  @Test func whatIsSentFromInsideADeliveryComesToAllAfterIt() {
    let subject = PublishSubject<Int>()
    let log = Journal<String>()
    subject.observable.subscribe(next: { value in
      log.note("first \(value)")
      if value == 1 { subject.next(2) }
    })
    subject.observable.subscribe(next: { log.note("second \($0)") })
    subject.next(1)
    #expect(log.entries == ["first 1", "second 1", "first 2", "second 2"])
  }

  @Test func membersMayLeaveAndJoinDuringADelivery() {
    let subject = PublishSubject<Int>()
    let log = Journal<String>()
    let second = Subscription()
    subject.observable.subscribe(next: { value in
      if value == 1 {
        second.dispose()
        subject.observable.subscribe(next: { log.note("third \($0)") })
      }
    })
    subject.observable.subscribe(in: second, next: { log.note("second \($0)") })
    subject.next(1)
    subject.next(2)
    #expect(log.entries == ["third 2"])
  }

  @Test func severalAtOnceAreTheSameAsOneByOne() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let recordings = [clock.record(subject.observable), clock.record(subject.observable.take(2))]
    subject.next(batch: [1, 2, 3])
    #expect(recordings[0].elements == [1, 2, 3])
    #expect(recordings[1].drawing.line == "(12|)")
  }

  @Test func knowsWhetherAnybodyIsSubscribed() {
    let subject = PublishSubject<Int>()
    #expect(!subject.hasObservers)
    let first = subject.observable.subscribe()
    let second = subject.observable.subscribe()
    first.dispose()
    #expect(subject.hasObservers)
    second.dispose()
    #expect(!subject.hasObservers)
    subject.observable.subscribe()
    subject.complete()
    #expect(!subject.hasObservers)
  }

  @Test func leavingInGreatNumbersDoesNotWaitForADelivery() {
    let subject = PublishSubject<Int>()
    let others = (0..<3000).map { _ in subject.observable.subscribe() }
    let back = Flag()
    subject.observable.subscribe(next: { _ in
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
    let first = clock.record(subject.observable)
    subject.next("Go")
    let second = clock.record(subject.observable)
    subject.next("Hold")
    #expect(first.elements == ["TBD", "Go", "Hold"])
    #expect(second.elements == ["Go", "Hold"])
  }

  @Test func thePresentValueCanBeRead() {
    let subject = BehaviorSubject(1)
    #expect(subject.value == 1)
    subject.next(2)
    subject.next(batch: [3, 4])
    #expect(subject.value == 4)
    subject.complete()
    subject.next(5)
    #expect(subject.value == 4)
  }

  @Test func afterTheEndOnlyTheEndIsTold() {
    let subject = BehaviorSubject(1)
    subject.complete()
    #expect(outcome { _ in subject.observable } == "|")
    let failed = BehaviorSubject(1)
    failed.fail(Oops())
    #expect(outcome { _ in failed.observable } == "#")
  }

  @Test func mayBeSetFromInsideADelivery() {
    let subject = BehaviorSubject(0)
    let log = Journal<Int>()
    subject.observable.subscribe(next: { value in
      log.note(value)
      if value < 3 { subject.next(value + 1) }
    })
    #expect(log.entries == [0, 1, 2, 3])
    #expect(subject.value == 3)
  }

  @Test func oneValueIsEnoughForSome() {
    let subject = BehaviorSubject(7)
    #expect(outcome { _ in subject.observable.take(1) } == "7, |")
    #expect(!subject.hasObservers)
  }

  @Test func endedFromInsideADeliveryItTellsOnlyTheEndToo() {
    let subject = BehaviorSubject(1)
    let log = Journal<String>()
    subject.observable.subscribe(next: { _ in
      subject.complete()
      subject.observable.subscribe(next: { log.note("\($0)") }, complete: { log.note("|") })
    })
    #expect(log.entries == ["|"])
  }
}

@Suite struct ReplaySubjectTests {
  @Test func whoSubscribesGetsTheLastElementsFirst() {
    let clock = VirtualScheduler()
    let subject = ReplaySubject<String>(limit: 2)
    for line in ["a", "b", "c"] { subject.next(line) }
    let recording = clock.record(subject.observable)
    subject.next("d")
    #expect(recording.elements == ["b", "c", "d"])
  }

  @Test func tellsTheEndAfterThem() {
    let subject = ReplaySubject<Int>(limit: 2)
    subject.next(batch: [1, 2, 3])
    subject.complete()
    subject.next(4)
    #expect(outcome { _ in subject.observable } == "2, 3, |")
    let failed = ReplaySubject<Int>(limit: 2)
    failed.next(1)
    failed.fail(Oops())
    #expect(outcome { _ in failed.observable } == "1, #")
  }

  @Test func disposingDuringTheReplayStopsIt() {
    let subject = ReplaySubject<Int>(limit: 9)
    for number in 1...5 { subject.next(number) }
    #expect(outcome { _ in subject.observable.take(2) } == "1, 2, |")
    #expect(!subject.hasObservers)
  }

  @Test func withoutAMemoryItOnlyPublishes() {
    let subject = ReplaySubject<Int>(limit: 0)
    let log = Journal<Int>()
    subject.next(1)
    subject.observable.subscribe(next: { log.note($0) })
    subject.next(batch: [2, 3])
    #expect(log.entries == [2, 3])
  }

  @Test func whatIsSentDuringTheReplayComesAfterIt() {
    let subject = ReplaySubject<Int>(limit: 9)
    subject.next(batch: [1, 2])
    let log = Journal<Int>()
    subject.observable.subscribe(next: { value in
      log.note(value)
      if value == 1 { subject.next(3) }
    })
    #expect(log.entries == [1, 2, 3])
  }
}
