import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct VirtualSchedulerTests {
  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  @Test func runsWorkInTheOrderOfTimeAndThenOfSetting() {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    _ = clock.schedule(at: second(2)) { log.note("late") }
    _ = clock.schedule(at: second(1)) { log.note("first") }
    _ = clock.schedule(at: second(1)) { log.note("second") }
    clock.perform { log.note("now") }
    #expect(log.entries.isEmpty)
    #expect(clock.run())
    expect(log.entries, equals: ["now", "first", "second", "late"])
    expect(clock.now, equals: second(2))
  }

  @Test func advancesAsFarAsToldAndNoFurther() {
    let clock = VirtualScheduler()
    let log = Journal<Int>()
    for time in 1...4 { _ = clock.schedule(at: second(time)) { log.note(time) } }
    clock.advance(by: .seconds(2))
    expect(log.entries, equals: [1, 2])
    expect(clock.now, equals: second(2))
    expect(clock.pending, equals: 2)
    clock.advance(to: second(1))
    expect(clock.now, equals: second(2))
    clock.advance(to: second(9))
    expect(log.entries, equals: [1, 2, 3, 4])
    expect(clock.now, equals: second(9))
  }

  @Test func workMaySetWorkForTheSameInstant() {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    _ = clock.schedule(after: .seconds(1)) {
      log.note("a")
      clock.perform { log.note("c") }
    }
    _ = clock.schedule(after: .seconds(1)) { log.note("b") }
    clock.advance(by: .seconds(1))
    expect(log.entries, equals: ["a", "b", "c"])
  }

  @Test func whatIsDueInThePastRunsNow() {
    let clock = VirtualScheduler()
    clock.advance(by: .seconds(5))
    let times = Journal<Instant>()
    _ = clock.schedule(at: second(1)) { times.note(clock.now) }
    clock.run()
    expect(times.entries, equals: [second(5)])
  }

  @Test func disposingTakesWorkBack() {
    let clock = VirtualScheduler()
    let log = Journal<Int>()
    let timer = clock.schedule(after: .seconds(1)) { log.note(1) }
    let other = clock.schedule(after: .seconds(1)) { log.note(2) }
    timer.dispose()
    expect(clock.pending, equals: 1)
    clock.run()
    other.dispose()
    expect(log.entries, equals: [2])
  }

  @Test func workMayTakeBackWhatIsDueAtTheSameInstant() {
    let clock = VirtualScheduler()
    let log = Journal<Int>()
    let second = Subscription()
    _ = clock.schedule(after: .seconds(1)) { second.dispose() }
    let timer = clock.schedule(after: .seconds(1)) { log.note(2) }
    second.onDispose { timer.dispose() }
    clock.run()
    #expect(log.entries.isEmpty)
  }

  @Test func aRunThatDoesNotEndCanBeLimited() {
    let clock = VirtualScheduler()
    let subscription = Observable.interval(.seconds(1), on: clock).subscribe()
    #expect(!clock.run(limit: 10))
    subscription.dispose()
    #expect(clock.run(limit: 0))
  }

  @Test func aSeedDrawsTheOrderOfOneInstantAndAlwaysTheSame() {
    func order(_ seed: UInt64?) -> [Int] {
      let clock = VirtualScheduler(seed: seed)
      let log = Journal<Int>()
      for number in 0..<20 { clock.perform { log.note(number) } }
      _ = clock.schedule(after: .seconds(1)) { log.note(99) }
      clock.run()
      return log.entries
    }
    expect(order(nil), equals: Array(0..<20) + [99])
    expect(order(1), equals: order(1))
    #expect(order(1) != order(2))
    expect(order(1).sorted(), equals: order(nil))
    expect(order(1).last, equals: 99)
  }

  @Test func itsExampleIsTrue() {
    let clock = VirtualScheduler()
    let log = Journal<Int>()
    _ = Observable.interval(.seconds(3600), on: clock).subscribe(next: { log.note($0) })
    clock.advance(by: .seconds(7200))
    expect(log.entries, equals: [0, 1])
  }

  @Test func theTokenOfATimerEndsWhenItHasRun() {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let timer = clock.schedule(after: .seconds(1)) { log.note("work") }
    timer.onDispose { log.note("end") }
    clock.run()
    expect(log.entries, equals: ["work", "end"])
  }

  @Test func isAClockInWhoseTimeTasksSleep() {
    let clock = VirtualScheduler()
    let recording = clock.record(
      Observable.task(on: clock) {
        try await Task.sleep(for: .seconds(3600), clock: clock)
        try await clock.sleep(until: clock.now + .seconds(3600))
        return clock.now
      })
    clock.advance(by: .seconds(7199))
    #expect(recording.elements.isEmpty)
    clock.advance(by: .seconds(1))
    expect(recording.elements, equals: [second(7200)])
  }

  @Test func aTaskThatIsCancelledInItsSleepIsWoken() {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let subscription = Observable.task(on: clock) {
      do { try await Task.sleep(for: .seconds(3600), clock: clock) } catch { log.note("\(type(of: error))") }
    }.subscribe()
    clock.advance(by: .seconds(1))
    subscription.dispose()
    #expect(clock.run())
    expect(log.entries, equals: ["CancellationError"])
    expect(clock.now, equals: second(1), "the timer went with the sleep")
  }
}
