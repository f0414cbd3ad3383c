@testable import Reactive
import Testing

@Suite struct IntervalTests {
  @Test func countsFromZero() throws {
    try expectMarbles("---0--1--2", until: .seconds(10)) { Observable.interval(.seconds(3), on: $0) }
    #expect(outcome { Observable.interval(.seconds(1), on: $0).take(3) } == "0, 1, 2, |")
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    #expect(clock.play(Observable.interval(.seconds(3), on: clock), until: .seconds(4)) == "---0")
    #expect(clock.pending == 0)
  }

  @Test func leavesOutTheTicksThatNobodyHadTimeForAndStaysInStep() {
    let clock = VirtualScheduler()
    let slow = Observable.interval(.seconds(3), on: clock).do(next: { number in
      if number == 0 { clock.advance(by: .seconds(7)) }
    })
    let recording = clock.record(slow.take(3))
    clock.run()
    #expect(recording.records.map(\.time.nanoseconds) == [10, 12, 15, 15].map { $0 * 1_000_000_000 })
    #expect(recording.elements == [0, 1, 2])
  }

  @Test func startsAnewForEachSubscriber() throws {
    try expectMarbles("-----0-1", from: .seconds(3), until: .seconds(8)) {
      Observable.interval(.seconds(2), on: $0)
    }
  }
}
