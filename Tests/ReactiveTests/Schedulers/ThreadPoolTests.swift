import Expectations
import Glibc
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
      expect(log.entries, equals: Array(0..<200))
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
    expect(counts.withLock { $0.most }, equals: 2)
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

  @Test func workIsDoneThoughAllElseIsBlocked() {
    let pool = ThreadPool(threads: 40)
    let (gate, after) = (Flag(), Flag())
    for _ in 0..<39 { pool.makeScheduler().perform { _ = eventually { gate.isRaised } } }
    pool.makeScheduler().perform { after.raise() }
    #expect(eventually { after.isRaised })
    gate.raise()
  }

  @Test func aPartLeavesThreadsForOthers() {
    let pool = ThreadPool(threads: 8)
    let part = pool.part(threads: 4)
    let inner = part.part(threads: 2)
    let (gate, done) = (Flag(), Journal<Int>())
    let running = Locked((inner: 0, all: 0))
    for number in 0..<10 {
      let isInner = number < 5
      (isInner ? inner.makeScheduler() : part.makeScheduler()).perform {
        running.withLock { running in
          running.all += 1
          if isInner { running.inner += 1 }
        }
        _ = eventually { gate.isRaised }
        done.note(number)
      }
    }
    #expect(eventually { running.withLock { $0.all } == 4 })
    expect(running.withLock { $0.inner }, equals: 2)
    let other = Flag()
    pool.makeScheduler().perform { other.raise() }
    #expect(eventually { other.isRaised })
    expect(running.withLock { $0.all }, equals: 4)
    gate.raise()
    #expect(eventually { done.count == 10 })
    expect(Set(done.entries), equals: Set(0..<10))
  }

  @Test func aSchedulerOfAFullPartHasItsTurn() {
    let pool = ThreadPool(threads: 4)
    let part = pool.part(threads: 1)
    let (first, second, log) = (part.makeScheduler(), part.makeScheduler(), Journal<Int>())
    for number in 0..<100 {
      first.perform { log.note(number) }
      second.perform { log.note(1000 + number) }
    }
    #expect(eventually { log.count == 200 })
    expect(log.entries.filter { $0 < 1000 }, equals: Array(0..<100))
    expect(log.entries.filter { $0 >= 1000 }, equals: Array(1000..<1100))
  }

  @Test func noThreadIsStartedForWhatTheCoresAreBusyWith() {
    let pool = ThreadPool(threads: 64, name: "busy pool")
    let (over, done) = (Flag(), Journal<Int>())
    for number in 0..<64 {
      pool.makeScheduler().perform {
        let end = MonotonicClock.now + .milliseconds(5)
        while MonotonicClock.now < end, !over.isRaised {}
        done.note(number)
      }
    }
    #expect(eventually { done.count == 64 })
    over.raise()
    // Another process may have the cores; then some are.
    #expect(threads(named: "busy pool") < 48)
  }

  @Test func whatIsReleasedWithItsSchedulersEndsItsThreads() {
    var pool: ThreadPool? = ThreadPool(threads: 2, name: "short pool")
    let ran = Flag()
    pool?.makeScheduler().perform { ran.raise() }
    #expect(eventually { ran.isRaised })
    pool = nil
    #expect(eventually { threads(named: "short pool") == 0 })
  }

  private func threads(named name: String) -> Int {
    let folder = "/proc/self/task"
    guard let directory = opendir(folder) else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while let entry = readdir(directory) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let file = fopen("\(folder)/\(number)/comm", "r") else { continue }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 64)
      if fgets(&line, 64, file) != nil, line.starts(with: name.utf8.map { CChar(bitPattern: $0) }) {
        count += 1
      }
    }
    return count
  }

  @Test("work that comes just as a thread ends for lack of it is run")
  func workAtTheEndOfARest() {
    let pool = ThreadPool(
      threads: 16, name: "pool", speed: .real, helpDelay: .microseconds(200), rest: .microseconds(300))
    let schedulers = (0..<8).map { _ in pool.makeScheduler() }
    for _ in 0..<1500 {
      // What blocks makes extra threads, which rest soon.
      let done = ConditionLock(0)
      for scheduler in schedulers {
        scheduler.perform {
          usleep(600)
          done.change { $0 += 1 }
        }
      }
      _ = done.wait { $0 == 8 ? true : nil }
      usleep(UInt32.random(in: 50..<700))
      for scheduler in schedulers.prefix(3) {
        let one = ConditionLock(false)
        scheduler.perform { one.change { $0 = true } }
        guard one.wait(until: MonotonicClock.now + .seconds(20), for: { $0 ? true : nil }) != nil else {
          Issue.record("a piece of work has not run")
          return
        }
        usleep(UInt32.random(in: 0..<400))
      }
    }
  }
}
