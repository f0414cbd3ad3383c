import Expectations
import Foundation
import Reactive
import ReactiveTesting
import TestScale
import Testing

/// Closures take so many seconds of virtual time: `slow(3)` three.
@Suite struct MapConcurrentlyTests {
  private static func waiting(_ clock: VirtualScheduler, _ log: Journal<String>)
    -> @Sendable (Int)
    async throws -> String
  {
    { seconds in
      log.note("+\(seconds)")
      do { try await Task.sleep(for: .seconds(seconds), clock: clock) } catch {
        log.note("cancelled \(seconds)")
        throw error
      }
      return "\(seconds)"
    }
  }

  private let seconds: [Character: Int] = ["a": 3, "b": 1, "c": 2]

  @Test func runsOneAfterAnotherUnlessTold() throws {
    try expectMarbles("---31-(2|)") { clock in
      try clock.hot("abc|", seconds).map(on: clock, Self.waiting(clock, Journal()))
    }
  }

  @Test func keepsTheOrderOfConcurrentOnes() throws {
    try expectMarbles("---(31)-(2|)") { clock in
      try clock.hot("abc|", seconds).map(concurrent: 2, on: clock, Self.waiting(clock, Journal()))
    }
    try expectMarbles("---(31)(2|)") { clock in
      try clock.hot("abc|", seconds).map(concurrent: 3, on: clock, Self.waiting(clock, Journal()))
    }
  }

  @Test func neverRunsMoreThanItMay() {
    let clock = VirtualScheduler()
    let running = Tally()
    let result = Journal<Int>()
    Observable.from(0..<20).map(concurrent: 3, on: clock) { number in
      running.add()
      #expect(running.value <= 3)
      try await Task.sleep(for: .seconds(number % 4), clock: clock)
      running.add(-1)
      return number
    }.subscribe(in: Subscription(), next: { result.note($0) })
    clock.run()
    expect(result.entries, equals: Array(0..<20))
  }

  @Test func anErrorCancelsTheOthersAndIsPassedOnAtOnce() throws {
    let log = Journal<String>()
    let clock = VirtualScheduler()
    let wait = Self.waiting(clock, log)
    let source = try clock.hot("abc---|", seconds)
    let mapped = source.map(concurrent: 3, on: clock) { number in
      let text = try await wait(number)
      if number == 1 { throw Oops() }
      return text
    }
    expect(clock.play(mapped), equals: "--#")
    expect(source.subscriptions, equals: ["^-!"])
    expect(log.entries, equals: ["+3", "+1", "+2", "cancelled 3", "cancelled 2"])
  }

  @Test func theEndOfTheSubscriptionCancelsWhatRunsAndWhatWaits() throws {
    let log = Journal<String>()
    let clock = VirtualScheduler()
    let source = try clock.hot("abc|", seconds)
    let mapped = source.map(on: clock, Self.waiting(clock, log))
    expect(clock.play(mapped, until: .seconds(1)), equals: "")
    expect(log.entries, equals: ["+3", "cancelled 3"])
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func moreThanTheBacklogIsAFailureThatNamesTheOperator() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abcba", seconds)
    let wait = Self.waiting(clock, Journal())
    let recordings = [
      clock.record(source.map(backlog: 1, on: clock, wait)),
      clock.record(source.filter(backlog: 1, on: clock) { try await wait($0).isEmpty }.map { "\($0)" }),
      clock.record(source.do(backlog: 1, on: clock, next: { _ = try await wait($0) }).map { "\($0)" }),
    ]
    clock.run()
    for (recording, name) in zip(recordings, ["map", "filter", "do"]) {
      #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of \(name)", limit: 1))
    }
  }

  @Test func aSequenceIsAskedForItsNextElementWhenAClosureHasEnded() {
    // Under a sanitizer fewer, so that it ends.
    let count = TestScale.count(100_000, atLeast: 1000, atMost: 100_000)
    for concurrent in [1, 3] {
      let clock = VirtualScheduler()
      let (sent, done) = (Tally(), Tally())
      let mapped = Observable.from(0..<count).do(next: { _ in sent.add() })
        .map(concurrent: concurrent, backlog: 1, on: clock) { number in
          #expect(sent.value - done.value <= concurrent)
          done.add()
          return number
        }
      let recording = clock.record(mapped.reduce(0) { sum, number in sum + number })
      clock.run(limit: 10_000_000)
      expect(recording.elements, equals: [count * (count - 1) / 2])
    }
  }

  @Test func severalSequencesAndAHotSourceGoOnTogether() throws {
    let clock = VirtualScheduler()
    let hot = try clock.hot("--c--a-|", seconds)
    let merged = Observable.merge([Observable.from([1, 1, 1]), hot, Observable.from([2, 2])])
    let recording = clock.record(merged.map(on: clock, Self.waiting(clock, Journal())))
    clock.run()
    expect(recording.elements.sorted(), equals: ["1", "1", "1", "2", "2", "2", "3"])
    #expect(recording.subscription.isDisposed)
  }

