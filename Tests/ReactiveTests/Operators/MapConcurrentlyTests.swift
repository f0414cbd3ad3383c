import Reactive
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
      try clock.hot("abc|", seconds).observable.map(on: clock, Self.waiting(clock, Journal()))
    }
  }

  @Test func keepsTheOrderOfConcurrentOnes() throws {
    try expectMarbles("---(31)-(2|)") { clock in
      try clock.hot("abc|", seconds).observable.map(concurrent: 2, on: clock, Self.waiting(clock, Journal()))
    }
    try expectMarbles("---(31)(2|)") { clock in
      try clock.hot("abc|", seconds).observable.map(concurrent: 3, on: clock, Self.waiting(clock, Journal()))
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
    #expect(result.entries == Array(0..<20))
  }

  @Test func anErrorCancelsTheOthersAndIsPassedOnAtOnce() throws {
    let log = Journal<String>()
    let clock = VirtualScheduler()
    let wait = Self.waiting(clock, log)
    let source = try clock.hot("abc---|", seconds)
    let mapped = source.observable.map(concurrent: 3, on: clock) { number in
      let text = try await wait(number)
      if number == 1 { throw Oops() }
      return text
    }
    #expect(clock.play(mapped) == "--#")
    #expect(source.subscriptions == ["^-!"])
    #expect(log.entries == ["+3", "+1", "+2", "cancelled 3", "cancelled 2"])
  }

  @Test func theEndOfTheSubscriptionCancelsWhatRunsAndWhatWaits() throws {
    let log = Journal<String>()
    let clock = VirtualScheduler()
    let source = try clock.hot("abc|", seconds)
    let mapped = source.observable.map(on: clock, Self.waiting(clock, log))
    #expect(clock.play(mapped, until: .seconds(1)) == "")
    #expect(log.entries == ["+3", "cancelled 3"])
    #expect(source.subscriptions == ["^!"])
  }

  @Test func moreThanTheBacklogIsAFailure() {
    let clock = VirtualScheduler()
    let recording = clock.record(
      Observable.from(1...5).map(backlog: 2, on: clock, Self.waiting(clock, Journal())))
    clock.run()
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of map", limit: 2))
  }

  @Test func othersAreMadeOfIt() throws {
    try expectMarbles("---3--(2|)") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("abc|", seconds).observable.filter(on: clock) { try await wait($0) != "1" }
    }
    try expectMarbles("---31-(2|)") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("abc|", seconds).observable.do(on: clock, next: { _ = try await wait($0) })
    }
  }

  @Test func flatMapEmitsAsItComes() throws {
    try expectMarbles("--1(32)|") { clock in
      let wait = Self.waiting(clock, Journal())
      return try clock.hot("ab-c|", seconds).observable.flatMap(on: clock) { number in
        .just(try await wait(min(number, number == 2 ? 0 : 3)))
      }.map { $0 == "0" ? "2" : $0 }
    }
  }

  @Test func runsOnTheThreadsOfAllTasksToo() async throws {
    let doubled = Observable.from(1...500).map(concurrent: 8) { number in
      await Task.yield()
      return number * 2
    }
    #expect(try await doubled.reduce(into: []) { $0.append($1) }.value == (1...500).map { $0 * 2 })
  }
}
