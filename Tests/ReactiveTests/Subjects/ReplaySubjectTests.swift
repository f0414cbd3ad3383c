@testable import Reactive
import Testing

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
