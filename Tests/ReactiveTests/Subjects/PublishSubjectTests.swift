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
