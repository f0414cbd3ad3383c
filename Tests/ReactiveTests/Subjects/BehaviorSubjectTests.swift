@testable import Reactive
import Testing

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
