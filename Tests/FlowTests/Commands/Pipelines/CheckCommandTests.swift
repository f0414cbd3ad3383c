import Expectations
import Testing

/// `flow check` of mistakes that YAML and jq accept, from outside.
@Suite("flow check of plausible mistakes")
struct CheckCommandTests {
  private static let head = "vars: { limit: 3, zone: { name: UTC } }\nsources: { i: stdin }\n"
  private static let tail = "\nsinks: { o: console }\n"

  private func check(_ yaml: String, _ message: String, _ hint: String, config: String? = nil) throws {
    let place = try Workplace(yaml)
    if let config { try place.write("config.yaml", config) }
    let outcome = try place.flow("check", "p.yaml")
    expect(outcome.status, equals: 2, "\(outcome.output)")
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    expect(lines.first, equals: message, "\(outcome.errors)")
    #expect(lines.contains("  hint: \(hint)"), "\(outcome.errors)")
    expect(lines.last, equals: "1 problem", "\(outcome.errors)")
  }

  private static let compares = "a condition compares, as in .status == \"Go\""

  @Test(
    "in expressions",
    arguments: [
      ("filter: .n > $vars.limti", "3:25: $vars has no “limti”", "did you mean “limit”?"),
      ("map: '$vars[\"limti\"]'", "3:18: $vars has no “limti”", "did you mean “limit”?"),
      ("filter: .n > ($vars.limti // 3)", "3:26: $vars has no “limti”", "did you mean “limit”?"),
      ("map: $vars.zone.nam", "3:17: $vars.zone has no “nam”", "did you mean “name”?"),
      ("map: { a: .a, b: $vars.limti }", "3:29: $vars has no “limti”", "did you mean “limit”?"),
      ("filter: .n > $config.unitz", "3:25: $config has no “unitz”", "did you mean “units”?"),
      ("map: $config.units.hight", "3:17: $config.units has no “hight”", "did you mean “height”?"),
      ("filter: $meta.pol > 1", "3:20: $meta has no “pol”", "did you mean “poll”?"),
      ("filter: .a = 2", "3:20: = assigns a value, so this condition is always true", meantEqual),
      ("filter: .b and (.a = 2)", "3:27: = assigns a value, so this condition is always true", meantEqual),
      ("filter: .a |= 2", "3:20: this changes the event, so this condition is always true", compares),
      ("filter: '.a == 1 or \"2\"'", "3:32: this condition is always true", compares),
      ("filter: 1 == 2", "3:20: this condition is always false", compares),
      ("filter: true", "3:20: this condition is always true", compares),
      (
        "filter: .a == env.KEY", "3:26: expressions cannot read environment variables",
        "write vars: { key: \"${KEY}\" }, and $vars.key here"
      ),
      (
        "map: $ENV.KEY", "3:17: expressions cannot read environment variables",
        "write vars: { key: \"${KEY}\" }, and $vars.key here"
      ),
    ])
  func expressions(_ step: String, _ message: String, _ hint: String) throws {
    try check(
      "\(Self.head)steps: [ { \(step) } ]\(Self.tail)", "p.yaml:\(message)", hint,
      config: "units: { height: m }\n")
  }

  private static let meantEqual = "did you mean ==, as in .status == \"Go\"?"

  @Test(
    "in sinks, templates and tests",
    arguments: [
      (
        #"sinks: { o: { console: 'at \($meta.ages)' } }"#, "3:30: $meta has no “ages”", "did you mean “age”?"
      ),
      (
        "sinks: { o: { jsonl: { path: x, when: .a = 1 } } }",
        "3:39: = assigns a value, so this condition is always true", meantEqual
      ),
      (
        "sinks: { o: { jsonl: { path: x, when: 'null' } } }", "3:40: this condition is always false", compares
      ),
      (
        "sinks: { o: console }\ntests: [ { given: { i: [] }, expect: { o: [ { where: .a = 1 } ] } } ]",
        "4:54: = assigns a value, so this condition is always true", meantEqual
      ),
      (
        "sinks: { o: { exec: 'echo hi' } }", "3:21: a command is a list of arguments, not one text",
        "write [echo, hi], or [sh, -c, '…'] for a shell"
      ),
      (
        "sinks: { o: { console: json } }", "3:24: this prints the word “json” for each event",
        "console without options prints JSON; as in { screen: console }"
      ),
      (
        "sinks: { o: { console: pretty } }", "3:24: this prints the word “pretty” for each event",
        "for readable JSON, write console: { json: pretty }"
      ),
    ])
  func elsewhere(_ yaml: String, _ message: String, _ hint: String) throws {
    try check(Self.head + yaml + "\n", "p.yaml:\(message)", hint)
  }

