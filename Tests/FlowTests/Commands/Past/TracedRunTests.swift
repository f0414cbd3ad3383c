import Expectations
import AllNodes
import Engine
import JSON
import Language
import Nodes
import Store
import Testing

@testable import flow

/// What a trace has of a run, against the run itself: properties over random recordings.
@Suite("a traced run", .timeLimit(.minutes(30))) struct TracedRunTests {
  private static let steps = [
    "[{ changes: .id }]",
    "[{ filter: .n > 2 }, { changes: { key: .id, first: emit } }]",
    "[{ map: '{ id, n, at: $meta.at }' }, { changes: { key: .id, watch: [.n] } }, { filter: '.type != \"removed\"' }]",
    "[{ changes: .id }, { settle: 90m }]",
    "[{ changes: .id }, { debounce: { key: .key, for: 20m, max_wait: 2h } }, { map: '{ key, n: .after.n }' }]",
    "[{ sort: .n }, { changes: .id }, { delay: 15m }]",
    "[{ dedupe: '[.id, .n]' }, { delay: 5m }]",
    "[{ map: '{ id, n } , { id: (.id + \"+\"), n }' }, { changes: .id }]",
    "[{ delay: 90m }]",
  ]

  /// A recording of hourly polls of up to five rows, some of which fail.
  private static func polls(_ random: inout some RandomNumberGenerator) -> [[Value]?] {
    var numbers = (0..<5).map { _ in Int.random(in: 0..<6, using: &random) }
    return (0..<20).map { _ in
      if Int.random(in: 0..<8, using: &random) == 0 { return nil }
      for place in numbers.indices where Int.random(in: 0..<3, using: &random) == 0 {
        numbers[place] = Int.random(in: 0..<6, using: &random)
      }
      return numbers.enumerated().filter { _ in Int.random(in: 0..<9, using: &random) > 0 }.map {
        place, number in
        .record([("id", .string("k\(place)")), ("n", .number(number))])
      }
    }
  }

  private static func plan(_ steps: String) throws -> Plan {
    try plan(rest: "steps: \(steps)\nsinks: { log: { jsonl: out.jsonl } }")
  }

  private static func plan(rest: String) throws -> Plan {
    var reader = PipelineReader(catalog: .all)
    let text = """
      name: p
      sources: { in: { http: 'https://example.org/list.json', every: 1h } }
      \(rest)
      """
    reader.read(path: "p.yaml", Array(text.utf8))
    return try #require(reader.plans.first, "\(reader.problems.sorted)")
  }

  private static func record(_ polls: [[Value]?], in place: Workplace) throws {
    let lines = polls.enumerated().map { hour, rows in
      let at = Value.string(timestamp(1_767_225_600 + Double(hour) * 3600))
      let rest: [(String, Value)] =
        rows.map { [("rows", .array($0)), ("coverage", "complete")] } ?? [("error", "no answer")]
      return Value.record([("at", at)] + rest).description
    }
    try place.write("in.jsonl", lines.joined(separator: "\n") + "\n")
  }

  private static func outputs(_ plan: Plan, _ place: Workplace) throws -> [Rehearsal.Output] {
    try Rehearsal(of: plan, over: Recordings(folder: place.path), masking: Secrets()).outputs
  }

  @Test(
    "each output comes from a row of its poll, which alone gives the same output", arguments: steps.indices)
  func reproduced(_ number: Int) throws {
    let plan = try Self.plan(Self.steps[number])
    let place = try Workplace()
    let alone = try Workplace()
    var seen = 0
    for seed in 0..<6 {
      var random = SeededNumbers(UInt64(number * 100 + seed + 1))
      let polls = Self.polls(&random)
      try Self.record(polls, in: place)
      let trace = try Rehearsal.trace(of: plan, over: Recordings(folder: place.path), masking: Secrets())
      let run = TracedRun(plan, trace)
      let outputs = run.passages.indices.filter { run.isSink(run.passages[$0].node) }
      #expect(
        outputs.map { run.passages[$0].value } == (try Self.outputs(plan, place)).map(\.value))
      let end = try #require(run.passages.map(\.at).max())
      var ofRow: [Value: [Rehearsal.Output]] = [:]
      for output in outputs {
        let passage = run.passages[output]
        #expect(run.outputs(that: KeyText(passage.value.description)).contains(output))
        let way = run.way(to: output).map { run.passages[$0] }
        let row = try #require(way.first)
        #expect(row.node == "in" && way.map(\.node) == (["in"] + plan.streams[0].steps.map(\.name) + ["log"]))
        let place = try #require(row.row)
        expect(polls[row.poll.number - 1]?[place], equals: row.value)
        // What is held at the end of a recording is sent then.
        if Self.steps[number].contains("delay: 90m"), passage.at < end {
          expect(passage.at - row.at, equals: 5400)
        }
        if let type = passage.value.member("type"), type != "removed", way.count == 3 {
          expect(passage.value.member("at"), equals: .string(timestamp(row.at)))
        }
        let id = try #require(row.value.member("id"))
        if ofRow[id] == nil {
          try Self.record(polls.map { $0?.filter { $0.member("id") == id } }, in: alone)
          ofRow[id] = try Self.outputs(plan, alone)
        }
        let same = ofRow[id]?.contains { $0.value == passage.value && $0.at == passage.at }
        expect(same, equals: true, "seed \(seed): \(passage.value) of \(row.value)")
        seen += 1
      }
    }
    #expect(seen > 20)
  }

  @Test("each row ends somewhere, and those that reach a sink are its outputs")
  func ends() throws {
    let plan = try Self.plan(
      rest: """
        streams:
          few: { from: in, steps: \(Self.steps[1]) }
          all: { from: in, steps: [delay: 90m] }
        sinks: { log: { jsonl: out.jsonl, from: few }, rest: { jsonl: rest.jsonl, from: all } }
        """)
    let place = try Workplace()
    var random = SeededNumbers(7)
    let polls = Self.polls(&random)
    try Self.record(polls, in: place)
    let trace = try Rehearsal.trace(of: plan, over: Recordings(folder: place.path), masking: Secrets())
    let run = TracedRun(plan, trace)
    let rows = Set(run.passages.indices.filter { run.passages[$0].cause == .read })
    expect(rows.count, equals: polls.reduce(0) { $0 + ($1?.count ?? 0) })
    let ends = run.ends(of: rows).values.joined()
    expect(Set(ends.map { $0.way[0] }), equals: rows)
    let reached = ends.filter { $0.node == nil }.compactMap(\.way.last)
    expect(reached.sorted(), equals: run.passages.indices.filter { run.isSink(run.passages[$0].node) })
    #expect(ends.contains { $0.node == "few/filter" } && ends.contains { $0.node == "few/changes" })
  }

  /// The trace that a run over a recording, in so many lives, keeps with its state.
  private static func kept(
    _ bound: Int, of plan: Plan, over lives: [[[Value]?]], in place: Workplace
  ) throws -> EventTrace {
    var plan = plan
    plan.trace = bound
    let state = place["p.db"]
    for end in ["", "-wal", "-shm"] where place.has("p.db\(end)") { try place.remove("p.db\(end)") }
    for polls in lives {
      try record(polls, in: place)
      let log = Log(level: .error) { _ in }
      let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
      var options = RunOptions(world: .real, log: log, screen: screen)
      Recordings(folder: place.path).replay(in: &options) { $0 }
      options.isOnce = true
      options.state = { _ in try StateFile(path: state, .init(database: .init(sync: .never))) }
      options.sink = { _, _ in SilentSink() }
      _ = try VirtualRun(plan, options, start: try options.firstPoll(of: plan)).run()
    }
    return try EventTrace(plan, keptIn: StateReader(path: state))
  }

  private struct Shown: Equatable {
    let node: String
    let at: Double
    let value: Value
    let row: Int?
    let origins: [Int]

    init(_ passage: EventTrace.Passage, from first: Int = 0) {
      (node, value, row) = (passage.node, passage.value, passage.row)
      at = (passage.at * 1000).rounded() / 1000
      origins = passage.origins.filter { $0 >= first }.map { $0 - first }
    }
  }

  @Test("the trace that is kept with the state is that of the recording", arguments: steps.indices)
  func kept(_ number: Int) throws {
    let plan = try Self.plan(Self.steps[number])
    let place = try Workplace()
    for seed in 0..<4 {
      var random = SeededNumbers(UInt64(number * 100 + seed + 1))
      let polls = Self.polls(&random)
      try Self.record(polls, in: place)
      let trace = try Rehearsal.trace(of: plan, over: Recordings(folder: place.path), masking: Secrets())
      let all = trace.passages
      let kept = try Self.kept(10_000, of: plan, over: [polls], in: place).passages
      expect(kept.map { Shown($0) }, equals: all.map { Shown($0) }, "seed \(seed)")
      // The last ones, all of what became of at least 20 events that were read.
      let last = try Self.kept(20, of: plan, over: [polls], in: place).passages
      let first = all.count - last.count
      expect(
        last.map { Shown($0).value }, equals: all.dropFirst(first).map { Shown($0).value }, "seed \(seed)")
      let reads = last.count { $0.cause == .read }
      #expect((20...30).contains(reads) || reads == all.count { $0.cause == .read }, "\(reads)")
    }
  }

  @Test(
    "of a large poll the last events are kept, of one that much is made of the last of that",
    arguments: [
      ("[{ filter: .n >= 0 }, { map: '{ id, n }, .' }]", 1000, 7, 42),
      ("[{ filter: .n >= 0 }, { map: '{ id, n }, .' }]", 1000, 600, 3600),
      ("[{ map: 'range(100) as $i | [.n, $i]' }]", 2, 1, 32),
      ("[{ filter: .n >= 0 }, { sort: .n }]", 1000, 3, 96),
    ])
  func bounded(_ steps: String, _ rows: Int, _ bound: Int, _ count: Int) throws {
    let plan = try Self.plan(steps)
    let place = try Workplace()
    let poll = (0..<rows).map { Value.record([("id", .string("k\($0)")), ("n", .number($0))]) }
    try Self.record([poll], in: place)
    let trace = try Rehearsal.trace(of: plan, over: Recordings(folder: place.path), masking: Secrets())
    let last = try Self.kept(bound, of: plan, over: [[poll]], in: place).passages
    expect(last.count, equals: count)
    expect(last.map { Shown($0).value }, equals: trace.passages.suffix(count).map { Shown($0).value })
    expect(last.map(\.node), equals: trace.passages.suffix(count).map(\.node))
  }

  @Test("the trace goes on in the next run, where a row is compared with one of the run before")
  func resumed() throws {
    let plan = try Self.plan("[{ changes: .id }, { filter: .after.n > 2 }]")
    let place = try Workplace()
    func row(_ n: Int) -> [Value] { [.record([("id", "k"), ("n", .number(n))])] }
    let trace = try Self.kept(
      100, of: plan, over: [[row(1), row(5)], [nil, nil, row(5), row(2)]], in: place)
    let run = TracedRun(plan, trace)
    expect(
      run.passages.map {
        "\($0.node) \($0.value.member("n") ?? $0.value.member("after")?.member("n") ?? .null)"
      },
      equals: [
        "in 1", "in 5", "changes 5", "filter 5", "log 5", "in 5", "in 2", "changes 2",
      ])
    let rows = run.passages.indices.filter { run.passages[$0].cause == .read }
    expect(run.passages.indices.map { run.way(to: $0).first }, equals: [0, 1, 1, 1, 1, 5, 6, 6])
    let ends = run.ends(of: Set(rows))
    expect(
      rows.map { ends[$0]?.map { $0.node ?? "" } }, equals: [["changes"], [""], ["changes"], ["filter"]])
    let changes = try #require(run.nodes["changes"])
    expect(run.polls(for: changes).map { $0.map { $0.map(\.index) } }, equals: [[[0], [1], [5], [6]]])
  }

  @Test("a pipeline differs in nothing from itself", arguments: steps.indices)
  func same(_ number: Int) throws {
    let plan = try Self.plan(Self.steps[number])
    let place = try Workplace()
    for seed in 0..<6 {
      var random = SeededNumbers(UInt64(number * 100 + seed + 1))
      try Self.record(Self.polls(&random), in: place)
      let outputs = try Self.outputs(plan, place)
      let findings = Backtest(outputs, against: try Self.outputs(plan, place)).findings
      #expect(findings.count == outputs.count && findings.allSatisfy { $0.side == .both })
    }
  }
}

private final class SilentSink: Sink {
  func take(_ event: Event) {}
}

private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }
}
