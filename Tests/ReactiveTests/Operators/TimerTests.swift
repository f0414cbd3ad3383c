import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TimerTests {
  @Test func emitsZeroAfterADelay() throws {
    try expectMarbles("---(0|)") { Observable.timer(after: .seconds(3), on: $0) }
    expect(outcome { Observable.timer(after: .seconds(1), on: $0) }, equals: "0, |")
  }

  @Test func goesOnCountingGivenAPeriod() throws {
    try expectMarbles("-0--1--2--3", until: .seconds(11)) {
      Observable.timer(after: .seconds(1), every: .seconds(3), on: $0)
    }
  }

  @Test func noDelayIsTheSameInstant() throws {
    try expectMarbles("(0|)") { Observable.timer(after: .zero, on: $0) }
    try expectMarbles("--(0|)", from: .seconds(2)) { Observable.timer(after: .seconds(-5), on: $0) }
  }

  @Test func disposingTakesTheTimerBack() {
    let clock = VirtualScheduler()
    let subscription = Observable.timer(after: .seconds(3), on: clock).subscribe()
    expect(clock.pending, equals: 1)
    subscription.dispose()
    expect(clock.pending, equals: 0)
  }

  @Test func disposedFromInsideATickItStops() throws {
    let clock = VirtualScheduler()
    expect(
      clock.play(Observable.timer(after: .zero, every: .seconds(2), on: clock).take(2)), equals: "0-(1|)")
    expect(clock.pending, equals: 0)
  }

  @Test func aBeginningLongPastIsNoReasonToCountFast() throws {
    for past in [Duration.seconds(-200 * 365 * 86_400), .seconds(Int64.min)] {
      let clock = VirtualScheduler()
      let recording = clock.record(
        Observable.timer(after: past, every: .seconds(100 * 365 * 86_400), on: clock).take(3))
      clock.run(limit: 1000)
      expect(recording.elements, equals: [0, 1, 2])
    }
  }
}

@Suite struct IntervalTests {
  @Test func countsFromZero() throws {
    try expectMarbles("---0--1--2", until: .seconds(10)) { Observable.interval(.seconds(3), on: $0) }
    expect(outcome { Observable.interval(.seconds(1), on: $0).take(3) }, equals: "0, 1, 2, |")
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    expect(clock.play(Observable.interval(.seconds(3), on: clock), until: .seconds(4)), equals: "---0")
    expect(clock.pending, equals: 0)
  }

  @Test func leavesOutTheTicksThatNobodyHadTimeForAndStaysInStep() {
    let clock = VirtualScheduler()
    let slow = Observable.interval(.seconds(3), on: clock).do(next: { number in
      if number == 0 { clock.advance(by: .seconds(7)) }
    })
    let recording = clock.record(slow.take(3))
    clock.run()
    expect(recording.records.map(\.time.nanoseconds), equals: [10, 12, 15, 15].map { $0 * 1_000_000_000 })
    expect(recording.elements, equals: [0, 1, 2])
  }

  @Test func startsAnewForEachSubscriber() throws {
    try expectMarbles("-----0-1", from: .seconds(3), until: .seconds(8)) {
      Observable.interval(.seconds(2), on: $0)
    }
  }
}
