import Expectations
import Engine
import JSON
import Reactive
import Store
import TestScale
import TestSupport
import Testing
import Trials

@testable import Language

/// Steps below a partition do what they do without one, whatever number of tasks and lanes there is, and whenever they
/// are killed.
@Suite("Partition") struct PartitionTests {
  /// Steps that go by a key, and behind some of them others that do.
  static let steps = [
    "changes: .k",
    "changes: { key: .k, first: emit, removed_after: 2 }",
    "changes: { key: .k, sudden_loss: { share: 50%, rows: 3 } }",
    "dedupe: .k",
    "distinct_until_changed: { key: .k, value: .t }",
    "scan: { key: .k, init: 0, update: . + $event.n, emit: '{k: $event.k, s: .}' }",
    "debounce: { key: .k, for: 20s }",
    "debounce: { key: .k, for: 20s, max_wait: 22s }",
    "remind: { key: .k, at: .t, before: [5s, 0s] }",
    "throttle: { key: .k, for: 20s, latest: true }",
    "window: { tumbling: 20s, key: .k }",
    "window: { sliding: { size: 20s, every: 10s }, key: .k }",
    "window: { session: { gap: 20s, max: 22s }, key: .k }",
    "changes: { key: .k, first: emit }\n- settle: { for: 20s }",
    "filter: .n != 5\n- changes: { key: .k, first: emit }\n- debounce: { key: .key, for: 20s }\n- map: .after",
    "map: { id: .k, row: . }\n- changes: { key: .id, first: emit }\n- map: { id: .key }\n- dedupe: .id",
    "throttle: { key: .n, for: 20s, latest: true, key_within: true }",
  ]

  static let input = """
    0s {"k": "a", "t": 31, "n": 1}
    0s {"k": "b", "t": 31, "n": 2}
    0s {"k": "c", "t": 31, "n": 3}
    0s {"k": "d", "t": 31, "n": 4}
    0s {"k": 1, "t": 31, "n": 40}
    0s poll
    2s {"k": "d", "t": 31, "n": 5}
    2s {"k": "a", "t": 31, "n": 6}
    2s {"k": "c", "t": 31, "n": 7}
    2s {"k": "b", "t": 31, "n": 8}
    2s {"k": 1.0, "t": 31, "n": 9}
    2s poll
    3s {"k": "e", "t": 32, "n": 10}
    3s poll
    4s {"k": "e", "t": 32, "n": 11}
    4s {"k": "a", "t": 32, "n": 12}
    4s poll
    5s {"k": "e", "t": 32, "n": 11}
    5s {"k": "a", "t": 32, "n": 12}
    5s poll
    70s {"k": "b", "t": 99, "n": 13}
    """

  private func trial(_ steps: String, _ partition: String? = "{ by: .k, into: 4 }") throws -> KeptTrial {
    let text = (partition.map { "- partition: \($0)\n" } ?? "") + "- \(steps)"
    return try KeptTrial(
      Trial(text.replacing(partition == nil ? ", key_within: true" : "\0", with: "")).plan,
      input: Self.input)
  }

  @Test("the same comes out at the same times as without a partition", arguments: steps)
  func same(_ steps: String) throws {
    let without = try trial(steps, nil).run(killedBehind: []).sorted()
    #expect(!without.isEmpty)
    for tasks in [1, 2, 16, 32] {
      let with = try trial(steps, "{ by: .k, into: \(tasks) }").run(killedBehind: [])
      expect(with.sorted(), equals: without, "\(tasks) tasks")
    }
  }

  @Test("what comes out, and its order, does not depend on the number of lanes", arguments: steps)
  func lanes(_ steps: String) throws {
    var trial = try trial(steps)
    let one = try trial.run(killedBehind: [])
    trial.lanes = 4
    try expect(trial.run(killedBehind: []), equals: one)
  }

  @Test("a run that is killed or stopped is resumed, with the same order", arguments: steps)
  func killed(_ steps: String) throws {
    var trial = try trial(steps)
    let whole = try trial.run(killedBehind: [])
    for lanes in [1, 4] {
      trial.lanes = lanes
      // Every other event in the ordinary run, and with more lanes those between.
      let every = TestScale.factor > 1 ? 1 : 2
      for cut in stride(from: lanes == 1 ? 0 : every - 1, to: trial.times.count, by: every) {
        try expect(trial.run(killedBehind: [cut]), equals: whole, "killed behind \(cut)")
        try expect(trial.run(killedBehind: [cut], inGoodOrder: true), equals: whole, "stopped behind \(cut)")
      }
      try expect(trial.run(killedBehind: Array(trial.times.indices)), equals: whole, "killed behind each")
    }
  }

  @Test("another number of tasks keeps the state", arguments: steps.filter { !$0.contains("key_within") })
  func divided(_ steps: String) throws {
    var trial = try trial(steps)
    let whole = try trial.run(killedBehind: []).sorted()
    for tasks in [[1, 4], [4, 1], [16, 3], [2, 32, 1, 5]] {
      trial.tasks = tasks
      try expect(trial.run(killedBehind: Array(trial.times.indices)).sorted(), equals: whole, "\(tasks)")
    }
  }