  @Test func aFullMailboxBelowSuspendsTheTasks() async throws {
    let lane = SerialScheduler(name: "slow")
    let mapped = Observable.from(0..<30).map(concurrent: 2) { $0 }.observe(on: lane, capacity: 1)
      .do(next: { number in if number == 3 { usleep(1_300_000) } })
    try await expect(mapped.toArray().value, equals: Array(0..<30))
  }

  @Test func whoSendsTheResultsOfTasksIsNotHeldUpByAFullMailbox() async throws {
    let (lane, tasks) = (SerialScheduler(name: "slow"), SlowToTake())
    let subject = PublishSubject<Int>()
    let results = subject.map(concurrent: 3, on: tasks) { number in
      while !tasks.isTaking.isRaised { await Task.yield() }
      return number
    }
    let (received, ended, bag) = (Journal<String>(), Flag(), Bag())
    results.observe(on: lane, capacity: 1).do(dispose: { ended.raise() })
      .subscribe(next: { received.note("\($0)") }, fail: { received.note("\($0)") }).disposed(by: bag)
    lane.perform { usleep(1_500_000) }
    subject.next(1)
    subject.next(2)
    // The thread of this test, a task, is in the operator while the first two end, and so sends their results.
    tasks.isSlow.raise()
    subject.next(3)
    subject.complete()
    while !ended.isRaised { try await Task.sleep(for: .milliseconds(10)) }
    expect(received.entries, equals: ["1", "2", "3"])
  }

  @Test func othersAreMadeOfIt() throws {
    try expectMarbles("---3--(2|)") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("abc|", seconds).filter(on: clock) { try await wait($0) != "1" }
    }
    try expectMarbles("---31-(2|)") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("abc|", seconds).do(on: clock, next: { _ = try await wait($0) })
    }
  }

  @Test func flatMapEmitsAsItComes() throws {
    try expectMarbles("--1(32)|") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("ab-c|", seconds).flatMap(on: clock) { number in
        .just(try await wait(min(number, number == 2 ? 0 : 3)))
      }.map { $0 == "0" ? "2" : $0 }
    }
  }

  @Test func runsOnTheThreadsOfAllTasksToo() async throws {
    let doubled = Observable.from(1...500).map(concurrent: 8) { number in
      await Task.yield()
      return number * 2
    }
    try await expect(doubled.reduce(into: []) { $0.append($1) }.value, equals: (1...500).map { $0 * 2 })
  }

  @Test func keepsTheOrderInWhicheverOrderTasksRun() {
    for seed in UInt64(0)..<UInt64(TestScale.count(200)) {
      let clock = VirtualScheduler(seed: seed)
      var random = SplitMix64(seed: seed)
      let limit = 1 + random.below(4)
      let pauses = (0..<12).map { _ in random.below(3) }
      let mapped = clock.record(
        Observable.from(0..<12).map(concurrent: limit, on: clock) { number in
          for _ in 0..<pauses[number] { await Task.yield() }
          try await Task.sleep(for: .seconds(pauses[11 - number]), clock: clock)
          return number
        })
      let merged = clock.record(
        Observable.from(0..<12).flatMap(concurrent: limit, on: clock) { number in
          await Task.yield()
          return .just(number)
        })
      #expect(clock.run(limit: 100_000), "seed \(seed)")
      expect(mapped.elements, equals: Array(0..<12), "seed \(seed)")
      expect(merged.elements.sorted(), equals: Array(0..<12), "seed \(seed)")
      #expect(mapped.subscription.isDisposed && merged.subscription.isDisposed, "seed \(seed)")
    }
  }

  @Test func whatIsSentInTheDeliveryOfAResultDoesNotOvertakeWhatWaits() {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let mapped = clock.record(
      subject.map(on: clock) { number in
        await Task.yield()
        return number
      }.do(next: { if $0 == 1 { subject.next(3) } }))
    subject.next(1)
    subject.next(2)
    clock.run()
    expect(mapped.elements, equals: [1, 2, 3])
  }

  @Test func takesElementsOfFourThreads() async throws {
    let many = TestScale.count(1000)
    let subject = PublishSubject<Int>()
    let (arrived, ended) = (Journal<Int>(), Tally())
    let values = subject.do(next: { arrived.note($0) })
      .map(concurrent: 6) { number in
        if number.isMultiple(of: 3) { await Task.yield() }
        return number
      }.toArray().values
    var iterator = values.makeAsyncIterator()
    for index in 0..<4 {
      Thread.detachNewThread {
        for number in 0..<many { subject.next(index * many + number) }
        if ended.next() == 4 { subject.complete() }
      }
    }
    let seen = try await iterator.next()
    expect(seen?.count, equals: 4 * many)
    expect(seen, equals: arrived.entries)
  }
}

/// A scheduler that takes 300 ms to take work from elsewhere, once it is slow.
private final class SlowToTake: Scheduler {
  let (isSlow, isTaking) = (Flag(), Flag())
  private let base = SerialScheduler(name: "tasks")

  var now: Instant { base.now }
  var isCurrent: Bool { base.isCurrent }

  func perform(_ work: @escaping @Sendable () -> Void) {
    if isSlow.isRaised, !isCurrent {
      isTaking.raise()
      usleep(300_000)
    }
    base.perform(work)
  }

  func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    base.schedule(at: deadline, work)
  }
}
