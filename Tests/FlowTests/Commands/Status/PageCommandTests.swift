import Expectations
import Foundation
import Testing

/// `flow page` against real files: what runs have left behind.
@Suite("flow page", .timeLimit(.minutes(30)))
struct PageCommandTests {
  private static let pipeline = """
    name: shelf
    trace: 100 events
    description: What is on the shelf
    sources: { in: { exec: { command: [cat, rows.json] }, every: 1h } }
    steps: [changes: { key: .id, first: emit }]
    sinks:
      shown: { page: { name: The shelf, key: .id, title: '\\(.name)' }, from: in }
      log: { jsonl: out/log.jsonl }
    """

  private func serve(_ place: Workplace, _ arguments: String...) throws -> Running {
    try Running(["page", "--at", "unix:page.sock"] + arguments, in: place, input: .open)
  }

  private func get(_ path: String, _ place: Workplace) -> String {
    (try? place.shell("curl -s --unix-socket page.sock http://localhost\(path)").output) ?? ""
  }

  private func run(_ place: Workplace, _ rows: String) throws {
    try place.write("rows.json", rows)
    let outcome = try place.flow("run", "--once", "-q", "p.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
  }

  @Test(
    "the rows, the change log and the status of a pipeline that does not run, and what another run changes")
  func stored() throws {
    let place = try Workplace(Self.pipeline)
    try run(place, #"[{"id": 1, "name": "Cup <1>"}, {"id": 2, "name": "Plate"}]"#)
    let running = try serve(place)
    try running.wait(for: "rows") { get("/v/shelf/shown.jsonl", place).contains("Cup") }
    #expect(get("/v/shelf/shown", place).contains("Cup &lt;1&gt;</a>"))
    let log = get("/v/shelf/log", place)
    #expect(log.contains("out/log.jsonl") && log.contains("2 rows") && log.contains("</span> added</span>"))
    let overview = get("/", place)
    #expect(overview.contains("href=\"/p/shelf\"") && !overview.contains("changes holds "))
    #expect(get("/p/shelf", place).contains("changes holds "))
    #expect(get("/p/shelf", place).contains("What is on the shelf"))
    #expect(get("/p/shelf/changes", place).contains("p.yaml:5:9"))
    let why = get("/p/shelf?why=2", place)
    #expect(why.contains("put out by log") && why.contains("key .id → 2"), "\(why)")
    let poll = try place.shell(
      "curl -s -o /dev/null -w '%{http_code}' -d source=in --unix-socket page.sock http://localhost/p/shelf")
    expect(poll.output, equals: "409", "it polls nothing")

    try run(place, #"[{"id": 2, "name": "Bowl"}]"#)
    try running.wait(for: "the change") {
      let rows = get("/v/shelf/shown.jsonl", place)
      return rows.contains("Bowl") && !rows.contains("Cup") && get("/v/shelf/log", place).contains("4 rows")
    }
    let outcome = try running.end(by: SIGTERM).outcome
    #expect(outcome.status == 0 && outcome.errors == "page: unix:page.sock\n", "\(outcome)")
  }

  @Test("a pipeline that runs under the sky is on the page, although it has no state")
  func simulated() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("rows.json", "[]")
    let sky = try place.start("--sky")
    try sky.wait(for: "the status") { (try? place.flow("status", "shelf").status) == 0 }
    let page = try serve(place)
    try page.wait(for: "the page") { get("/", place).contains("href=\"/p/shelf\"") }
    #expect(!get("/p/shelf", place).contains("not running"))
    _ = try page.end(by: SIGTERM)
    _ = try sky.end(by: SIGTERM)
  }

  @Test("a pipeline that cannot be read is listed, and the others are served, also two that write one file")
  func others() throws {
    let place = try Workplace(Self.pipeline)
    try run(place, #"[{"id": 1, "name": "Cup"}]"#)
    for (name, more) in [("twin", ""), ("gone", "vars: { token: '${TOKEN}' }\n"), ("wrong", "")] {
      let text = Self.pipeline.replacingOccurrences(of: "name: shelf", with: "\(more)name: \(name)")
      try place.write("\(name).yaml", text)
      let outcome = try place.flow(["run", "--once", "-q", "\(name).yaml"], environment: ["TOKEN": "t"])
      expect(outcome.status, equals: 0, "\(outcome.errors)")
    }
    try place.write("wrong.yaml", "sources: 1\n")
    let running = try serve(place)
    try running.wait(for: "rows") { get("/v/shelf/shown.jsonl", place).contains("Cup") }
    #expect(get("/v/twin/shown.jsonl", place).contains("Cup") && !get("/", place).contains("/p/wrong"))
    // What only shows needs no secret.
    #expect(get("/v/gone/shown.jsonl", place).contains("Cup"))
    let errors = try running.end(by: SIGTERM).outcome.errors
    #expect(
      errors.contains("flow page: without ") && errors.contains("/wrong.yaml, which cannot be read"),
      "\(errors)")
    #expect(!errors.contains("gone.yaml") && errors.hasSuffix("page: unix:page.sock\n"), "\(errors)")
  }

  @Test("without state, with a wrong address or a wrong file it says so")
  func mistakes() throws {
    let place = try Workplace(Self.pipeline)
    let none = try place.flow("page")
    #expect(none.status == 1 && none.errors.contains("run one first, or name a FILE"), "\(none)")
    let address = try place.flow("page", "--at", "nowhere:http", "p.yaml")
    #expect(address.status == 2 && address.errors.contains("--at cannot be “nowhere:http”"), "\(address)")
    try expect(place.flow("page", "other.yaml").status, equals: 2)
    // A pipeline that has never run has a page without rows.
    let running = try serve(place, "p.yaml")
    try running.wait(for: "an answer") { get("/v/shelf/shown", place).contains("No rows yet.") }
    _ = try running.end(by: SIGINT)
  }
}
