import Expectations
import JSON
import Language
import Reactive
import Testing

@testable import Engine

/// The age of what sources have seen, in virtual time: when it is too old, and when no longer.
@Suite("Freshness") struct FreshnessWatchTests {
  /// An answer of a source by the number of its poll.
  private enum Answer {
    case good
    /// One that the server gave so many seconds ago.
    case old(Double)
    case failed
    /// The poll is put off to a time.
    case waiting(Double)
    /// The answer takes so many seconds.
    case slow(Double)
    case none
  }

  private struct Failed: Error, CustomStringConvertible { let description = "down" }

  private struct PutOff: ClassifiedFailure, PollFailure, CustomStringConvertible {
    let failureKind = FailureKind.waiting
    let (description, mayPassLater, retryAt): (String, Bool, Double?)
    init(until time: Double) { (description, mayPassLater, retryAt) = ("budget", true, time) }
  }

  private final class Script: PollSource {
    let answers: [Answer]
    init(_ answers: [Answer]) { self.answers = answers }

    func ask(
      _ poll: PollRequest, on scheduler: any Scheduler,
      _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
    ) {
      switch poll.number <= answers.count ? answers[poll.number - 1] : .good {
      case .good: answered(.success(PollAnswer([])))
      case .old(let age): answered(.success(PollAnswer([], at: poll.at - age)))
      case .failed: answered(.failure(Failed()))
      case .waiting(let time): answered(.failure(PutOff(until: poll.at + time)))
      case .slow(let time):
        _ = scheduler.schedule(after: .seconds(time)) { answered(.success(PollAnswer([]))) }
      case .none: break
      }
    }
  }

  /// A source that is not polled, with an event at each of these seconds.
  private final class Events: ScriptSource {
    var times: ArraySlice<Double>
    init(_ times: [Double]) { self.times = times[...] }

    func next() -> ScriptedAnswer? {
      times.popFirst().map { ScriptedAnswer(at: $0, .events([.number(1)])) }
    }
  }

  private final class Notes: Sink {
    let note: (Event) -> Void
    init(_ note: @escaping (Event) -> Void) { self.note = note }
    func take(_ event: Event) { note(event) }
  }