  @Test(
    "of options inside a node instead of beside it, and the reverse",
    arguments: [
      (
        "sources: { i: { http: { url: 'http://x.org', every: 5m } } }", "",
        "1:46: http has no option “every”",
        "it belongs beside http: move it out, as in { http: …, every: … }"
      ),
      (
        "sources: { i: { file: { path: x, every: 5m } } }", "", "1:34: file has no option “every”",
        "file is read once, to its end, and has no schedule; a file that is rewritten is polled by a command: exec: { command: [cat, PATH] }"
      ),
      (
        "sources: { i: { http: { url: 'http://x.org', name: a } } }", "", "1:46: http has no option “name”",
        "the name of a source is its key, as in sources: { NAME: { http: … } }"
      ),
      (
        "sources: { i: stdin }", "steps: [ { filter: { where: .a, name: b } } ]",
        "2:33: filter has no option “name”",
        "it belongs beside filter: move it out, as in { filter: …, name: … }"
      ),
      (
        "sources: { i: stdin }", "steps: [ { filter: .a, from: i } ]", "2:24: “from” is not an option here",
        "from belongs to a stream, as in streams: { NAME: { from: …, steps: [ … ] } }"
      ),
      (
        "sources: { i: stdin }", "steps: [ { map: .a, when: .b } ]", "2:21: “when” is not an option here",
        "only a sink has when; for the same, put a step before it: filter: …"
      ),
      (
        "sources: { i: stdin }", "steps: [ { map: .a, every: 5m } ]", "2:21: “every” is not an option here",
        "only a source has every"
      ),
    ])
  func misplaced(_ sources: String, _ steps: String, _ message: String, _ hint: String) throws {
    try check("\(sources)\n\(steps)\(Self.tail)", "p.yaml:\(message)", hint)
  }

  @Test(
    "of options of sinks",
    arguments: [
      (
        "{ jsonl: { path: x, from: i } }", "2:33: jsonl has no option “from”",
        "it belongs beside jsonl: move it out, as in { jsonl: …, from: … }"
      ),
      (
        "{ jsonl: x, when: .a }", "2:25: “when” is not an option here",
        "it is an option of jsonl: move it in, as in jsonl: { when: … }"
      ),
    ])
  func sinks(_ sink: String, _ message: String, _ hint: String) throws {
    try check("sources: { i: stdin }\nsinks: { o: \(sink) }\n", "p.yaml:\(message)", hint)
  }

  @Test(
    "of settings in config.yaml",
    arguments: [
      ("budget: { x.org: 1 in 1h }", "budget", "budgets"), ("timezone: UTC", "timezone", "time_zone"),
      ("defaultz: { batch: { count: 2 } }", "defaultz", "defaults"), ("sate: /tmp", "sate", "state"),
    ])
  func settings(_ config: String, _ name: String, _ meant: String) throws {
    try check(
      Self.head + Self.tail,
      "./config.yaml:1:1: unknown setting “\(name)”, which no pipeline reads as $config.\(name)",
      "did you mean “\(meant)”?", config: config + "\n")
  }

  @Test(
    "accepts what may be meant",
    arguments: [
      "map: '$config.unitz // \"m\"'", "map: 'if $config.unitz then 1 else 2 end'", "map: '$config.unitz?'",
      "map: $config.elsewhere",
      "map: '$config.unitz == null'", "map: '{limti: 1} as $vars | $vars.limti'",
      "map: 'def env: {KEY: 1}; env.KEY'", "filter: .a == 2 and .b", "filter: '(.a = 2) | .b'",
      "map: $meta.stale", "map: '$meta[.name]'", "filter: $vars.limit", "map: .a = 2",
      "map: $config.timezone",
    ])
  func accepted(_ step: String) throws {
    let place = try Workplace("\(Self.head)steps: [ { \(step) } ]\(Self.tail)")
    try place.write("config.yaml", step.contains("timezone") ? "timezone: UTC\n" : "mine: 1\n")
    let outcome = try place.flow("check", "p.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
  }

  @Test("names --set where its value is not what an option needs")
  func setting() throws {
    let place = try Workplace(
      "vars: { n: 1, d: 5m }\nsources: { i: stdin }\nsteps: [ { take: $vars.n }, { debounce: { key: .id, for: $vars.d } } ]\n"
        + "sinks: { o: console }\n")
    let count = try place.flow("check", "--set", "n=abc", "p.yaml")
    expect(count.status, equals: 2)
    #expect(
      count.errors.hasPrefix(
        "p.yaml:3:18: a whole number is expected here, not the text “$vars.n” (--set n=abc)\n"),
      "\(count.errors)")
    let least = try place.flow("check", "--set", "n=-1", "p.yaml")
    #expect(
      least.errors.contains("the number -1 is too small; the least is 0 (--set n=-1)\n"), "\(least.errors)")
    let time = try place.flow("check", "--set", "d=abc", "p.yaml")
    expect(time.status, equals: 2)
    #expect(time.errors.hasPrefix("p.yaml:3:58: “abc” is not a duration (--set d=abc)\n"), "\(time.errors)")
  }
}
