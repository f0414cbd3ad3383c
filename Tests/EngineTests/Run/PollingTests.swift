import Expectations
import JSON
import Reactive
import Testing

@testable import Engine
@testable import Language

/// When sources are polled, in virtual time.
@Suite("Polling")
struct PollingTests {
  /// Answers with the number of the poll, and fails where it must.
  private final class Counter: BlockingPollSource {
    let failing: Set<Int>
    let error: any Error
    init(failing: Set<Int>, _ error: any Error) { (self.failing, self.error) = (failing, error) }

    struct NoAnswer: Error, CustomStringConvertible { let description = "no answer" }

    func poll(_ poll: PollRequest) throws -> PollAnswer {
      if failing.contains(poll.number) { throw error }
      return PollAnswer([.number(poll.number)])
    }
  }

  /// Has its answer after a while, with the number of the poll, and occupies no thread meanwhile.
  private final class Slow: PollSource {
    let time: Duration
    init(_ time: Duration) { self.time = time }

    func ask(
      _ poll: PollRequest, on scheduler: any Scheduler,
      _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
    ) {
      _ = scheduler.schedule(after: time) { answered(.success(PollAnswer([.number(poll.number)]))) }
    }
  }

  private struct Made: Sendable {
    let make: @Sendable (SourceContext) -> any PollSource
    init(_ make: @escaping @Sendable (SourceContext) -> any PollSource) { self.make = make }
  }

  private final class Notes: Sink {
    let note: (Event) -> Void
    init(_ note: @escaping (Event) -> Void) { self.note = note }
    func take(_ event: Event) { note(event) }
  }

  /// The moments of the polls that came through, and whether the run went well.
  private func moments(
    _ schedule: String, from start: String, for duration: Duration, isOnce: Bool = false, random: Double = 0,
    failing: Set<Int> = [], error: any Error = Counter.NoAnswer(), setBy step: Double = 0,
    after: Duration = .zero, log: Log = .silent, answering time: Duration? = nil,
    source: Made? = nil,
    _ meanwhile: (VirtualScheduler, PipelineRun) -> Void = { _, _ in }
  ) throws -> (moments: [String], seconds: [Double], isDone: Bool?) {
    let heard = Locked<[(moment: String, second: Double)]>([])
    let counter = NodeSpec(
      "counter", "count the polls",
      .poll { _, context in
        source?.make(context) ?? time.map { Slow($0) as any PollSource } ?? Counter(failing: failing, error)
      })
    let clock = VirtualScheduler()
    @Sendable func passed() -> Double { Double(clock.now.nanoseconds) / 1e9 }
    let notes = NodeSpec(
      "notes", "note",
      .sink { _, _ in
        Notes { event in heard.withLock { $0.append((timestamp(event.poll.at), passed())) } }
      })
    var reader = PipelineReader(catalog: Catalog([counter, notes]))
    reader.read(
      path: "a.yaml", Array("sources: { s: { counter: {}, \(schedule) } }\nsinks: { o: notes }\n".utf8))
    #expect(reader.problems.isEmpty, "\(reader.problems)")
    let plan = try #require(reader.plans.first)
    let begin = try #require(parseTimestamp(start))
    let world = World(
      wallClock: { begin + passed() + (clock.now - Instant() >= after ? step : 0) }, random: { random },
      environment: { _ in nil })
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(world: world, log: log, screen: screen)
    options.isOnce = isOnce
    let done = Locked<Bool?>(nil)
    let run = try PipelineRun(plan, options, clock: clock) { hasFailed in done.withLock { $0 = !hasFailed } }
    run.start()
    meanwhile(clock, run)
    clock.advance(by: duration)
    let isDone = done.withLock { $0 }
    run.stop()
    clock.run(limit: 10_000)
    #expect(done.withLock { $0 } != nil, "the run did not end when it was stopped")
    return heard.withLock { ($0.map(\.moment), $0.map(\.second), isDone) }
  }

