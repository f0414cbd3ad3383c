import Expectations
import AllNodes
import Engine
import Language
import Testing
import Trials

/// Every step that remembers, tried with its own examples: killed behind any of its events, it goes on in another run
/// as if nothing had been.
@Suite("Contract of steps that are kept")
struct KeptStepContractTests {
  /// The time between runs is not a silence, so `timeout` without a key starts again.
  static let kinds = Catalog.all.steps.filter(\.hasDurableState).map(\.kind).filter { $0 != "timeout" }

  @Test("a run that is killed after any event is resumed by the next one", arguments: kinds)
  func killed(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    for example in spec.examples {
      let trial = try KeptTrial(example)
      let whole = try trial.run(killedBehind: [])
      for cut in trial.times.indices {
        try expect(
          trial.run(killedBehind: [cut]), equals: whole, "\(kind): \(example.title), killed behind \(cut)")
      }
      try expect(
        trial.run(killedBehind: Array(trial.times.indices)), equals: whole, "\(kind): \(example.title)")
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
        expect(output, equals: whole, "\(kind): \(example.title), stopped behind \(cut)")
      }
    }
  }

  /// Steps of which several keys, or several events, are due at one instant.
  static let tied = [
    "alarm: { when: .k, key: .k, silent: 20s }",
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
    "timeout: { for: 20s, key: .k, expect: [a, z] }",
    "window: { tumbling: 20s, key: .k }",
    "window: { sliding: { size: 20s, every: 10s }, key: .k }",
    "window: { session: { gap: 20s }, key: .k }",
    "window: { session: { gap: 20s, max: 22s }, key: .k }",
    "window: { tumbling: 30s, key: .k, time: .t }",
    "window: { sliding: { size: 20s, every: 10s }, key: .k, time: .t }",
    "window: { session: { gap: 20s }, key: .k, time: .t }",
  ]

  /// Steps whose durations send nothing, and those that other tests try: `settle` takes changes, `enrich` waits for answers.
  private static let untied: Set = ["dedupe", "join", "settle", "enrich"]

  @Test(
    "a step with durations is among those of which several events are due at one instant", arguments: kinds)
  func tiedKinds(_ kind: String) throws {
    let spec = try #require(Catalog.all.steps.first { $0.kind == kind })
    guard spec.options.contains(where: { $0.typeName.hasSuffix("duration") }) else { return }
    #expect(
      Self.untied.contains(kind) || Self.tied.contains { $0.hasPrefix("\(kind):") },
      "\(kind) needs a row in `tied`")
  }

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
  func ties(_ yaml: String) throws { try keep(yaml, Self.ties) }

  @Test("alarms of one instant have one order, which no restart changes: of a stream, and of a poll")
  func alarms() throws {
    let alarm = "- alarm: { when: .k, key: .k, for: 20s }"
    try keep(alarm, Self.ties.split(separator: "\n").filter { !$0.hasSuffix("poll") }.joined(separator: "\n"))
    for time in ["20s", "2"] {
      let alarm = "- dedupe: .n\n- alarm: { when: .k, key: .k, for: \(time) }"
      try keep(alarm, Self.ties + "\n26s poll", endings: ["70s {\"k\": \"b\", \"t\": 99, \"n\": 11}"])
    }
  }

  private func keep(
    _ yaml: String, _ input: String,
    endings: [String] = ["70s {\"k\": \"b\", \"t\": 99, \"n\": 11}", "4s end"]
  ) throws {
    for ending in endings {
      let trial = try KeptTrial(Trial(yaml).plan, input: input + "\n" + ending)
      let whole = try trial.run(killedBehind: [])
      // `remind` sends no reminders for times after the end of the stream.
      #expect(!whole.isEmpty || ending.hasSuffix("end"))
      let cuts = trial.times.indices.dropLast(ending.hasSuffix("end") ? 1 : 0)
      for cut in cuts {
        try expect(trial.run(killedBehind: [cut]), equals: whole, "killed behind \(cut), \(ending)")
        try expect(
          trial.run(killedBehind: [cut], inGoodOrder: true), equals: whole, "stopped behind \(cut), \(ending)"
        )
      }
      try expect(trial.run(killedBehind: Array(cuts)), equals: whole, "killed behind each, \(ending)")
    }
  }
}

extension KeptTrial {
  fileprivate init(_ example: NodeSpec.Example) throws {
    try self.init(
      StepContractTests.trial(example).plan, input: example.input, other: example.other,
      web: Trial.web(example.web))
  }
}
