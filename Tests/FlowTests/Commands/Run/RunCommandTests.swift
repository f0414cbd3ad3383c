import Expectations
import Foundation
import JSON
import Testing

/// `flow run` to the end of its input.
@Suite(.timeLimit(.minutes(30))) struct RunCommandTests {
  static let pipeline = """
    name: numbers
    vars: { least: 2 }
    sources: { in: { file: in.jsonl } }
    steps:
      - filter: .n >= $vars.least
      - map: { n: .n, twice: .n * 2 }
    sinks: { log: { jsonl: { path: out/log.jsonl } } }
    """
  static let input = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"

  func place() throws -> Workplace { try Workplace(Self.pipeline, input: Self.input) }

  @Test("a file is read to its end, filtered, shaped and written")
  func wholeWay() throws {
    let place = try place()
    let outcome = try place.run()
    expect(outcome, equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.text("out/log.jsonl"), equals: "{\"n\":2,\"twice\":4}\n{\"n\":3,\"twice\":6}\n")
  }

  @Test("what another run has written stays, and new lines follow it")
  func appending() throws {
    let place = try place()
    _ = try place.run()
    _ = try place.run()
    expect(place.lines("out/log.jsonl").count, equals: 4)
  }

  @Test("--set gives a variable another value; one that no pipeline has is wrong use")
  func settings() throws {
    let place = try place()
    try expect(place.run("--set", "least=3").status, equals: 0)
    expect(place.text("out/log.jsonl"), equals: "{\"n\":3,\"twice\":6}\n")
    let wrong = try place.run("--set", "leest=3")
    #expect(wrong.status == 2 && wrong.errors.contains("leest"))
    expect(place.lines("out/log.jsonl").count, equals: 1)
  }

  @Test("--stats prints what each node has done, at the end")
  func statistics() throws {
    let errors = try place().run("--stats").errors
    let rows = errors.split(separator: "\n").map { $0.split(separator: " ").prefix(4).map(String.init) }
    #expect(rows.contains(["node", "kind", "in", "out"]), "\(errors)")
    #expect(rows.contains { $0.starts(with: ["in", "file", "3"]) }, "\(errors)")
    #expect(errors.firstMatch(of: /filter +3 +2 +0 +0/) != nil, "\(errors)")
    #expect(errors.firstMatch(of: /log +jsonl +2 +2 +0 +0/) != nil, "\(errors)")
  }

  @Test("a pipeline that reads only its own errors has none, and ends")
  func onlyErrors() throws {
    let place = try Workplace("name: p\nsources: { e: errors }\nsinks: { out: { console: '\\(.type)' } }\n")
    try expect(place.run("--once"), equals: Outcome(status: 0, output: "", errors: ""))
  }

  @Test("--once polls each source once, whatever its schedule, and reads a followed file as it is")
  func once() throws {
    let place = try Workplace(
      """
      sources:
        beat: { generate: '{n: $meta.poll}', every: 1h }
        late: { generate: '{n: 10}', cron: "0 0 1 1 *" }
        file: { file: { path: in.jsonl, follow: true } }
      steps: []
      sinks: { log: { jsonl: log.jsonl } }
      """, input: Self.input)
    try expect(place.run("--once"), equals: Outcome(status: 0, output: "", errors: ""))
    let expected = ["{\"n\":1}", "{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"n\":10}"]
    expect(place.lines("log.jsonl").sorted(), equals: expected.sorted())
  }

  @Test("-q leaves nothing but errors on standard error, -v adds details")
  func loudness() throws {
    let place = try Workplace(
      """
      sources: { in: { file: in.jsonl } }
      steps: [log: '"seen \\(.n)"']
      sinks: { log: null }
      """, input: Self.input + "oops\n")
    let usual = try place.run().errors
    #expect(usual.contains("seen 3") && usual.contains("in.jsonl:4"))
    let quiet = try place.run("-q").errors
    #expect(!quiet.contains("seen 3") && quiet.contains("in.jsonl:4"))
    #expect(try place.run("-v").errors.contains("seen 3"))
  }

  @Test("with --log json each message is a line of JSON")
  func logAsJSON() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { file: in.jsonl } }
      steps: [{ map: .n.m }]
      sinks: { log: null }
      """, input: Self.input + "oops\n\"\\u001b[2J\n")
    let outcome = try place.run("--log", "json")
    expect(outcome.status, equals: 1)
    let entries = try outcome.errors.split(separator: "\n").map { try Value.parse(String($0)) }
    #expect(entries.count >= 4)
    for entry in entries {
      #expect(entry.member("level")?.string == "error" && entry.member("pipeline")?.string == "p")
      expect(entry.member("at")?.string?.hasSuffix("Z"), equals: true)
      expect(entry.member("message")?.string?.isEmpty, equals: false)
    }
    let nodes = entries.compactMap { $0.member("node")?.string }
    #expect(nodes.contains("in"))
  }

  @Test("--dry-run says what would be written, and writes nothing")
  func dryRun() throws {
    let place = try Workplace(
      """
      sources: { in: { file: in.jsonl } }
      steps: []
      sinks:
        log: { jsonl: out/log.jsonl }
        tell: { exec: { command: [touch, made] } }
      """, input: Self.input)
    let outcome = try place.run("--dry-run")
    expect(outcome.status, equals: 0)
    #expect(outcome.output.contains("out/log.jsonl: {\"n\":3}") && outcome.output.contains("touch made"))
    #expect(!place.has("out") && !place.has("made"))
  }

  @Test("where a file is wrong nothing is started, of the others neither")
  func wrongFile() throws {
    let place = try place()
    try place.write(
      "wrong.yaml", "sources: { in: stdin }\nsteps: [{ fliter: .n }]\nsinks: { a: { jsonl: other.jsonl } }\n")
    let outcome = try place.flow("run", "p.yaml", "wrong.yaml")
    #expect(outcome.status == 2 && outcome.output == "")
    #expect(outcome.errors.contains("wrong.yaml:2:") && outcome.errors.contains("did you mean “filter”?"))
    #expect(!place.has("out") && !place.has("other.jsonl"))
  }

  @Test("a pipeline that is not there, and an option that is not, are wrong use")
  func wrongUse() throws {
    let place = try place()
    let missing = try place.flow("run", "nowhere.yaml")
    #expect(missing.status == 2 && missing.errors.contains("nowhere.yaml"))
    let unknown = try place.run("--onec")
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean “--once”?"))
    try expect(place.flow("run").status, equals: 2)
    #expect(try place.run("--grace", "soon").errors.contains("--grace"))
    #expect(!place.has("out"))
  }

  @Test("a missing input is reported in a sentence, and the status is 1")
  func missingInput() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try place.run()
    expect(outcome.status, equals: 1)
    #expect(outcome.errors.contains("in: error: in.jsonl: cannot open: No such file or directory\n"))
    try place.write("p.yaml", Self.pipeline.replacing("in.jsonl", with: "\"*.json\""))
    #expect(try place.run().errors.contains("no file matches “*.json”"))
  }
}
