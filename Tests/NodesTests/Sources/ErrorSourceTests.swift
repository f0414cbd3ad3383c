import Expectations
@testable import Nodes
import Engine
import JSON
import Language
import Reactive
import System
import Testing
import Trials

/// The source `errors`: what goes wrong in a pipeline, as events of that pipeline.
@Suite("The source errors") struct ErrorSourceTests {
  /// What a run has sent to its sinks, as a line each: the second, the sink and the value.
  private func run(_ yaml: String, polls: [Result<[Int], PollFailed>]) throws -> [String] {
    let plan = try Trial.plan(yaml)
    let clock = VirtualScheduler()
    let seen = Locked<[String]>([])
    var world = World.real
    world.random = { 0 }
    world.wallClock = { 1_800_000_000 + Double(clock.now.nanoseconds) / 1e9 }
    var secrets = Secrets()
    secrets.insert("hush")
    world[Secrets.self] = secrets
    var options = RunOptions(
      world: world, log: .silent,
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
    options.source = { source in
      source.spec.kind == "errors" ? nil : .poll { _, _ in ListedPolls(polls) }
    }
    options.sink = { plan, _ in
      NotingSink { event in
        if event.value.member("n") != nil { throw Sentence("the sink is broken") }
        let second = clock.now.nanoseconds / 1_000_000_000
        seen.withLock { $0.append("\(second)s \(plan.name) \(event.value)") }
      }
    }
    let hasEnded = Locked(false)
    let run = try PipelineRun(plan, options, clock: clock) { _ in hasEnded.withLock { $0 = true } }
    run.start()
    clock.advance(by: .seconds(polls.count * 10))
    run.stop()
    clock.run(limit: 10_000)
    #expect(hasEnded.withLock { $0 })
    return seen.withLock { $0 }
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
    expect(alarms.count, equals: 3, "\(alarms)")
    // Secrets are redacted, and further failures of a source come at growing intervals.
    #expect(alarms[0].hasPrefix(#"0s alarm ["failed","map","#) && alarms[0].contains("no ***"))
    expect(alarms[1], equals: #"10s alarm ["failed","api","timed out; next try in 10s"]"#)
    #expect(alarms[2].hasPrefix(#"30s alarm ["recovered","api","recovered, after 2 failed polls since "#))
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

  @Test("of many errors only so many are events, and a sink's failures are among them")
  func bounded() throws {
    let lines = try run(
      """
      sources: { api: { generate: ., every: 10s }, mine: errors }
      streams: { rows: { from: api, steps: [ map: '{n: .}' ] }, trouble: { from: mine, steps: [ map: '\(Self.brief)' ] } }
      sinks: { out: { from: rows, 'null': {} }, alarm: { from: trouble, 'null': {} } }
      """, polls: [.success(Array(0..<100))] + [Result<[Int], PollFailed>](repeating: .success([]), count: 7))
    expect(lines.count { $0.contains(#"["failed","out","the sink is broken"]"#) }, equals: 3, "\(lines)")
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

private struct PollFailed: Error, CustomStringConvertible {
  let description: String
  init(_ reason: String) { description = reason }
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
