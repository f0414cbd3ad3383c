import Expectations
import Testing

/// `config.yaml`, from outside.
@Suite("config.yaml")
struct ConfigFileTests {
  private let pipeline = """
    sources: { numbers: stdin }
    steps: [batch]
    sinks: { screen: { console: { json: compact } }, log: { jsonl: { path: out.jsonl, when: $config.log } } }
    """

  @Test("gives nodes the options that they do not say, and expressions what it has besides")
  func defaults() throws {
    let place = try Workplace(pipeline)
    try place.write(
      "config.yaml", "log: true\ndefaults: { batch: { count: 2 }, console: { json: pretty } }\n")
    let outcome = try place.run("--no-state", input: "1\n2\n3\n")
    expect(outcome.output, equals: "[1,2]\n[3]\n", "\(outcome.errors)")
    expect(place.text("out.jsonl"), equals: "[1,2]\n[3]\n")
  }

  @Test("says for all sources how old is too old, in polls for those that are polled")
  func fresh() throws {
    let place = try Workplace(
      """
      sources: { api: { http: 'http://x.example', every: 1h }, in: stdin, other: { http: 'http://x.example', every: 1h, fresh: null } }
      sinks: { out: { console: {}, from: [api, in, other] }, alarm: { console: .kind, from: errors } }
      tests:
        - name: too old
          given:
            api: [ { at: 0s, poll: [] }, { at: 1h, error: down }, { at: 3h, error: down } ]
            other: [ { at: 0s, poll: [] }, { at: 1h, error: down }, { at: 3h, error: down } ]
          expect:
            alarm: [ { at: 1h, where: .kind == "other" }, { at: 1h, where: .kind == "other" }, { at: 2h6m, where: .kind == "too old" and .node == "api" } ]
      """)
    try place.write("config.yaml", "defaults: { sources: { fresh: 2 } }\n")
    let outcome = try place.flow("test", "p.yaml")
    expect(outcome.status, equals: 0, "\(outcome)")
  }

  @Test(
    "says what is wrong with an option for all, at its own place",
    arguments: [
      (
        "defaults: { bach: { count: 2 } }", "config.yaml:1:13: unknown node “bach”",
        "did you mean “batch”?"
      ),
      (
        "defaults: { batch: { cont: 2 } }", "config.yaml:1:22: batch has no option “cont”",
        "did you mean “count”?"
      ),
      (
        "defaults: { sources: { fresch: 2 } }", "config.yaml:1:24: sources has no option “fresch”",
        "did you mean “fresh”?"
      ),
      (
        "alerts: { notfy: 'ntfy://h/t', ping: 'http://h' }", "config.yaml:1:11: alerts has no “notfy”",
        "did you mean “notify”?"
      ),
      ("alerts: { every: 5m }", "config.yaml:1:9: alerts is for notify, ping or both", "for example"),
      (
        "alerts: { notify: { to: 'ntfy://h/t', titel: a } }",
        "config.yaml:1:39: notify has no option “titel”",
        "did you mean “title”?"
      ),
      ("alerts: { ping: nonsense }", "config.yaml:1:17: ", "https://"),
      ("defaults: { batch: { count: x } }", "config.yaml:1:29: ", "a whole number"),
      ("defaults: [batch]", "config.yaml:1:11: defaults", "for example"),
    ])
  func mistakes(_ config: String, _ message: String, _ hint: String) throws {
    let place = try Workplace(pipeline)
    try place.write("config.yaml", "\(config)\nlog: true\n")
    let outcome = try place.flow("check", "p.yaml")
    expect(outcome.status, equals: 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.errors.contains(hint), "\(outcome.errors)")
  }

  @Test(
    "a budget that cannot be read is reported at its place, by check and by run", arguments: ["check", "run"])
  func budgets(_ command: String) throws {
    let place = try Workplace(pipeline)
    try place.write("config.yaml", "log: true\nbudgets: { x.example: 10000000 in 1h }\n")
    let outcome = try place.flow(command, "p.yaml")
    expect(outcome.status, equals: 2)
    #expect(
      outcome.errors.contains(
        "config.yaml:2:1: budgets: x.example: “10000000” is not a number from 1 to 100000\n"),
      "\(outcome.errors)")
    #expect(
      outcome.errors.contains("write it as in 3 in 10m") && !outcome.errors.contains("TextError"),
      "\(outcome.errors)")
  }

  @Test("budgets that are no mapping are an error, and not no budgets")
  func noBudgets() throws {
    let place = try Workplace(pipeline)
    try place.write("config.yaml", "budgets: 5\n")
    let outcome = try place.flow("check", "p.yaml")
    expect(outcome.status, equals: 2)
    #expect(
      outcome.errors.contains("config.yaml:1:1: budgets is a mapping of hosts to limits, not 5\n"),
      "\(outcome.errors)")
  }

  @Test("hides from expressions what it gives to nodes, since there are keys among it")
  func secrets() throws {
    let place = try Workplace(
      "sources: { numbers: stdin }\nsteps: [map: $config]\nsinks: { screen: console }\n")
    try place.write("config.yaml", "units: m\ndefaults: { apod: { key: s3cret } }\n")
    let outcome = try place.run("--no-state", input: "1\n")
    expect(outcome.output, equals: "{\"units\":\"m\"}\n", "\(outcome.errors)")
  }
}
