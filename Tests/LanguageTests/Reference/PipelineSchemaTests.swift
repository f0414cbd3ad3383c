import Expectations
import JSON
import Testing
@testable import Language

@Suite struct PipelineSchemaTests {
  let schema = PipelineSchema.make(toys)

  func complaint(_ yaml: String, as definition: String? = nil) throws -> String? {
    let root = try #require(read(yaml, environment: ["API_KEY": "k", "PASSWORD": "p", "KEY": "k"]).root)
    let part = definition.map { reference($0) } ?? schema
    return SchemaCheck(root: schema).complaint(written(root), part)
  }

  /// The value with `${NAME}` unreplaced, as editors see it.
  func written(_ node: YAMLNode) -> JSON.Value {
    switch node {
    case .scalar(let scalar): scalar.variables.isEmpty ? scalar.value : .string(scalar.written)
    case .sequence(let sequence): .array(sequence.elements.map(written))
    case .mapping(let mapping): .record(mapping.entries.map { ($0.key.text, written($0.value)) })
    }
  }

  @Test("every reference leads to a definition, and every node has one")
  func definitions() throws {
    var references: Set<String> = []
    func collect(_ value: JSON.Value) {
      if let name = value.member("$ref")?.string {
        references.insert(String(name.dropFirst("#/definitions/".count)))
      }
      value.items?.forEach(collect)
      if case .object = value.kind { value.forEachMember { _, member in collect(member) } }
    }
    collect(schema)
    let definitions = try #require(schema.member("definitions"))
    for name in references { #expect(definitions.member(name) != nil, "\(name)") }
    for spec in toys.nodes { #expect(references.contains("\(spec.roleName).\(spec.kind)")) }
  }

  @Test("whole pipelines and the nodes' examples are right by it")
  func right() throws {
    try expectNil(complaint(wired))
    for spec in toys.nodes {
      for example in spec.examples {
        try expectNil(complaint(example.yaml, as: spec.roleName), "\(example.yaml)")
      }
    }
    try expectNil(
      complaint(
        """
        include: lib/a.jq
        vars:
        sources: { a: { lines: , buffer: $vars.n }, b: { api: u, when_full: "${FULL:-wait}" } }
        steps:
          - { join: { with: b, bound: $config.bound }, on_error: { dead_letter: x } }
          - keep: false
          - shape: { a: { b: [.c] } }
        sinks: { out: screen, log: { log: { path: x, when: null } } }
        tests:
          - name: one
            given: { a: [{ at: 0s, poll: [] }, { at: 1h, error: no }, { end: }] }
            expect: { out: [] }
          - name: two
            given:
              a: [{ poll: [], coverage: partial }, { poll: [], coverage: truncated, order: .n, last: 1, moves: true }]
            expect: { out: [{ at: 0s, is: 1 }], log: }
        """))
  }

  @Test(
    "what flow check would not take is wrong by it",
    arguments: [
      "sources: { a: lines }", "sources: { a: { lins: } }\nsinks: { out: screen }",
      "sources: { a: lines }\nsteps: [ keep: { wher: .a } ]\nsinks: { out: screen }",
      "sources: { a: lines }\nsteps: [ { keep: .a, shape: .b } ]\nsinks: { out: screen }",
      "sources: { a: lines }\nsteps: [ keep ]\nsinks: { out: screen }",
      "sources: { a: lines }\nsteps: [ join: { with: a, bound: many } ]\nsinks: { out: screen }",
      "sources: { a: lines }\nsinks: { out: log }", "sources: { a: lines }\nsinks: { out: screen }\nstep: []",
      "sources: { a: lines }\nsinks: { out: screen }\ntests: [ { given: {}, expects: {} } ]",
      "sources: { a: { lines: , every: 15 minutes } }\nsinks: { out: screen }",
      "sources: { a: { lines: , every: -5m } }\nsinks: { out: screen }",
      "sources: { a: { lines: , every: 0s } }\nsinks: { out: screen }",
      "sources: { a: { lines: , every: 2min } }\nsinks: { out: screen }",
      "sources: { a: { lines: , cron: '0 6 * *' } }\nsinks: { out: screen }",
      "sources: { a: lines }\nsinks: { out: screen }\ntests: [ { given: { a: [{ poll: [], coverage: some }] }, expect: {} } ]",
    ])
  func wrong(yaml: String) throws {
    #expect(try complaint(yaml) != nil)
  }

  @Test("durations, sizes and schedules have the forms that the file takes")
  func patterns() throws {
    func fits(_ text: String, _ pattern: String) throws -> Bool {
      try text.firstMatch(of: Regex(pattern)) != nil
    }
    for text in ["500ms", "90s", "1m30s", "6h", "1.5h", "1w2d3h4m5s6ms7us8ns", "5m3ms", "0", "0s", "1h0m"] {
      let isZero = try DurationText.parse(text) == .zero
      #expect(try fits(text, DurationText.pattern(allowingZero: true)), "\(text)")
      try expect(fits(text, DurationText.pattern(allowingZero: false)), equals: !isZero, "\(text)")
    }
    for text in ["", "5", "-5m", "1m1h", "1m1m", "2 min", "5min", "m", "1.m", "10 s"] {
      #expect(throws: TextError.self) { try DurationText.parse(text) }
      #expect(try !fits(text, DurationText.pattern(allowingZero: true)), "\(text)")
    }
    for text in ["512", "10kB", "64MiB", "1.5kB", "2TB"] {
      _ = try SizeText.parse(text)
      #expect(try fits(text, SizeText.pattern), "\(text)")
    }
    for text in ["64M", "64 MiB", "-1", "1kb"] {
      #expect(throws: TextError.self) { try SizeText.parse(text) }
      #expect(try !fits(text, SizeText.pattern), "\(text)")
    }
    for text in ["@daily", "0 */6 * * *", "30 8 * * mon-fri"] {
      #expect(try fits(text, Cron.pattern), "\(text)")
    }
    for text in ["0 6 * *", "* * * * * *", "daily"] { #expect(try !fits(text, Cron.pattern), "\(text)") }
  }

  @Test("what is wrong in the options of a node is named, rather than that no form fits")
  func named() throws {
    let yaml = "sources: { a: lines }\nsteps: [ join: { with: a, bount: 3 } ]\nsinks: { out: screen }"
    try expect(complaint(yaml), equals: "/steps/0/join: no bount here")
  }

  @Test("members that begin with x- are a place for anchors, in the schema and in the file")
  func extensions() throws {
    let yaml = """
      x-common: &common { bound: 5 }
      sources: { a: lines, b: lines }
      steps: [ { join: { <<: *common, with: b } } ]
      sinks: { out: screen }
      """
    try expectNil(complaint(yaml))
    var reader = PipelineReader(catalog: toys)
    reader.read(path: "a.yaml", Array(yaml.utf8))
    #expect(!reader.problems.sorted.contains { $0.message.contains("x-common") })
    reader.read(path: "b.yaml", Array("y-common: 1\nsources: { a: lines }\nsinks: { out: screen }".utf8))
    #expect(reader.problems.sorted.contains { $0.message.contains("y-common") })
  }

  @Test("a description is never beside a reference, where draft 7 ignores it")
  func references() {
    func check(_ value: JSON.Value) {
      if value.member("$ref") != nil { expect(value.keys.count, equals: 1, "\(value)") }
      value.items?.forEach(check)
      if case .object = value.kind { value.forEachMember { _, member in check(member) } }
    }
    check(schema)
  }

  @Test("options carry their documentation and default for editors")
  func documentation() throws {
    let bound = schema.member("definitions")?.member("step.join")?.member("properties")?.member("bound")
    expect(bound?.member("description")?.string, equals: "how many keys it knows (default 100)")
    expect(bound?.member("default")?.description, equals: "100")
    expect(
      schema.member("definitions")?.member("step.keep")?.member("description")?.string, equals: "keep some")
  }
}
