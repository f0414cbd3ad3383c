import Expectations
import Foundation
import Glibc
import JSON
import Loopback
import Testing

/// What a run says at its end, how it exits, and the form of its log.
@Suite("Reports of runs", .timeLimit(.minutes(30)))
struct RunReportTests {
  private func last(_ outcome: Outcome) -> String {
    outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test(
    "a run whose every event failed exits with 1, and says so last; one of which some failed too",
    arguments: ["--no-state", "--state=s"])
  func events(_ option: String) throws {
    let place = try Workplace(
      """
      name: sums
      sources: { in: { file: in.jsonl } }
      steps: [map: .n + 1, dedupe: .]
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "{\"n\":\"a\"}\n{\"n\":\"b\"}\n")
    let hint = option == "--no-state" ? "" : "; see flow status sums"
    let outcome = try place.run(option)
    expect(outcome.status, equals: 1)
    expect(
      last(outcome),
      equals: "sums: error: failed after 0s: 2 events, 0 outputs, 2 errors: all 2 events of map failed\(hint)"
    )
    try place.write("in.jsonl", "{\"n\":\"a\"}\n{\"n\":1}\n")
    let mixed = try place.run(option)
    #expect(mixed.status == 1 && last(mixed).contains("1 error: 1 event of map failed"), "\(mixed.errors)")
  }

  @Test("deliveries that were given up exit with 1, and the last line names the dead letters")
  func deliveries() throws {
    let place = try Workplace(
      """
      name: hook
      sources: { in: { file: in.jsonl } }
      sinks:
        hook: { exec: { command: [sh, -c, 'read line; case $line in *2*) exit 1; esac'], attempts: 1 } }
      """, input: "{\"n\":1}\n{\"n\":2}\n")
    let outcome = try place.run()
    expect(outcome.status, equals: 1)
    #expect(last(outcome).hasSuffix(", 1 given up: 1 delivery of hook given up; see flow state dead ls hook"))
    try expect(place.run("-q").status, equals: 1)
    #expect(try place.flow("state", "dead", "ls", "hook").output.contains("hook"))
  }

  @Test("a step that begins to forget says so once, and status counts the keys")
  func forgotten() throws {
    let place = try Workplace(
      """
      name: few
      sources: { in: { file: in.jsonl } }
      steps:
        - dedupe: { key: ., bound: 2 }
        - scan: { key: ., init: 0, update: . + 1, max_keys: 2 }
        - distinct_until_changed: { key: ., bound: 2 }
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "1\n2\n3\n4\n5\n")
    let outcome = try place.run()
    expect(outcome.status, equals: 0)
    let words = "warning: there are more than 2 keys: those not seen for longest are forgotten from now on"
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    expect(lines, equals: ["dedupe: \(words)", "scan: \(words)"], "\(outcome.errors)")
    let status = try place.flow("status", "few").output
    #expect(status.contains("dedupe has forgotten 3 keys"), "\(status)")
    let json = try place.flow("status", "few", "--json").output
    #expect(json.contains(#""kind":"dedupe""#) && json.contains(#""forgotten":3"#), "\(json)")
  }

  @Test("a pipeline that an error stops exits with 1, also beside one that completes")
  func stopped() throws {
    let place = try Workplace(
      """
      name: strict
      on_error: stop
      sources: { in: { file: in.jsonl } }
      steps: [map: .n + 1]
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "{\"n\":1}\n{\"n\":\"a\"}\n")
    try place.write(
      "other.yaml", "name: other\nsources: { in: { file: in.jsonl } }\nsinks: { log: { jsonl: o.jsonl } }\n")
    let outcome = try place.flow("run", "other.yaml", "p.yaml")
    #expect(outcome.status == 1 && place.lines("o.jsonl").count == 2)
    #expect(outcome.errors.contains("strict: error: failed after"), "\(outcome.errors)")
  }

  @Test("a run with --for of which every poll failed exits with 1")
  func polls() throws {
    let place = try Workplace(
      """
      name: down
      sources: { api: { generate: 'error("no")', every: 20ms } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let outcome = try place.run("--for", "500ms")
    expect(outcome.status, equals: 1)
    #expect(last(outcome).contains(" of api failed; see flow status down"), "\(outcome.errors)")
  }

  /// A pipeline over a server that asks to wait, and what its last line says of that.
  private func unanswered(_ body: (Workplace) throws -> Outcome) throws -> String {
    let server = try LoopbackServer { _ in
      [.reply("busy", status: "503 Service Unavailable", ["Retry-After: 60"])]
    }
    return try server.serving {
      let place = try Workplace(
        """
        name: down
        sources: { api: { http: '\(server.url)', every: 1h } }
        sinks: { log: { jsonl: log.jsonl } }
        """)
      let outcome = try body(place)
      return "\(outcome.status) \(last(outcome))"
    }
  }

  @Test("a run with --for whose first poll still waits says so, and exits with 1")
  func waiting() throws {
    let text = try unanswered { try $0.run("--for", "1s") }
    #expect(text.hasPrefix("1 ") && text.contains(": api has had no answer: answered 503"), "\(text)")
  }

  @Test("a run that is stopped during its first poll says what it has waited for")
  func stoppedWaiting() throws {
    let text = try unanswered { place in
      let running = try place.start()
      try running.waitForErrors("answered 503")
      return try running.end(by: SIGTERM).outcome
    }
    #expect(
      text.hasPrefix("0 ") && text.contains("0 outputs; api has had no answer: answered 503"), "\(text)")
  }

  @Test("a run that is stopped says how many events its steps have dropped")
  func dropped() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { numbers: { generate: 'range(10)', every: 1h } }
      steps: [rate_limit: { count: 1, per: 1h, bound: 3 }]
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let running = try place.start()
    try running.waitForLines(1, in: "log.jsonl")
    let outcome = try running.end(by: SIGTERM).outcome
    #expect(last(outcome).hasSuffix("10 events, 1 output, 7 dropped"), "\(outcome.errors)")
  }

  @Test("a run that is stopped says in one line what it has done")
  func summary() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { numbers: { generate: '1, 2', every: 1h } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    let outcome = try running.end(by: SIGTERM).outcome
    expect(outcome.status, equals: 0)
    let lines = outcome.errors.split(separator: "\n")
    expect(lines.count, equals: 2, "\(outcome.errors)")
    expect(lines.first?.hasPrefix("numbers: watching 2 rows; next poll in 1h, at "), equals: true)
    expect(lines.last?.hasPrefix("watch: stopped after "), equals: true)
    expect(lines.last?.hasSuffix(": 1 poll, 2 events, 2 outputs"), equals: true)
    let quiet = try place.start("-q")
    try quiet.waitForLines(4, in: "log.jsonl")
    #expect(try quiet.end(by: SIGTERM).outcome.errors.isEmpty)
  }

  // MARK: - The form of the log

  private static let failing = """
    name: p
    sources: { in: { file: in.jsonl } }
    steps: [map: .n + 1]
    sinks: { log: { jsonl: log.jsonl } }
    """

  @Test("each message in a file or pipe has the time; further lines of it are indented")
  func times() throws {
    let place = try Workplace(Self.failing, input: "{\"n\":\"a\"}\n")
    try place.write("stdin", "")
    let running = try Running(["run", "--no-state", "p.yaml"], in: place, input: .file(place["stdin"]))
    _ = try running.end()
    let lines = running.stampedErrors.split(separator: "\n")
    #expect(lines.count >= 3)
    for line in lines {
      #expect(line.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z]/#) || line.hasPrefix(" "), "\(line)")
    }
  }

  @Test("in the journal each line has a priority and no time")
  func journal() throws {
    let place = try Workplace(Self.failing, input: "{\"n\":\"a\"}\n")
    // Device and inode of standard error, as systemd sets them.
    let script = """
      exec 2> log; JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) "$0" run --no-state p.yaml; \
      exec 2> other; JOURNAL_STREAM=1:2 "$0" run --no-state p.yaml
      """
    _ = try place.shell(script)
    let lines = place.lines("log")
    #expect(lines.count >= 3)
    for line in lines { #expect(line.hasPrefix("<3>"), "\(line)") }
    #expect(!place.text("other").isEmpty && !place.text("other").contains("<3>"))
  }

  @Test(
    "with --log json nothing but JSON is written",
    arguments: [
      failing, "sources: { in: { fil: x } }\n",
      "name: x\nsources: { in: { file: none.jsonl } }\nsinks: { o: null }\n",
    ])
  func json(_ pipeline: String) throws {
    let place = try Workplace(pipeline, input: "{\"n\":\"a\"}\n")
    let outcome = try place.run("--no-state", "--log", "json", "--stats")
    #expect(outcome.status != 0)
    for line in outcome.errors.split(separator: "\n") {
      let entry = try Value.parse(Array(line.utf8))
      #expect(entry.member("level")?.string != nil && entry.member("at")?.string != nil)
    }
    #expect(!outcome.errors.isEmpty)
  }

  @Test("of many sources that failed the last line names three, and says how many more there are")
  func many() throws {
    let sources = (1...9).map { "  s\($0): { exec: { command: ['false'] } }\n" }.joined()
    let place = try Workplace("name: p\nsources:\n\(sources)sinks: { o: null }\n")
    let outcome = try place.run("--no-state")
    expect(outcome.status, equals: 1)
    let last = outcome.errors.split(separator: "\n").last ?? ""
    #expect(
      last.hasSuffix("the poll of s1 failed, the poll of s2 failed, the poll of s3 failed, and 6 more"),
      "\(last)")
  }
}