  /// The events of outages as `21s failed too old`, the problems at the end, and what the log says.
  private func run(
    _ source: String, _ answers: [Answer], for seconds: Int, events: [Double] = [],
    sleepingAt sleep: Int = .max, position: Value? = nil
  ) throws -> (events: [String], problems: [String], log: [String]) {
    let heard = Locked<[String]>([])
    let logged = Locked<[String]>([])
    let clock = VirtualScheduler()
    let catalog = Catalog([
      NodeSpec("api", "", .poll { _, _ in Script(answers) }),
      NodeSpec("bus", "", .stream { _, _ in Nothing() }),
      NodeSpec("errors", "", .errors),
      NodeSpec(
        "notes", "",
        .sink { _, _ in
          Notes { event in
            func text(_ name: Key) -> String { event.value.member(name)?.string ?? "" }
            heard.withLock {
              $0.append("\(clock.now.nanoseconds / 1_000_000_000)s \(text("type")) \(text("kind"))")
            }
          }
        }),
      NodeSpec("none", "", .sink { _, _ in Notes { _ in } }),
    ])
    var reader = PipelineReader(catalog: catalog)
    let text =
      "sources: { s: { \(source) } }\nsinks: { o: { none: {}, from: s }, e: { notes: {}, from: errors } }\n"
    reader.read(path: "a.yaml", Array(text.utf8))
    #expect(reader.problems.isEmpty, "\(reader.problems)")
    let plan = try #require(reader.plans.first)
    let world = World(
      wallClock: {
        let now = Double(clock.now.nanoseconds) / 1e9
        return 1_800_000_000 + now + (now >= Double(sleep) ? 8 * 3600 : 0)
      }, random: { 0 }, environment: { _ in nil })
    var options = RunOptions(
      world: world, log: Log { entry in logged.withLock { $0.append("\(entry.node): \(entry.message)") } },
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
    if !events.isEmpty {
      options.source = { source in
        source.spec.kind != "bus"
          ? nil : .script(endsWithScript: false) { _ in Events(events.map { 1_800_000_000 + $0 }) }
      }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    clock.advance(by: .seconds(seconds))
    let problems = run.outline().problems
    run.stop()
    clock.run(limit: 10_000)
    return (heard.withLock { $0 }, problems, logged.withLock { $0 })
  }

  private final class Nothing: StreamSource {
    func run(_ feed: Feed) {}
  }

  @Test("a source that fails is too old after so many of its periods; the good answer ends both")
  func failing() throws {
    let seen = try run(
      "api: {}, every: 10s, fresh: 3", [.good, .failed, .failed, .failed, .failed], for: 55)
    expect(seen.events, equals: ["10s failed other", "31s changed too old", "50s recovered too old"])
    expect(seen.problems, equals: [])
    let before = try run("api: {}, every: 10s, fresh: 3", [.good, .failed, .failed, .failed], for: 35)
    expect(
      before.problems.last, equals: "s is too old: no good answer since 2027-01-15T08:00:00Z")
    #expect(before.log.contains("s: too old: no good answer since 2027-01-15T08:00:00Z"))
  }

  @Test("a time instead of a number; cron has its beats")
  func forms() throws {
    let time = try run("api: {}, every: 10s, fresh: 12s", [.good, .failed, .failed], for: 25)
    expect(time.events, equals: ["10s failed other", "12s changed too old"])
    // 08:00 is a beat; too old 6 s behind the second beat after it.
    let cron = try run(
      "api: {}, cron: '* * * * *', at_start: true, time_zone: UTC, retry: 0s, fresh: 2",
      [.good, .failed, .failed, .failed], for: 150)
    expect(cron.events, equals: ["60s failed other", "126s changed too old"])
  }

  @Test("a poll that hangs, and one that is put off, are too old without having failed")
  func silent() throws {
    let hanging = try run("api: {}, every: 10s, fresh: 2", [.good, .none], for: 40)
    expect(hanging.events, equals: ["21s failed too old"])
    expect(
      hanging.log.filter { $0.contains("too old") },
      equals: ["s: too old: no good answer since 2027-01-15T08:00:00Z"])
    let waiting = try run("api: {}, every: 10s, fresh: 2", [.good, .waiting(10), .waiting(10)], for: 35)
    expect(waiting.events, equals: ["21s failed too old", "30s recovered too old"])
    #expect(waiting.log.contains("s: up to date again"))
  }

  @Test("the age counts from the answer, not from when it was asked for")
  func slow() throws {
    let seen = try run("api: {}, every: 10s, fresh: 2", [.good, .slow(25)], for: 45)
    expect(seen.events, equals: ["21s failed too old", "35s recovered too old"])
  }

  @Test("an answer of the cache is as old as when the server gave it")
  func cached() throws {
    let seen = try run("api: {}, every: 10s, fresh: 2", [.good, .old(15), .old(25), .good], for: 35)
    expect(seen.events, equals: ["16s failed too old", "30s recovered too old"])
  }

  @Test("a sleep of the machine counts only when the first poll after it has ended")
  func asleep() throws {
    let good = try run("api: {}, every: 10s, fresh: 15s", [.good, .good], for: 35, sleepingAt: 14)
    expect(good.events, equals: [])
    let failed = try run("api: {}, every: 10s, fresh: 15s", [.good, .good, .failed], for: 25, sleepingAt: 14)
    expect(failed.events, equals: ["20s failed too old"])
  }

  @Test("a source that is not polled is too old without events, also while it is connected")
  func stream() throws {
    let seen = try run("bus: {}, fresh: 20s", [], for: 90, events: [5, 50, 60])
    expect(seen.events, equals: ["25s failed too old", "50s recovered too old"])
  }

  @Test("polls in time raise nothing")
  func fresh() throws {
    let seen = try run("api: {}, every: 10s, fresh: 1", [], for: 100)
    expect(seen.events, equals: [])
  }
}