  @Test("every: at the start, and then at a steady beat")
  func every() throws {
    let polls = try moments("every: 6h", from: "2026-01-01T00:00:00Z", for: .seconds(12 * 3600))
    expect(polls.moments, equals: ["2026-01-01T00:00:00Z", "2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z"])
    expectNil(polls.isDone, "it goes on until it is stopped")
  }

  @Test("beats that a slow answer has missed are skipped, and the others stay when they are")
  func slow() throws {
    let polls = try moments(
      "every: 10s", from: "2026-01-01T00:00:00Z", for: .seconds(60), answering: .seconds(12))
    expect(polls.seconds, equals: [12, 32, 52, 72])
  }

  @Test("requests for a poll while one is under way are one poll after it; the beat stays")
  func requested() throws {
    let polls = try moments(
      "every: 10s", from: "2026-01-01T00:00:00Z", for: .seconds(24), answering: .seconds(4)
    ) { clock, run in
      clock.advance(by: .seconds(1))
      #expect(run.poll("s") && run.poll("s"))
    }
    expect(polls.seconds, equals: [4, 8, 14, 24])
  }

  @Test("a beat that is due while a requested poll is under way follows it")
  func dueMeanwhile() throws {
    let polls = try moments(
      "every: 10s", from: "2026-01-01T00:00:00Z", for: .seconds(16), answering: .seconds(4)
    ) { clock, run in
      clock.advance(by: .seconds(8))
      #expect(run.poll("s"))
    }
    expect(polls.seconds, equals: [4, 12, 16, 24])
  }

  @Test("a run that is stopped takes the answer that is under way, and asks for no other")
  func stopped() throws {
    let polls = try moments(
      "every: 10s", from: "2026-01-01T00:00:00Z", for: .seconds(11), answering: .seconds(4))
    expect(polls.seconds, equals: [4, 14])
  }

