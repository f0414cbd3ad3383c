@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ThreadPoolTests {
  @Test func theWorkOfOneSchedulerRunsInOrder() {
    let pool = ThreadPool(threads: 3)
    let schedulers = (0..<20).map { _ in pool.makeScheduler() }
    let logs = schedulers.map { _ in Journal<Int>() }
    for number in 0..<200 {
      for (scheduler, log) in zip(schedulers, logs) { scheduler.perform { log.note(number) } }
    }
    for log in logs {
      #expect(eventually { log.count == 200 })
      #expect(log.entries == Array(0..<200))
    }
  }

  @Test func asMuchRunsAtOnceAsThereAreThreads() {
    let pool = ThreadPool(threads: 2)
    let gate = Flag()
    let counts = Locked((running: 0, most: 0))
    let done = Journal<Int>()
    for number in 0..<5 {
      pool.makeScheduler().perform {
        counts.withLock { counts in
          counts.running += 1
          counts.most = max(counts.most, counts.running)
        }
        _ = eventually { gate.isRaised }
        counts.withLock { $0.running -= 1 }
        done.note(number)
      }
    }
    #expect(eventually { counts.withLock { $0.running } == 2 })
    #expect(!eventually(patience: 0.05) { counts.withLock { $0.running } > 2 })
    gate.raise()
    #expect(eventually { done.count == 5 })
    #expect(counts.withLock { $0.most } == 2)
  }

  @Test func aBlockedSchedulerDelaysNoOther() {
    let pool = ThreadPool(threads: 2)
    let (gate, others) = (Flag(), Journal<Int>())
    pool.makeScheduler().perform { _ = eventually { gate.isRaised } }
    for number in 0..<50 { pool.makeScheduler().perform { others.note(number) } }
    #expect(eventually { others.count == 50 })
    gate.raise()
  }

  @Test func timersRunOnTheirSchedulerAndCanBeCancelled() {
    let pool = ThreadPool(threads: 1)
    let scheduler = pool.makeScheduler()
    let (ran, cancelled, isOn) = (Flag(), Flag(), Flag())
    let timer = scheduler.schedule(after: .milliseconds(20)) { cancelled.raise() }
    timer.dispose()
    _ = scheduler.schedule(after: .milliseconds(1)) {
      if scheduler.isCurrent { isOn.raise() }
      ran.raise()
    }
    #expect(eventually { ran.isRaised })
    #expect(isOn.isRaised && !scheduler.isCurrent)
    #expect(!eventually(patience: 0.05) { cancelled.isRaised })
  }

  @Test func stoppedItRunsNothingElse() {
    let pool = ThreadPool(threads: 1)
    let (gate, after) = (Flag(), Flag())
    let scheduler = pool.makeScheduler()
    scheduler.perform { _ = eventually { gate.isRaised } }
    scheduler.perform { after.raise() }
    pool.makeScheduler().perform { after.raise() }
    pool.stop()
    gate.raise()
    scheduler.perform { after.raise() }
    #expect(!eventually(patience: 0.1) { after.isRaised })
  }
}
