import Expectations
import AllNodes
import Engine
import Language
import Testing

/// What `flow check` says of pipelines, with the nodes there are.
@Suite("Plans")
struct PlanTests {
  private func reader(
    _ yaml: String, settings: [(String, String)] = [], files: [String: String] = [:],
    environment: [String: String] = [:]
  ) -> PipelineReader {
    var reader = PipelineReader(catalog: .all)
    reader.settings = settings.map { (name: $0.0, text: $0.1) }
    reader.placeholders = Placeholders { environment[$0] }
    struct Missing: Error {}
    reader.readFile = { path in
      guard let text = files[path] else { throw Missing() }
      return Array(text.utf8)
    }
    reader.read(path: "a.yaml", Array(yaml.utf8))
    return reader
  }

  /// All problems, each on one line.
  private func problems(_ yaml: String, files: [String: String] = [:]) -> [String] {
    reader(yaml, files: files).problems.sorted.map { $0.summary() }
  }

  private static let head = "sources: { i: stdin }\n"
  private static let tail = "sinks: { o: null }\n"

  @Test(
    "each error is reported at its place, with what to do",
    arguments: [
      ("steps: [{ filtr: .a }]", "a.yaml:2:11: unknown step “filtr”; did you mean “filter”?"),
      (
        "steps: [{ debounce: { key: .id } }]",
        "a.yaml:2:21: debounce needs the option “for”: how long a key must be quiet; for example for: 30s"
      ),
      (
        "steps: [{ debounce: 90x }]",
        "a.yaml:2:23: “x” is not a unit of time; the units are w, d, h, m, s, ms, us and ns"
      ),
      (
        "steps: [{ filter: { wher: .a } }]",
        "a.yaml:2:21: filter has no option “wher”; did you mean “where”?"
      ),
      (
        "steps: [{ take: { count: 1, lifetime: 1d } }]",
        "a.yaml:2:29: take has no option “lifetime”; it has “count” or “per”; “dedupe” or “join” would have “lifetime”"
      ),
      (
        "vars: { l: [1] }\nsteps: [{ take: $vars.l }]",
        "a.yaml:3:17: a whole number is expected here, not a list"
      ),
      ("steps: [{ take: many }]", "a.yaml:2:17: a whole number is expected here, not the text “many”"),
      (
        "steps: [{ sort: { order: up } }]",
        "a.yaml:2:26: “up” is not one of the choices; it can be “ascending” or “descending”"
      ),
      (
        "steps: [{ filter: '.a +' }]",
        "a.yaml:2:23: in this expression: syntax error, unexpected end of the expression; an expression was expected"
      ),
      (
        "steps:\n  - filter: |\n      .a\n      | nosuch",
        "a.yaml:5:9: in this expression: there is no function “nosuch”; for a member write .nosuch, for a text \"nosuch\""
      ),
      (
        "steps: [{ filter: $nwo > 1 }]",
        "a.yaml:2:19: in this expression: $nwo is not defined; did you mean “$now”?"
      ),
      (
        "vars: { limit: 1 }\nsteps: [{ filter: .a > $limit }]",
        "a.yaml:3:24: in this expression: $limit is not defined; did you mean $vars.limit?"
      ),
      (
        "steps: [{ filter: .a, map: .b }]",
        "a.yaml:2:23: one step is “filter” already; begin a new line with “- ” for each step"
      ),
      (
        "steps: [{ jsonl: x }]",
        "a.yaml:2:11: “jsonl” is a sink, not a step; put it under sinks"
      ),
      (
        "steps: [{ take: $vars.n }]\nvars: { m: 1 }",
        "a.yaml:2:17: $vars has no “n”; it can be “m”"
      ),
      ("on_stop: maybe", "a.yaml:2:10: “maybe” is not one of the choices; it can be “keep” or “flush”"),
      (
        "trace: 1000",
        "a.yaml:2:8: “1000” is not a number of events from 1 to 100000; as in trace: 1000 events"
      ),
      ("step: []", "a.yaml:2:1: a pipeline has no “step”; did you mean “steps”?"),
    ])
  func mistakes(_ yaml: String, _ expected: String) {
    expect(problems(Self.head + yaml + "\n" + Self.tail), equals: [expected])
  }

  @Test(
    "a mistake in what a poll of a test has seen",
    arguments: [
      ("coverage: truncatd", "“truncatd” is no coverage; did you mean “truncated”?"),
      ("covrage: partial", "an answer has no “covrage”; did you mean “coverage”?"),
      ("order: .net", "“order” needs coverage: truncated"),
      ("coverage: partial, last: 3", "“last” needs coverage: truncated"),
      ("coverage: truncated, order: net", "“net” is no order; did you mean .net?"),
      ("coverage: truncated, order: '.a[0]'", "“.a[0]” is no order; a member of the rows"),
      ("coverage: truncated, last: 3", "“last” needs order"),
      ("coverage: truncated, order: .n, moves: maybe", "true or false is expected here"),
      (
        "coverage: truncated, order: .m",
        "the last row has no .m, so the position of the horizon is not known"
      ),
    ])
  func coverageMistakes(_ members: String, _ expected: String) {
    let test = "tests: [{ given: { i: [{ at: 0s, poll: [{ n: 1 }], \(members) }] }, expect: { o: [] } }]"
    let found = problems(Self.head + Self.tail + test)
    #expect(found.count == 1 && found.first?.contains(expected) == true, "\(found)")
    expect(found.first?.hasPrefix("a.yaml:3:"), equals: true)
  }

