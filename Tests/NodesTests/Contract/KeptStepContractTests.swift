import TestSupport
import Foundation
import JSON
import Nodes
import Engine
import Language
import Reactive
import Store
import Testing

/// Every step that remembers, tried with its own examples: killed behind any of its events, it goes on in another run
/// as if nothing had been.
@Suite("Contract of steps that are kept")
struct KeptStepContractTests {
  /// The time between runs is not a silence, so `timeout` starts again.
  static let kinds = Catalog.all.steps.filter(\.isKept).map(\.kind).filter { $0 != "timeout" }

  @Test("a run that is killed after any event is resumed by the next one", arguments: kinds)
  func killed(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    for example in spec.examples {
      let trial = try KeptTrial(example)
      let whole = try trial.run(killedBehind: [])
      for cut in trial.times.indices {
        #expect(
          try trial.run(killedBehind: [cut]) == whole, "\(kind): \(example.title), killed behind \(cut)")
      }
      #expect(try trial.run(killedBehind: Array(trial.times.indices)) == whole, "\(kind): \(example.title)")
    }
  }

  @Test("a run that is stopped gracefully is also resumed", arguments: kinds)
  func stopped(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    for example in spec.examples {
      let trial = try KeptTrial(example)
      let whole = try trial.run(killedBehind: [])
      for cut in trial.times.indices {
        let output = try trial.run(killedBehind: [cut], inGoodOrder: true)
        #expect(output == whole, "\(kind): \(example.title), stopped behind \(cut)")
      }
    }
  }

  /// Steps of which several keys, or several events, are due at one instant.
  static let tied = [
    "batch: { count: 9, time: 20s }",
    "changes: .k",
    "debounce: { key: .k, for: 20s }",
    "debounce: { key: .k, for: 20s, max_wait: 22s }",
    "delay: 20s",
    "rate_limit: { count: 1, per: 20s, burst: 3 }",
    "remind: { key: .k, at: .t, before: [5s, 0s] }",
    "remind: { key: .k, at: .t, before: [29s, 5s, 0s], when_missing: fire }",
    "sample: { every: 20s, key: .k }",
    "throttle: { key: .k, for: 20s, latest: true }",
    "throttle: { key: .k, for: 20s, latest: true, bound: 2 }",
    "window: { tumbling: 20s, key: .k }",
    "window: { sliding: { size: 20s, every: 10s }, key: .k }",
    "window: { session: { gap: 20s }, key: .k }",
    "window: { session: { gap: 20s, max: 22s }, key: .k }",
    "window: { tumbling: 30s, key: .k, time: .t }",
    "window: { sliding: { size: 20s, every: 10s }, key: .k, time: .t }",
    "window: { session: { gap: 20s }, key: .k, time: .t }",
  ]

  /// The keys come first in one order, then in another, to the same deadlines.
  static let ties = """
    0s {"k": "a", "t": 31, "n": 1}
    0s {"k": "b", "t": 31, "n": 2}
    0s {"k": "c", "t": 31, "n": 3}
    0s {"k": "d", "t": 31, "n": 4}
    0s poll
    2s {"k": "d", "t": 31, "n": 5}
    2s {"k": "a", "t": 31, "n": 6}
    2s {"k": "c", "t": 31, "n": 7}
    2s {"k": "b", "t": 31, "n": 8}
    2s {"k": "c", "t": 31, "n": 9}
    2s poll
    3s {"k": "e", "t": 32, "n": 10}
    3s poll
    """

  @Test("what is due at one instant has one order, which no restart changes", arguments: tied)
  func ties(_ yaml: String) throws {
    for ending in ["70s {\"k\": \"b\", \"t\": 99, \"n\": 11}", "4s end"] {
      let trial = try KeptTrial(Trial(yaml).plan, input: Self.ties + "\n" + ending)
      let whole = try trial.run(killedBehind: [])
      // `remind` sends no reminders for times after the end of the stream.
      #expect(!whole.isEmpty || ending.hasSuffix("end"))
      let cuts = trial.times.indices.dropLast(ending.hasSuffix("end") ? 1 : 0)
      for cut in cuts {
        #expect(try trial.run(killedBehind: [cut]) == whole, "killed behind \(cut), \(ending)")
        #expect(
          try trial.run(killedBehind: [cut], inGoodOrder: true) == whole, "stopped behind \(cut), \(ending)")
      }
      #expect(try trial.run(killedBehind: Array(cuts)) == whole, "killed behind each, \(ending)")
    }
  }
}

/// A plan with scripted sources over several killed runs, in continuous virtual time.
private struct KeptTrial {
  let scripts: [String: [ScriptedAnswer]]
  /// When something comes.
  let times: [Double]
  private let plan: Plan
  private let web: [String: Value]

  init(_ example: NodeSpec.Example) throws {
    try self.init(
      StepContractTests.trial(example).plan, input: example.input, other: example.other,
      web: Trial.web(example.web))
  }

  init(_ plan: Plan, input: String, other: String = "", web: [String: Value] = [:]) throws {
    self.web = web
    var plan = plan
    plan.epochs.events = 1
    self.plan = plan
    scripts = ["input": try Trial.script(input, 0), "other": try Trial.script(other, 0)]
    times = Set(scripts.values.joined().map(\.at)).sorted()
  }

  /// What the sink was given, with the times, by all runs together.
  func run(killedBehind cuts: [Int], inGoodOrder: Bool = false) throws -> [String] {
    var state = try TemporaryState()
    var heard: [String] = []
    var start = 0.0
    var isFirst = true
    for cut in cuts {
      heard += try run(from: start, isFirst: isFirst, until: times[cut], state, inGoodOrder: inGoodOrder)
      (start, isFirst) = (times[cut], false)
      state = try state.copy()
    }
    return try heard + run(from: start, isFirst: isFirst, until: nil, state, inGoodOrder: false)
  }

  private func run(
    from start: Double, isFirst: Bool, until end: Double?, _ state: TemporaryState, inGoodOrder: Bool
  ) throws -> [String] {
    let clock = VirtualScheduler()
    let heard = Journal<String>()
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.world.wallClock = { start + Double(clock.now.nanoseconds) / 1e9 }
    options.world[CannedAnswers.self] = CannedAnswers(web)
    options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    options.source = { [scripts] source in
      let rest = (scripts[source.name] ?? []).filter { isFirst || $0.at > start }
      return .script(endsWithScript: false) { _ in Answers(rest) }
    }
    options.sink = { _, context in
      Listener { heard.note("\(DurationText.format(.nanoseconds(Int64(context.lane.now * 1e9)))) \($0)") }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    guard let end else {
      clock.run(limit: 100_000)
      run.abort()
      clock.run(limit: 100_000)
      return heard.entries
    }
    clock.advance(by: .nanoseconds(Int64(((end - start) * 1e9).rounded())))
    let before = heard.entries
    // What a killed run would do next is done to files that are not examined any more.
    if !inGoodOrder { try state.leave() }
    if inGoodOrder { run.stop() } else { run.abort() }
    clock.advance(by: .zero)
    return inGoodOrder ? heard.entries : before
  }
}

private final class Answers: ScriptSource {
  private var rest: ArraySlice<ScriptedAnswer>
  init(_ answers: [ScriptedAnswer]) { rest = answers[...] }
  func next() -> ScriptedAnswer? { rest.popFirst() }
}

private final class Listener: Sink {
  private let note: (Value) -> Void
  init(_ note: @escaping (Value) -> Void) { self.note = note }
  func take(_ event: Event) { note(event.value) }
}
