import Engine
import JSON
import Language
import Nodes
import Testing

@testable import flow

/// What a trace has of a run, against the run itself: properties over random recordings.
@Suite("a traced run", .timeLimit(.minutes(10))) struct TracedRunTests {
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
        #expect(polls[row.poll.number - 1]?[place] == row.value)
        // What is held at the end of a recording is sent then.
        if Self.steps[number].contains("delay: 90m"), passage.at < end {
          #expect(passage.at - row.at == 5400)
        }
        if let type = passage.value.member("type"), type != "removed", way.count == 3 {
          #expect(passage.value.member("at") == .string(timestamp(row.at)))
        }
        let id = try #require(row.value.member("id"))
        if ofRow[id] == nil {
          try Self.record(polls.map { $0?.filter { $0.member("id") == id } }, in: alone)
          ofRow[id] = try Self.outputs(plan, alone)
        }
        let same = ofRow[id]?.contains { $0.value == passage.value && $0.at == passage.at }
        #expect(same == true, "seed \(seed): \(passage.value) of \(row.value)")
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
    #expect(rows.count == polls.reduce(0) { $0 + ($1?.count ?? 0) })
    let ends = run.ends(of: rows).values.joined()
    #expect(Set(ends.map { $0.way[0] }) == rows)
    let reached = ends.filter { $0.node == nil }.compactMap(\.way.last)
    #expect(reached.sorted() == run.passages.indices.filter { run.isSink(run.passages[$0].node) })
    #expect(ends.contains { $0.node == "few/filter" } && ends.contains { $0.node == "few/changes" })
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
