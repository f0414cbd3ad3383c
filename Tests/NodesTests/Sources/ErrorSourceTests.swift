import Expectations
@testable import Nodes
import Engine
import JSON
import Language
import Reactive
import Store
import System
import Testing
import Trials

/// The source `errors`: what goes wrong in a pipeline, as events of that pipeline.
@Suite("The source errors") struct ErrorSourceTests {
  /// What a run has sent to its sinks, as a line each: the second, the sink and the value.
  private func run(
    _ yaml: String, polls: [Result<[Int], PollFailed>], from start: Int = 0, in state: TemporaryState? = nil,
    isKilled: Bool = false
  ) throws -> [String] {
    let plan = try Trial.plan(yaml)
    let clock = VirtualScheduler()
    let seen = Locked<[String]>([])
    var world = World.real
    world.random = { 0 }
    world.wallClock = { 1_800_000_000 + Double(start) + Double(clock.now.nanoseconds) / 1e9 }
    var secrets = Secrets()
    secrets.insert("hush")
    world[Secrets.self] = secrets
    var options = RunOptions(
      world: world, log: .silent,
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
    if let state {
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    }
    options.source = { source in
      source.spec.kind == "errors" ? nil : .poll { _, _ in ListedPolls(polls) }
    }
    options.sink = { plan, _ in
      NotingSink { event in
        if event.value.member("n") != nil { throw Sentence("the sink is broken") }
        let second = start + Int(clock.now.nanoseconds / 1_000_000_000)
        seen.withLock { $0.append("\(second)s \(plan.name) \(event.value)") }
      }
    }
    let hasEnded = Locked(false)
    let run = try PipelineRun(plan, options, clock: clock) { _ in hasEnded.withLock { $0 = true } }
    run.start()
    // Not as far as the poll behind them.
    clock.advance(by: .seconds(polls.count * 10 - 1))
    if isKilled { try state?.leave() }
    if isKilled { run.abort() } else { run.stop() }
    released.run = run
    clock.run(limit: 10_000)
    #expect(hasEnded.withLock { $0 })
    return seen.withLock { $0 }
  }

  /// The last run, as long as anything holds it.
  private let released = Released()

  private final class Released: @unchecked Sendable {
    weak var run: PipelineRun?
  }

  private static let source = "sources: { api: { generate: ., every: 10s } }"
  private static let brief = "[.type, .node, .message]"

  @Test("a source that fails and recovers, and events that a step fails on")
  func kinds() throws {
    let lines = try run(
      """
      \(Self.source)
      steps: [ map: 'if . == 2 then error("no hush") else . end' ]
      streams: { trouble: { from: errors, steps: [ map: '\(Self.brief)' ] } }
      sinks: { out: { from: steps, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """,
      polls: [
        .success([1, 2]), .failure(PollFailed("timed out")), .failure(PollFailed("again")), .success([3]),
      ])
    expect(lines.filter { $0.contains(" out ") }, equals: ["0s out 1", "30s out 3"])
    let alarms = lines.filter { $0.contains(" alarm ") }
    expect(alarms.count, equals: 4, "\(alarms)")
    // Secrets are redacted.
    #expect(alarms[0].hasPrefix(#"0s alarm ["failed","map","#) && alarms[0].contains("no ***"))
    expect(alarms[1], equals: #"10s alarm ["failed","api","timed out"]"#)
    let recovered = { (node: String, time: String) in
      #"30s alarm ["recovered","\#(node)","recovered, after failing since 2027-01-15T08:00:\#(time)Z"]"#
    }
    expect(Set(alarms[2...]), equals: [recovered("api", "10"), recovered("map", "00")])
  }

  @Test("rows that a step cannot read any more are one outage of the step, over restarts")
  func rows() throws {
    let state = try TemporaryState()
    let yaml = """
      sources: { api: { generate: ., every: 10s, key: '"k\\(.)"' } }
      steps: [ map: 'if . > 9 then error("too much") else . end' ]
      streams: { trouble: { from: errors, steps: [ map: '[.type, .node, .kind, .message, .failing]' ] } }
      sinks: { out: { from: steps, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """
    let lines = try run(
      yaml, polls: [.success([1, 12]), .success([1, 12]), .success([12, 12, 13]), .success([12, 1])],
      in: state)
    let alarms = lines.filter { $0.contains(" alarm ") }
    expect(
      alarms,
      equals: [
        #"0s alarm ["failed","map","rows","fails on 1 of 2 rows: row 2 (k12): too much",1]"#,
        #"20s alarm ["changed","map","lost rows","fails on 3 of 3 rows: row 1 (k12): too much",1]"#,
        #"30s alarm ["changed","map","rows","fails on 1 of 2 rows: row 1 (k12): too much",1]"#,
      ])
    let later = try run(yaml, polls: [.success([]), .success([1])], from: 40, in: try state.copy())
    expect(
      later.filter { $0.contains(" alarm ") },
      equals: [
        #"40s alarm ["recovered","map","rows","recovered, after failing since 2027-01-15T08:00:00Z",0]"#
      ])
  }

  @Test("an event of an outage: the kind of the reason, since when, and how many sources fail")
  func members() throws {
    let lines = try run(
      """
      \(Self.source)
      streams: { trouble: { from: errors } }
      sinks: { out: { from: api, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """,
      polls: [.failure(PollFailed("slow", .timeout)), .failure(PollFailed("503", .status)), .success([])])
    let events = try lines.map { try Value.parse(String($0.drop { $0 != "{" })) }
    let since: Value = "2027-01-15T08:00:00Z"
    expect(events.map { $0.member("type") }, equals: ["failed", "changed", "recovered"])
    expect(events.map { $0.member("kind") }, equals: ["timeout", "status", "status"])
    expect(events.map { $0.member("failing") }, equals: [.number(1), .number(1), .number(0)])
    #expect(events.allSatisfy { $0.member("since") == since })
  }

  @Test("outages alternate failed, changed and recovered over restarts and kills", arguments: 0..<12)
  func restarts(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var state = try TemporaryState()
    let yaml = """
      sources: { api: { generate: ., every: 10s } }
      streams: { trouble: { from: errors, steps: [ map: '[.type, .kind]' ] } }
      sinks: { out: { from: api, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """
    var (kind, time): (FailureKind?, Int) = (nil, 0)
    var (seen, expected): ([String], [String]) = ([], [])
    for _ in 0..<8 {
      let polls = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let kinds: [FailureKind?] = [nil, nil, .timeout, .status]
        return kinds[Int.random(in: 0..<4, using: &random)]
      }
      for (index, now) in polls.enumerated() {
        let second = time + index * 10
        switch (kind, now) {
        case (nil, let now?): expected.append(#"\#(second)s alarm ["failed","\#(now.rawValue)"]"#)
        case (let before?, nil): expected.append(#"\#(second)s alarm ["recovered","\#(before.rawValue)"]"#)
        case (let before?, let now?):
          if before != now { expected.append(#"\#(second)s alarm ["changed","\#(now.rawValue)"]"#) }
        case (nil, nil): break
        }
        kind = now
      }
      let results = polls.map { kind in kind.map { .failure(PollFailed("r", $0)) } ?? Result.success([Int]())
      }
      seen += try run(
        yaml, polls: results, from: time, in: state, isKilled: Bool.random(using: &random))
      time += polls.count * 10
      state = try state.copy()
      expectNil(released.run)
    }
    expect(seen, equals: expected)
  }

  @Test("what has become too old is one outage with what else it fails for, over a restart")
  func tooOld() throws {
    var state = try TemporaryState()
    let yaml = """
      sources: { api: { generate: ., every: 10s, fresh: 2 } }
      streams: { trouble: { from: errors, steps: [ map: '[.type, .kind, .failing, .message]' ] } }
      sinks: { out: { from: api, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """
    let failure = Result<[Int], PollFailed>.failure(PollFailed("slow", .timeout))
    let first = try run(yaml, polls: [.success([]), failure, failure, failure], in: state)
    expect(
      first,
      equals: [
        #"10s alarm ["failed","timeout",1,"slow"]"#,
        #"21s alarm ["changed","too old",1,"too old: no good answer since 2027-01-15T08:00:00Z"]"#,
      ])
    state = try state.copy()
    expect(
      try run(yaml, polls: [failure, .success([])], from: 40, in: state),
      equals: [
        #"50s alarm ["recovered","too old",0,"recovered, after failing since 2027-01-15T08:00:10Z"]"#
      ])
  }

  @Test("errors of what reads errors are only logged")
  func noCircle() throws {
    let lines = try run(
      """
      \(Self.source)
      steps: [ map: 'error("first")' ]
      streams: { trouble: { from: errors, steps: [ map: 'if .node != "map" then . else error("second") end' ] } }
      sinks: { out: { from: steps, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """, polls: [.success([1])])
    #expect(lines.isEmpty)
  }

  @Test("however many rows a sink fails on, that is one outage of it")
  func bounded() throws {
    let lines = try run(
      """
      sources: { api: { generate: ., every: 10s }, mine: errors }
      streams: { rows: { from: api, steps: [ map: '{n: .}' ] }, trouble: { from: mine, steps: [ map: '\(Self.brief)' ] } }
      sinks: { out: { from: rows, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """, polls: [.success(Array(0..<100))] + [Result<[Int], PollFailed>](repeating: .success([]), count: 7))
    expect(
      lines,
      equals: [
        #"0s alarm ["failed","out","fails on 100 of 100 rows: row 1: the sink is broken"]"#,
        #"10s alarm ["recovered","out","recovered, after failing since 2027-01-15T08:00:00Z"]"#,
      ])
  }

  @Test("of many events that fail and are rows of no poll, only so many are reported")
  func changes() throws {
    let lines = try run(
      """
      \(Self.source)
      steps: [ changes: { key: ., first: emit }, map: 'error("no")' ]
      streams: { trouble: { from: errors, steps: [ map: '\(Self.brief)' ] } }
      sinks: { out: { from: steps, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """, polls: [.success(Array(0..<100)), .success([])])
    expect(lines.count { $0.contains(#"["failed","map","#) }, equals: 3, "\(lines)")
  }

  @Test("a source or stream of that name is what from means")
  func otherMeaning() throws {
    let lines = try run(
      """
      sources: { errors: { generate: ., every: 10s } }
      sinks: { out: { from: errors, 'null': {} } }
      """, polls: [.success([7])])
    expect(lines, equals: ["0s out 7"])
  }
}

private struct PollFailed: ClassifiedFailure, CustomStringConvertible {
  let description: String
  let failureKind: FailureKind
  init(_ reason: String, _ kind: FailureKind = .other) { (description, failureKind) = (reason, kind) }
}

private final class ListedPolls: BlockingPollSource {
  private var polls: ArraySlice<Result<[Int], PollFailed>>
  init(_ polls: [Result<[Int], PollFailed>]) { self.polls = polls[...] }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    PollAnswer(try (polls.popFirst() ?? .success([])).get().map { .number($0) })
  }
}

private final class NotingSink: Sink {
  private let note: (Event) throws -> Void
  init(_ note: @escaping (Event) throws -> Void) { self.note = note }
  func take(_ event: Event) throws { try note(event) }
}
