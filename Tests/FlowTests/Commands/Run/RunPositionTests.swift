import Expectations
import Testing

/// Errors of a run at the place of their expression, from outside.
@Suite("The place of an error at run time")
struct RunPositionTests {
  private func errors(_ yaml: String, _ event: String, library: String? = nil) throws -> [String] {
    let place = try Workplace(yaml)
    if let library { try place.write("own.jq", library) }
    return try place.run("--no-state", input: event + "\n").errors.split(separator: "\n").map(String.init)
  }

  @Test(
    "is that in the pipeline file, with the line, and the event",
    arguments: [
      (
        "steps: [ { map: { id: .id, status: .status.abbrev } } ]", #"{"id":1,"status":"Go"}"#,
        [
          #"map: error: p.yaml:2:36: Cannot index string with string ("abbrev")"#,
          "    2 | steps: [ { map: { id: .id, status: .status.abbrev } } ]",
          "      |                                    ^^^^^^^^^^^^^^",
          #"    in: {"id":1,"status":"Go"}"#,
        ]
      ),
      (
        "steps:\n  - filter: |\n      .id != null and\n      (.id | ascii_upcase) == \"A\"", #"{"id":1}"#,
        [
          "filter: error: p.yaml:5:14: explode input must be a string",
          "    5 |       (.id | ascii_upcase) == \"A\"", "      |              ^^^^^^^^^^^^",
          #"    in: {"id":1}"#,
        ]
      ),
      (
        "steps: [ { dedupe: '.id + 1' } ]", #"{"id":"a"}"#,
        [
          #"dedupe: error: p.yaml:2:21: string ("a") and number (1) cannot be added"#,
          "    2 | steps: [ { dedupe: '.id + 1' } ]", "      |                     ^^^^^^^",
          #"    in: {"id":"a"}"#,
        ]
      ),
    ])
  func steps(_ steps: String, _ event: String, _ expected: [String]) throws {
    let yaml = "sources: { i: stdin }\n\(steps)\nsinks: { o: console }\n"
    let lines = try errors(yaml, event)
    expect(lines.dropLast(), equals: expected[...])
    expect(lines.last?.contains(": error: failed after "), equals: true, "\(lines)")
  }

  @Test(
    "is that within a template, a path and an address",
    arguments: [
      (#"{ console: 'é \(.id | keys)' }"#, 37), (#"{ jsonl: 'out/\(.id | keys).jsonl' }"#, 37),
      (#"{ http: { url: 'http://127.0.0.1:9/\(.id | keys)' } }"#, 58),
    ])
  func sinks(_ sink: String, _ column: Int) throws {
    let lines = try errors("sources: { i: stdin }\nsinks: { out: \(sink) }\n", #"{"id":"a"}"#)
    expect(lines.first, equals: "out: error: p.yaml:2:\(column): string (\"a\") has no keys", "\(lines)")
  }

  @Test("is that in an included file") func library() throws {
    let lines = try errors(
      "include: [own.jq]\nsources: { i: stdin }\nsteps: [ { map: shout } ]\nsinks: { o: console }\n",
      #"{"id":1}"#, library: "# one\ndef shout: .id | ascii_upcase;\n")
    expect(lines.first, equals: "map: error: own.jq:2:18: explode input must be a string", "\(lines)")
  }
}
