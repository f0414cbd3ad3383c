import Expectations
@testable import Reactive
import Testing

@Suite struct ImmediateSchedulerTests {
  @Test func runsWorkAtOnceAndWhatItAsksForAfterIt() {
    let scheduler = ImmediateScheduler()
    let log = Journal<String>()
    scheduler.perform {
      log.note("a")
      scheduler.perform { log.note("c") }
      log.note("b")
    }
    expect(log.entries, equals: ["a", "b", "c"])
  }

  @Test func isCurrentOnlyInsideItsWork() {
    let scheduler = ImmediateScheduler()
    let log = Journal<Bool>()
    #expect(!scheduler.isCurrent)
    scheduler.perform { log.note(scheduler.isCurrent) }
    expect(log.entries, equals: [true])
    #expect(!scheduler.isCurrent)
  }

  @Test func whatIsDueRunsAtOnce() {
    let scheduler = ImmediateScheduler()
    let log = Journal<String>()
    let timer = scheduler.schedule(at: scheduler.now) { log.note("x") }
    expect(log.entries, equals: ["x"])
    #expect(timer.isDisposed)
  }
}