  @Test("only a poll has seen a part of a list")
  func coverageOfEvents() {
    let test = "tests: [{ given: { i: [{ error: no, coverage: partial }] }, expect: { o: [] } }]"
    expect(
      problems(Self.head + Self.tail + test).first?.contains("“coverage” goes with poll, not with error"),
      equals: true)
  }

  @Test("one entry of a list may fail, and none goes with a poll that has failed")
  func entryThatFails() {
    func test(_ members: String) -> [String] {
      problems(
        Self.head + Self.tail + "tests: [{ given: { i: [{ error: no, \(members) }] }, expect: { o: [] } }]")
    }
    expect(test("each: { name: a }, entry: a"), equals: [])
    expect(
      test("each: a, gone: remove").first?.contains("“gone” goes with poll, not with error"), equals: true)
  }

  @Test("polls of a test have the coverage that it gives")
  func coverage() throws {
    let plan = try #require(
      reader(
        Self.head + """
          steps: [{ map: '$meta | {coverage, order, last, moves}' }]
          sinks: { o: null }
          tests:
            - given:
                i:
                  - { at: 0s, poll: [{ n: 1 }] }
                  - { at: 1s, poll: [{ n: 1 }], coverage: partial }
                  - { at: 2s, poll: [{ n: 1 }, { n: 2 }], coverage: truncated, order: -.n, moves: true }
                  - { at: 3s, poll: [{}], coverage: truncated, order: .n, last: [7] }
                  - { at: 4s, poll: [{}], coverage: truncated }
              expect:
                o:
                  - { is: { coverage: complete, order: null, last: null, moves: null } }
                  - { is: { coverage: partial, order: null, last: null, moves: null } }
                  - { is: { coverage: truncated, order: -.n, last: 2, moves: true } }
                  - { is: { coverage: truncated, order: -.n, last: 2, moves: true } }
                  - { is: { coverage: truncated, order: .n, last: [7], moves: null } }
                  - { is: { coverage: truncated, order: null, last: null, moves: null } }
          """
      ).plans.first)
    let run = try TestRun(try #require(plan.tests.first), of: plan)
    #expect(run.failures.isEmpty, "\(run.failures)")
  }

  @Test("all errors are reported at once, also after unknown nodes")
  func everything() {
    let found = problems(
      """
      sources: { i: stdinn }
      steps:
        - filtr: .a
        - debounce: soon
        - filter: .a |
      sinks: { o: { jsnl: x }, p: { console: '\\(.a' } }
      """)
    expect(found.count, equals: 6, "\(found)")
    expect(
      found.map { $0.prefix(9) },
      equals: [
        "a.yaml:1:", "a.yaml:3:", "a.yaml:4:", "a.yaml:5:", "a.yaml:6:", "a.yaml:6:",
      ])
  }

  @Test(
    "streams that do not hang together",
    arguments: [
      (
        "streams: { a: { from: b }, b: { from: a } }\nsinks: { o: { null: {}, from: a } }",
        "these streams form a cycle: a → b → a"
      ),
      (
        "streams: { a: { from: j } }\nsinks: { o: { null: {}, from: a } }", "unknown source or stream “j”"
      ),
      (
        "streams: { a: { from: i }, b: { from: i } }\nsinks: { o: { null: {}, from: a } }",
        "the stream “b” is not read by any sink"
      ),
      ("streams: { a: { from: i } }\nsinks: { o: null }", "nothing says which stream this sink reads"),
      (
        "streams: { i: { from: i } }\nsinks: { o: { null: {}, from: i } }",
        "the name “i” is already used at line 1"
      ),
      (
        "streams: { a: { from: i, steps: [{ join: { with: nowhere, key: .id } }] } }\nsinks: { o: { null: {}, from: a } }",
        "unknown source or stream “nowhere”"
      ),
      (
        "streams: { a: { steps: [] } }\nsinks: { o: { null: {}, from: a } }",
        "nothing says what this stream reads"
      ),
      ("sinks: { o: { null: {}, from: [i, i] } }", "from contains “i” twice"),
    ])
  func wiring(_ yaml: String, _ expected: String) {
    let found = problems(Self.head + yaml)
    #expect(found.contains { $0.contains(expected) }, "\(found)")
  }