  @Test("the stream keeps the order of the source")
  func order() throws {
    let rows = (0..<200).map { #"0s {"k": \#($0 % 37), "n": \#($0)}"# }
    for ending in ["", "\n0s poll"] {
      for lanes in [1, 3] {
        var trial = ScriptedRun(
          try Trial("- partition: { by: .k }\n- filter: .n % 3 != 0\n- map: .n").plan, start: 0)
        trial.lanes = lanes
        trial.scripts["input"] = try Trial.script(rows.joined(separator: "\n") + ending, 0)
        let heard = try trial.run().heard["heard"] ?? []
        expect(
          heard.compactMap { $0.value?.double }, equals: (0..<200).filter { $0 % 3 != 0 }.map(Double.init))
        expect(heard.count { $0.value == nil }, equals: (ending.isEmpty ? 0 : 1))
        #expect(ending.isEmpty || heard.last?.value == nil)
      }
    }
  }

  @Test("rows that have waited for the end of their poll come in the order of the source")
  func waiting() throws {
    let polls = (0..<3).map { poll in
      (0..<60).map { #"\#(poll)h {"k": \#($0), "n": \#(poll)}"# }.joined(separator: "\n") + "\n\(poll)h poll"
    }
    let trial = try Trial("- partition: { by: .k }\n- changes: { key: .k }\n- map: .key")
    let lines = try trial.run(polls.joined(separator: "\n")).lines
    expect(lines, equals: (1...2).flatMap { poll in (0..<60).map { "\(poll)h \($0)" } })
  }

  @Test("a sudden loss is one of the rows of all tasks")
  func loss() throws {
    let whole = (0..<20).map { #"{"k": \#($0)}"# }
    func poll(_ time: String, _ rows: ArraySlice<String>) -> String {
      rows.map { "\(time) \($0)\n" }.joined() + "\(time) poll\n"
    }
    let input =
      poll("0h", whole[...]) + poll("1h", whole[..<3]) + poll("2h", whole[...]) + poll("3h", whole[1...])
    for steps in ["", "- partition: { by: .k, into: 16 }\n"] {
      let output = try Trial(steps + "- changes: { key: .k }\n- map: '[.type, .key]'").run(input)
      expect(output.lines, equals: [#"3h ["removed",0]"#])
      let held = output.outcome.messages.filter { $0.message.contains("is held back") }
      expect(
        held.map(\.message),
        equals: [
          "poll 2 of input lacks 17 of 20 rows: it is held back, and the next poll decides"
        ])
    }
  }

  @Test("failures are reported and counted where they occur")
  func failures() throws {
    let input = (0..<100).map { #"0s {"k": \#($0), "n": \#($0 == 50 ? "{}" : "1")}"# }.joined(separator: "\n")
    for lanes in [1, 4] {
      var run = ScriptedRun(try Trial("- partition: { by: .k }\n- map: .n + 1").plan, start: 0)
      run.lanes = lanes
      run.scripts["input"] = try Trial.script(input, 0)
      let outcome = try run.run()
      expect(outcome.heard["heard"]?.count, equals: 99)
      expect(outcome.messages.count, equals: 1)
      let node = outcome.statistics.first { $0.name == "map" }
      #expect(node?.eventsIn == 100 && node?.eventsOut == 99 && node?.errors == 1)
    }
  }

  @Test("a redistribution is reported once, and what cannot be divided is discarded")
  func reported() throws {
    var state = try TemporaryState()
    let steps = """
      - partition: { by: .k, into: 4 }
      - changes: { key: .k, first: emit }
      - dedupe: .key
      """
    func run(_ text: String) throws -> [String] {
      let log = Journal<String>()
      let clock = VirtualScheduler()
      var options = RunOptions(
        world: .real, log: Log { log.note("\($0.node): \($0.message)") }, screen: silentScreen)
      options.state = { [state] _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
      options.source = { _ in
        .script(endsWithScript: true) { _ in
          OneAnswer((0..<9).map { Value.record([("k", .number($0)), ("n", .number($0))]) })
        }
      }
      options.sink = { _, _ in Quiet() }
      let run = try PipelineRun(Trial(text).plan, options, clock: clock) { _ in }
      run.start()
      clock.run()
      state = try state.copy()
      return log.entries
    }
    try expect(run(steps), equals: [])
    try expect(
      run(steps.replacing("4", with: "7")),
      equals: [": the state is now divided among 7 tasks; it was 4 tasks"])
    let without = steps.split(separator: "\n").dropFirst().joined(separator: "\n")
    try expect(run(without), equals: [": the state is now divided among one task; it was 7 tasks"])
    try expect(run(without), equals: [])
    let within = "- partition: { by: .k, into: 4 }\n- dedupe: { key: .n, key_within: true }"
    _ = try run("- dedupe: .n")
    try expect(
      run(within),
      equals: [
        "dedupe: its state was discarded: its key does not say to which of 4 tasks it belongs"
      ])
  }
}

private final class OneAnswer: ScriptSource {
  private var rows: [Value]?
  init(_ rows: [Value]) { self.rows = rows }
  func next() -> ScriptedAnswer? {
    defer { rows = nil }
    return rows.map { ScriptedAnswer(at: 0, .poll($0)) }
  }
}

private final class Quiet: Sink {
  func take(_ event: Event) {}
}