  @Test("at_start: false leaves the first poll out")
  func notAtStart() throws {
    let polls = try moments(
      "every: 1h, at_start: false", from: "2026-01-01T00:00:00Z", for: .seconds(2 * 3600))
    expect(polls.moments, equals: ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"])
  }

  @Test("cron: at the times of the wall, through a change of the clocks")
  func cron() throws {
    let polls = try moments(
      "cron: '30 8 * * *', time_zone: Europe/Warsaw", from: "2026-03-28T00:00:00Z", for: .seconds(72 * 3600))
    expect(polls.moments, equals: ["2026-03-28T07:30:00Z", "2026-03-29T06:30:00Z", "2026-03-30T06:30:00Z"])
  }

  @Test("cron with at_start polls at once too")
  func cronAtStart() throws {
    let polls = try moments(
      "cron: '0 * * * *', at_start: true", from: "2026-01-01T00:10:00Z", for: .seconds(3600))
    expect(polls.moments, equals: ["2026-01-01T00:10:00Z", "2026-01-01T01:00:00Z"])
  }

  @Test(
    "a clock that is set holds no poll up for longer than two periods, three hours at most",
    arguments: ["every: 1m", "cron: '* * * * *'", "cron: '0 * * * *'", "cron: '30 8 * * *'"],
    [-3600, 3600, -86_400, 86_400, -31_622_400, 31_622_400] as [Double])
  func clockSteps(schedule: String, step: Double) throws {
    let period =
      schedule.contains("1m") || schedule.contains("* * * * *")
      ? 60.0 : schedule.contains("0 *") ? 3600 : 86_400
    // Just after a poll, and just before one.
    for after in [period + 1, period * 2 - 1] {
      let polls = try moments(
        schedule, from: "2026-03-01T08:30:00Z", for: .seconds(Int(after + 3 * period + 10_900)), setBy: step,
        after: .seconds(Int(after)))
      let next = try #require(polls.seconds.first { $0 > after })
      #expect(next - after <= period + min(period, 10_800) + 60)
      // And then at a steady beat again.
      let gaps = zip(polls.seconds, polls.seconds.dropFirst()).filter { $0.0 > after }.map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 <= period + 1 })
    }
  }

  @Test("a cron of each day polls once where the clock is set back by an hour")
  func cronSetBack() throws {
    let polls = try moments(
      "cron: '0 12 * * *'", from: "2026-03-01T11:00:00Z", for: .seconds(48 * 3600), setBy: -3600,
      after: .seconds(5400))
    expect(polls.moments, equals: ["2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z"])
    let waiting = try moments(
      "cron: '0 12 * * *'", from: "2026-03-01T11:00:00Z", for: .seconds(24 * 3600), setBy: -3600,
      after: .seconds(1800))
    expect(waiting.moments, equals: ["2026-03-01T12:00:00Z"])
  }

  @Test("jitter puts each poll off, but the first, and the beat does not drift by it")
  func jitter() throws {
    let polls = try moments(
      "every: 1h, jitter: 10m", from: "2026-01-01T00:00:00Z", for: .seconds(3 * 3600), random: 0.5)
    expect(polls.moments, equals: ["2026-01-01T00:00:00Z", "2026-01-01T01:05:00Z", "2026-01-01T02:05:00Z"])
  }

  @Test("without a schedule, and with --once, there is one poll, and the run ends")
  func once() throws {
    for (schedule, isOnce) in [("buffer: 8", false), ("every: 1h", true), ("cron: '0 5 * * *'", true)] {
      let polls = try moments(
        schedule, from: "2026-01-01T00:00:00Z", for: .seconds(1), isOnce: isOnce)
      expect(polls.moments, equals: ["2026-01-01T00:00:00Z"], "\(schedule)")
      expect(polls.isDone, equals: true, "\(schedule)")
    }
  }

  @Test(
    "a failed poll is repeated soon, then later, and the schedule stays",
    arguments: ["every: 1h", "cron: '0 * * * *', at_start: true"])
  func repeated(schedule: String) throws {
    func moments(_ more: String, failing: Set<Int>) throws -> [String] {
      try self.moments(
        schedule + more, from: "2026-01-01T00:00:00Z", for: .seconds(3600 + 400), failing: failing
      ).moments.map { String($0.dropFirst(11).dropLast()) }
    }
    try expect(moments("", failing: [1]), equals: ["00:00:10", "01:00:00"])
    try expect(moments("", failing: [1, 2, 3, 5, 6]), equals: ["00:01:10", "01:00:30"])
    // 10 s, 20 s, … 1,280 s; the next would be behind the full hour.
    try expect(moments("", failing: Set(1...9)), equals: ["01:00:00"])
    try expect(moments(", retry: 5m", failing: [1, 2]), equals: ["00:15:00", "01:00:00"])
    try expect(moments(", retry: 0s", failing: [1]), equals: ["01:00:00"])
  }

  @Test("a failure for good is not repeated before the next time, and one that names a time not before that")
  func advice() throws {
    struct Failure: PollFailure, CustomStringConvertible {
      let description = "no"
      var mayPassLater = true
      var retryAt: Double?
    }
    let at = try #require(parseTimestamp("2026-01-01T00:20:00Z"))
    for (failure, expected) in [
      (Failure(mayPassLater: false), ["01:00:00"]), (Failure(retryAt: at), ["00:20:00", "01:00:00"]),
      (Failure(retryAt: at + 3600), ["01:00:00"]),
    ] {
      let polls = try moments(
        "every: 1h", from: "2026-01-01T00:00:00Z", for: .seconds(4000), failing: [1], error: failure)
      expect(polls.moments.map { String($0.dropFirst(11).dropLast()) }, equals: expected)
    }
  }

  @Test("a poll that is put off waits, and fails when that has lasted for three periods")
  func puttingOff() throws {
    struct Asked: PollFailure, ClassifiedFailure, CustomStringConvertible {
      let description = "asks for a wait"
      let mayPassLater = true
      let retryAt: Double?
      let failureKind = FailureKind.waiting
    }
    let begin = try #require(parseTimestamp("2026-01-01T00:00:00Z"))
    let lines = Locked<[String]>([])
    let log = Log(level: .notice) { entry in
      lines.withLock { $0.append("\(entry.level.name) \(entry.message)") }
    }
    let polls = try moments(
      "every: 1h", from: "2026-01-01T00:00:00Z", for: .seconds(5 * 3600 + 1), failing: Set(1...5),
      error: Asked(retryAt: begin + 90_000), log: log)
    expect(polls.moments, equals: ["2026-01-01T05:00:00Z"])
    expect(
      lines.withLock { $0.prefix(3) },
      equals: [
        "notice asks for a wait; next try in 1d1h", "error asks for a wait; next try in 1h",
        "error still failing, 2 failed polls since 2026-01-01T00:00:00Z: asks for a wait; next try in 1h",
      ])
  }

  /// Fails for its service, and where it is repeated for want of budget.
  private final class Repeated: BlockingPollSource {
    let note: @Sendable (String) -> Void
    init(_ note: @escaping @Sendable (String) -> Void) { self.note = note }

    struct Spent: PollFailure, CustomStringConvertible {
      let description = "the budget is spent"
      let mayPassLater = true
      let retryAt: Double?
      let isWait = true
    }

    func poll(_ poll: PollRequest) throws -> PollAnswer {
      note("\(timestamp(poll.at).dropFirst(11))\(poll.isRepetition ? " again" : "")")
      if poll.isRepetition { throw Spent(retryAt: poll.at + 600) }
      throw Counter.NoAnswer()
    }
  }

  @Test("a repetition for which there is no budget changes nothing: it waits for it, or for the next poll")
  func unpaidRepetition() throws {
    let asked = Locked<[String]>([])
    let lines = Locked<[String]>([])
    let log = Log(level: .notice) { entry in lines.withLock { $0.append(entry.message) } }
    _ = try moments(
      "every: 15m", from: "2026-01-01T00:00:00Z", for: .seconds(16 * 60), log: log,
      source: Made { _ in Repeated { line in asked.withLock { $0.append(line) } } })
    expect(
      asked.withLock { $0 },
      equals: ["00:00:00Z", "00:00:10Z again", "00:10:10Z again", "00:15:00Z", "00:15:20Z again"])
    #expect(!lines.withLock { $0.contains { $0.contains("budget") } }, "\(lines.withLock { $0 })")
  }

  /// Waits for its budget for a time, within its polls.
  private final class Waiting: PollSource {
    let context: SourceContext
    init(_ context: SourceContext) { self.context = context }

    func ask(
      _ poll: PollRequest, on scheduler: any Scheduler,
      _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
    ) {
      let wait = 5.0 * 3600
      context.progress(PollProgress("asking", wait: "waiting for the budget of x", until: poll.at + wait))
      _ = scheduler.schedule(after: .seconds(wait)) { answered(.success(PollAnswer([]))) }
    }
  }

  @Test("a poll that waits for its budget within itself has failed when that has lasted for three periods")
  func waitingWithin() throws {
    let lines = Locked<[String]>([])
    let log = Log(level: .notice) { entry in lines.withLock { $0.append(entry.message) } }
    func run(_ seconds: Int) throws {
      _ = try moments(
        "every: 1h", from: "2026-01-01T00:00:00Z", for: .seconds(seconds), log: log,
        source: Made { Waiting($0) })
    }
    try run(3 * 3600 - 1)
    #expect(!lines.withLock { $0.contains { $0.contains("fail") } }, "\(lines.withLock { $0 })")
    try run(5 * 3600 + 1)
    expect(
      lines.withLock { $0.suffix(3).map(\.self) },
      equals: [
        "waiting for the budget of x; next try in 2h",
        "recovered, after 1 failed poll since 2026-01-01T00:00:00Z",
        "watching 0 rows; next poll in 1h, at 2026-01-01T06:00:00Z",
      ])
  }

  @Test("without retry a failed poll is skipped; if it is the only one, the run fails")
  func failures() throws {
    let polls = try moments(
      "every: 1h, retry: 0s", from: "2026-01-01T00:00:00Z", for: .seconds(2 * 3600), failing: [2])
    expect(polls.moments, equals: ["2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z"])
    let only = try moments(
      "every: 1h", from: "2026-01-01T00:00:00Z", for: .seconds(1), isOnce: true, failing: [1])
    expect(only.isDone, equals: false)
  }

  @Test(
    "a poll that fails is reported with the time until the next one",
    arguments: [
      ("every: 1h", "10s"), ("every: 1h, retry: 2m", "2m"), ("every: 1h, retry: 0s", "1h"),
      ("every: 4s", "4s"),
      ("cron: '30 * * * *', at_start: true, retry: 40m", "30m"),
    ])
  func next(_ schedule: String, _ wait: String) throws {
    let lines = Locked<[String]>([])
    let log = Log(level: .error) { entry in lines.withLock { $0.append(entry.message) } }
    _ = try moments(schedule, from: "2026-01-01T00:00:00Z", for: .seconds(1), failing: [1], log: log)
    expect(lines.withLock { $0 }, equals: ["no answer; next try in \(wait)"])
  }

  @Test("a source that fails is reported once, then at growing intervals, and when it recovers")
  func reports() throws {
    let lines = Locked<[String]>([])
    let log = Log(level: .notice) { entry in lines.withLock { $0.append(entry.message) } }
    let health = SourceHealth(
      SourceStatus(name: "s", kind: "http", isPolled: true), NodeLog(log: log, pipeline: "p", node: "s"))
    for second in 0..<10_000 {
      health.note(Counter.NoAnswer(), at: Instant() + .seconds(second), timeOfDay: Double(second))
    }
    expect(health.status.failure, equals: .init(since: 0, polls: 10_000, reason: "no answer"))
    health.note(PollAnswer([.null]), at: 10_000)
    health.note(PollAnswer([.null]), at: 10_001)
    let since = "since 1970-01-01T00:00:00Z"
    expect(
      lines.withLock { $0 },
      equals: ["no answer"]
        + [61, 181, 421, 901, 1861, 3781, 7621].map {
          "still failing, \($0) failed polls \(since): no answer"
        }
        + ["recovered, after 10000 failed polls \(since)"])
    #expect(health.status.failure == nil && health.status.polls == 10_002)
    expect(health.status.lastPoll, equals: .init(at: 10_001, rows: 1, coverage: "complete", isStale: false))
  }

  @Test("after the first poll, the next one is announced, unless it follows at once")
  func announcement() throws {
    let lines = Locked<[String]>([])
    let log = Log(level: .notice) { entry in lines.withLock { $0.append(entry.message) } }
    func watch(_ wait: Double) {
      let health = SourceHealth(
        SourceStatus(name: "s", kind: "http", isPolled: true), NodeLog(log: log, pipeline: "p", node: "s"))
      for poll in 0..<3 {
        let now = Double(poll) * wait
        health.note(PollAnswer([.null, .null], coverage: .truncated(nil)), at: now)
        health.noteNext(at: now + wait, now: now)
      }
      expect(health.status.nextPoll.map { abs($0 - 3 * wait) < 1e-6 }, equals: true)
    }
    watch(9)
    watch(9.9)
    watch(30)
    watch(21600)
    expect(
      lines.withLock { $0 },
      equals: [
        "watching 2 rows (truncated); next poll in 10s, at 1970-01-01T00:00:10Z",
        "watching 2 rows (truncated); next poll in 30s, at 1970-01-01T00:00:30Z",
        "watching 2 rows (truncated); next poll in 6h, at 1970-01-01T06:00:00Z",
      ])
  }
}