  @Test("two sinks on one file, however the path is written")
  func oneFile() {
    let found = problems(Self.head + "sinks: { a: { jsonl: out/x }, b: { jsonl: ./out//x } }")
    expect(found.count, equals: 1)
    expect(found.first?.contains("another sink writes “./out//x” already: a.yaml:2:22"), equals: true)
  }

  @Test("definitions are included, and their mistakes told in their own file")
  func included() {
    let yaml = "include: [lib.jq]\n" + Self.head + "steps: [{ map: row }]\n" + Self.tail
    expect(problems(yaml, files: ["lib.jq": "def row: {id};"]), equals: [])
    expect(problems(yaml, files: ["lib.jq": "def row: {id"]).first?.hasPrefix("lib.jq:1:"), equals: true)
    expect(problems(yaml, files: [:]).first?.contains("the file “lib.jq” cannot be read"), equals: true)
  }

  @Test("--set overrides a var, parsed as YAML; unknown vars are reported")
  func settings() {
    let yaml = Self.head + "vars: { n: 1 }\nsteps: [{ take: $vars.n }]\n" + Self.tail
    #expect(reader(yaml, settings: [("n", "5")]).problems.isEmpty)
    expect(reader(yaml, settings: [("n", "many")]).problems.sorted.count, equals: 1)
    expect(reader(yaml, settings: [("m", "5")]).unknownSettings, equals: ["m"])
  }

  @Test("numbers and durations can come from the environment, and missing variables are reported")
  func environment() {
    let yaml = Self.head + "steps:\n- take: '${N:-3}'\n- debounce: ${WAIT}\n" + Self.tail
    expect(reader(yaml, environment: ["WAIT": "5s"]).problems.count, equals: 1, "a quoted number is a text")
    let plain = yaml.replacing("'", with: "")
    #expect(reader(plain, environment: ["WAIT": "5s"]).problems.isEmpty)
    // For a run it is an error; all else takes a placeholder.
    #expect(reader(plain).problems.warnings.contains { $0.message.contains("the variable WAIT is not set") })
  }

  @Test("without steps the sinks are given the sources as they are")
  func noSteps() throws {
    let plan = try #require(
      reader("sources: { a: stdin, b: { generate: '1' } }\nsinks: { o: null }").plans.first)
    expect(plan.streams.map(\.from), equals: [["a", "b"]])
    expect(plan.sinks.map(\.from), equals: [["steps"]])
    expect(plan.name, equals: "a")
  }

  @Test("without steps a sink may name a source, as if there were steps")
  func namedSource() throws {
    let plan = try #require(reader(Self.head + "sinks: { o: { null: , from: i } }").plans.first)
    #expect(plan.streams.isEmpty)
    expect(plan.sinks.map(\.from), equals: [["i"]])
  }

  @Test("schedules: one is enough, and a stream has none")
  func schedules() {
    expect(
      problems("sources: { a: { generate: '1', every: 1h, cron: '0 * * * *' } }\n" + Self.tail).count,
      equals: 1)
    expect(problems("sources: { a: { stdin: {}, every: 1h } }\n" + Self.tail).count, equals: 1)
    expect(problems("sources: { a: { generate: '1', cron: '0 25 * * *' } }\n" + Self.tail).count, equals: 1)
    expect(
      problems(
        "sources: { a: { generate: '1', cron: '0 1 * * *', time_zone: Europe/Warsaw } }\n" + Self.tail),
      equals: [])
    expect(
      problems("sources: { a: { generate: '1', cron: '0 1 * * *', time_zone: Mars/Base } }\n" + Self.tail)
        .count, equals: 1)
  }

  @Test("the time zone is the pipeline's own, else the default; a test's vars may set it")
  func timeZones() throws {
    func zone(_ text: String) throws -> Plan? {
      var reader = reader("")
      reader.defaultTimeZone = "Asia/Tokyo"
      reader.read(path: "b.yaml", Array((Self.head + text + Self.tail).utf8))
      return reader.plans.first
    }
    try expect(zone("")?.timeZone, equals: "Asia/Tokyo")
    try expect(zone("time_zone: Europe/Warsaw\n")?.timeZone, equals: "Europe/Warsaw")
    let variable = "vars: { zone: null }\ntime_zone: $vars.zone\n"
    try expect(zone(variable)?.timeZone, equals: "Asia/Tokyo")
    let plan = try #require(
      try zone(
        variable + """
          steps:
            - map: strflocaltime("%H %Z")
          tests:
            - name: t
              vars: { zone: Europe/Warsaw }
              given: { i: [{ at: 0s, event: 0 }] }
              expect: { o: [{ where: '. == "01 CET" and $vars.zone == "Europe/Warsaw"' }] }

          """))
    let test = try #require(plan.tests.first)
    #expect(try TestRun(test, of: plan).failures.isEmpty)
    expect(problems(Self.head + "time_zone: [1]\n" + Self.tail).count, equals: 1)
    expect(problems(Self.head + "time_zone: $vars.none\n" + Self.tail).count, equals: 1)
  }
}
