import Expectations
import Foundation
import JSON
import System
import Testing

/// `flow status` against real processes.
@Suite("flow status", .timeLimit(.minutes(30)))
struct StatusCommandTests {
  private static let pipeline = """
    name: watch
    sources: { numbers: { generate: '{ n: 1 }, { n: 2 }', every: 1h } }
    steps: [dedupe: .n]
    sinks: { log: { jsonl: log.jsonl } }
    """

  private func reports(_ place: Workplace, _ names: String...) throws -> (status: Int32, reports: [Value]) {
    let outcome = try place.flow(["status", "--json"] + names)
    return (outcome.status, try outcome.output.split(separator: "\n").map { try Value.parse(Array($0.utf8)) })
  }

  private func text(_ value: Value?, _ path: String...) -> String? {
    path.reduce(value) { $0?.member($1) }?.string
  }

  @Test("a running pipeline is shown with its sources, what it holds, and that nothing is wrong")
  func running() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    let (status, reports) = try reports(place)
    let report = try #require(reports.first)
    #expect(status == 0 && reports.count == 1)
    #expect(text(report, "phase") == "running" && text(report, "name") == "watch")
    expect(report.member("process")?.double, equals: Double(running.number))
    let source = try #require(report.member("sources")?.items?.first)
    expect(source.member("last_poll")?.member("rows")?.double, equals: 2)
    #expect(text(source, "next_poll") != nil)
    let nodes = try #require(report.member("nodes")?.items)
    expect(nodes.map { text($0, "name") }, equals: ["numbers", "dedupe", "log"])
    #expect(nodes[1].member("keys")?.double == 2 && nodes[2].member("queue")?.double == 0)
    let shown = try place.flow("status", "watch")
    #expect(shown.status == 0 && shown.errors.isEmpty)
    #expect(shown.output.contains("dedupe holds 2 keys") && shown.output.contains("running for"))
    _ = try running.end(by: SIGTERM)
  }

  @Test("the socket is its user's alone, in the state folder, and gone with the process")
  func socket() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    let path = place["state/flow/\(running.number).sock"]
    try running.wait(for: "the socket") { FileManager.default.fileExists(atPath: path) }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(
      attributes[.posixPermissions] as? Int == 0o600 && attributes[.type] as? FileAttributeType == .typeSocket
    )
    _ = try running.end(by: SIGTERM)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a path longer than a socket's name may be makes no difference")
  func longPath() throws {
    let place = try Workplace(Self.pipeline)
    let folder = place[String(repeating: "x", count: 150)]
    let running = try place.start("--state", folder)
    try running.waitForLines(2, in: "log.jsonl")
    let outcome = try place.flow("status", "--state", folder, "watch")
    #expect(outcome.status == 0 && outcome.output.contains("running"), "\(outcome)")
    _ = try running.end(by: SIGTERM)
  }

  @Test("one that was stopped is fine, unless it is named; its state is shown")
  func stopped() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    _ = try running.end(by: SIGTERM)
    let all = try reports(place)
    #expect(all.status == 0 && text(all.reports.first, "phase") == "stopped")
    expect(
      all.reports.first?.member("nodes")?.items?.contains { $0.member("keys")?.double == 2 }, equals: true)
    let named = try reports(place, "watch")
    expect(named.status, equals: 1)
    expect(named.reports.first?.member("problems")?.items?.map(\.string), equals: ["it does not run"])
  }

  @Test(
    "those that run come first, and one that has failed lately; the others are named, and shown with --all")
  func order() throws {
    let place = try Workplace(Self.pipeline)
    try expect(place.run("--once").status, equals: 0)
    try place.write(
      "new.yaml",
      Self.pipeline.replacingOccurrences(of: "watch", with: "new").replacing("log.jsonl", with: "n.jsonl"))
    try place.write(
      "bad.yaml",
      "name: bad\nsources: { a: { generate: 'error(\"no\")' } }\nsinks: { l: { jsonl: b.jsonl } }\n")
    let quiet = try place.flow("status")
    #expect(quiet.status == 0, "\(quiet)")
    #expect(
      quiet.output.contains(#/^not running: watch \(completed \d+s ago\); --all shows it\n$/#), "\(quiet)")
    try expect(place.flow("run", "--once", "bad.yaml").status, equals: 1)
    let running = try Running(["run", "new.yaml"], in: place, input: .open)
    try running.waitForLines(2, in: "n.jsonl")
    let outcome = try place.flow("status")
    let heads = outcome.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map {
      $0.split(separator: " ")[0]
    }
    #expect(heads == ["new", "bad", "not"] && outcome.status == 1, "\(outcome.output)")
    #expect(outcome.output.contains("2 events, 2 outputs") && outcome.output.contains(#/in (59m|1h)/#))
    let all = try place.flow("status", "--all").output
    #expect(all.contains("watch  not running, completed") && !all.contains("--all"))
    // What has failed longer than a day ago is an old experiment.
    let old = "\"ended\":\"2020-01-01T00:00:00Z\""
    let path = "state/flow/bad.status"
    try place.write(path, place.text(path).replacing(#/"ended":"[^"]*"/#, with: old))
    let later = try place.flow("status")
    #expect(later.status == 0 && later.output.contains("bad (failed "), "\(later.output)")
    try expect(place.flow("status", "bad").status, equals: 1)
    _ = try running.end(by: SIGTERM)
  }

  @Test("a single value that a node stores is no key, neither while it runs nor later")
  func cells() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      steps: [{ rate_limit: { count: 1, per: 1ms } }]
      sinks:
        screen: { page: { key: .id, title: '\\(.n)' } }
        log: { jsonl: log.jsonl }
      """, input: "{\"id\":1,\"n\":1}\n{\"id\":2,\"n\":2}\n")
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    func keys() throws -> [Double?] {
      let nodes = try #require(try reports(place).reports.first?.member("nodes")?.items)
      return ["rate_limit", "screen"].map { name in
        nodes.first { text($0, "name") == name }?.member("keys")?.double
      }
    }
    try running.wait(for: "the keys") { (try? keys()) == [0, 2] }
    _ = try running.end(by: SIGTERM)
    try expect(keys(), equals: [0, 2])
  }

  @Test("of a pipeline that has ended all nodes are shown, also a source of which nothing is stored")
  func ended() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { file: in.jsonl } }
      steps: [{ changes: .id }]
      sinks: { log: { jsonl: log.jsonl } }
      """, input: (1...3000).map { "{\"id\":\($0)}\n" }.joined())
    for events in ["3000 events, 3000 outputs", "3000 events, 0 outputs"] {
      try expect(place.run().status, equals: 0)
      let shown = try place.flow("status", "p").output
      #expect(shown.contains(events) && shown.contains("changes holds 3000 keys"), "\(shown)")
      #expect(shown.contains(#/in +\d+s ago +3000/#), "\(shown)")
    }
    try expect(place.flow("state", "reset", "p", "changes", "--yes").status, equals: 0)
    let shown = try place.flow("status", "p").output
    #expect(shown.contains("3000 events, 0 outputs") && !shown.contains("holds"), "\(shown)")
  }

  @Test("a source that is not polled is shown with what it has received, and a baseline's mark is no key")
  func streams() throws {
    let place = try Workplace(
      """
      name: lines
      sources:
        in: { file: { path: in.jsonl, follow: true } }
        list: { generate: '{ id: 1 }, { id: 2 }', every: 1h }
      streams:
        a: { from: list, steps: [changes: .id] }
      sinks:
        log: { from: in, jsonl: log.jsonl }
        other: { from: a, jsonl: other.jsonl }
      """)
    try place.write("in.jsonl", "1\n2\n3\n")
    let running = try place.start()
    try running.waitForLines(3, in: "log.jsonl")
    try running.wait(for: "the keys") {
      (try? place.flow("status").output.contains("changes holds 2 keys")) == true
    }
    let shown = try place.flow("status").output
    #expect(shown.contains(#/in +\d+s ago +3/#), "\(shown)")
    let source = try reports(place).reports.first?.member("sources")?.items?.first
    #expect(text(source, "last_event") != nil)
    _ = try running.end(by: SIGTERM)
  }

  @Test("a delivery that fails is shown with the reason and the next try, and is a problem while it fails")
  func deliveries() throws {
    let place = try Workplace(
      """
      name: hook
      sources: { in: { generate: '1', every: 1h } }
      sinks: { tell: { exec: { command: [sh, -c, 'test -e ok'], attempts: 100, backoff: 2s } } }
      """)
    let running = try place.start()
    // One that is only starting is “not running” and a problem, too.
    try running.wait(for: "the failure") {
      (try? place.flow("status", "hook").output.contains("! tell:")) == true
    }
    let shown = try place.flow("status", "hook").output
    let line = #/! tell: 1 event waits for delivery, for \d+s, next try (in \d+s|now): .*status 1/#
    #expect(shown.contains(line), "\(shown)")
    try place.write("ok", "")
    try running.wait(for: "the delivery") { (try? place.flow("status", "hook").status) == 0 }
    _ = try running.end(by: SIGTERM)
  }

  @Test("a simulated run is shown in its own time, also where no state was ever kept, and leaves nothing")
  func simulated() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start("--sky", "--speed", "600")
    try running.waitForLines(2, in: "out/sky/log.jsonl")
    let outcome = try place.flow("status", "watch")
    expect(outcome.status, equals: 0, "\(outcome)")
    #expect(
      outcome.output.contains("simulated in ") && outcome.output.contains("numbers"), "\(outcome.output)")
    #expect(try place.flow("top", "--once").output.contains("dedupe"))
    _ = try running.end(by: SIGTERM)
    #expect(!place.has("state"))
  }

  @Test("one that ended by itself is fine, named too")
  func completed() throws {
    let place = try Workplace(Self.pipeline)
    try expect(place.run("--once").status, equals: 0)
    let named = try reports(place, "p.yaml")
    #expect(named.status == 0 && text(named.reports.first, "phase") == "completed")
  }

  @Test("one that was killed is reported, and its socket disturbs neither status nor the next run")
  func killed() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    _ = try running.end(by: SIGKILL)
    let report = try reports(place)
    expect(report.status, equals: 1)
    expect(text(report.reports.first, "error"), equals: "process \(running.number) was killed, or crashed")
    let next = try place.start()
    try next.wait(for: "the next run") { (try? reports(place).status) == 0 }
    #expect(!place.has("state/flow/\(running.number).sock"))
    _ = try next.end(by: SIGTERM)
  }

  @Test("a source that fails is a problem, with its reason, until it recovers")
  func failing() throws {
    let end = Date().timeIntervalSince1970 + 4
    let place = try Workplace(
      """
      name: down
      sources: { api: { generate: 'if $now > \(end) then 1 else error("no answer") end', every: 100ms } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let running = try place.start()
    func problem() -> String? {
      (try? reports(place, "down").reports.first)?.member("problems")?.items?.first?.string
    }
    try running.wait(for: "the failure") { problem()?.hasPrefix("api fails since") == true }
    try running.wait(for: "its recovery") { (try? reports(place, "down").status) == 0 }
    let outcome = try running.end(by: SIGTERM).outcome
    #expect(outcome.errors.contains("recovered, after"))
    expect(
      outcome.errors.split(separator: "\n").count { $0.hasPrefix("api: error: ") }, equals: 1,
      "\(outcome.errors)")
  }

  @Test("clients that connect and ask nothing keep no other waiting")
  func silentClients() throws {
    let place = try Workplace(Self.pipeline)
    let running = try place.start()
    try running.waitForLines(2, in: "log.jsonl")
    var silent: [Int32] = []
    defer { for client in silent { close(client) } }
    for _ in 0..<8 {
      var client = try LocalSocket.connect(to: place["state/flow/\(running.number).sock"])
      silent.append(client.release())
    }
    let start = ContinuousClock.now
    let (status, found) = try reports(place)
    #expect(status == 0 && found.count == 1, "\(found)")
    #expect(ContinuousClock.now - start < .seconds(5))
    _ = try running.end(by: SIGTERM)
  }

  @Test("dead letters are a problem, also where nothing runs")
  func deadLetters() throws {
    let place = try Workplace(
      """
      name: hook
      sources: { in: { file: in.jsonl } }
      sinks: { hook: { exec: { command: [/nonexistent/x], attempts: 1 } } }
      """, input: "{\"a\":1}\n")
    try expect(place.run().status, equals: 1)
    let report = try reports(place)
    expect(report.status, equals: 1)
    expect(
      report.reports.first?.member("problems")?.items?.map(\.string),
      equals: [
        "it failed: 1 delivery of hook given up", "hook has 1 dead letter: flow state dead ls hook",
      ])
  }

  @Test("a state that cannot be read is a problem, however old it is")
  func damaged() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["s"], withIntermediateDirectories: true)
    try place.write("s/bad.db", String(repeating: "x", count: 9000))
    let seen = try place.flow("status", "--state=s")
    #expect(seen.status == 1 && seen.output.contains("damaged"), "\(seen)")
  }

  @Test("a pipeline without state that is asked for is an error")
  func unknown() throws {
    let place = try Workplace(Self.pipeline)
    let outcome = try place.flow("status", "nothing")
    #expect(outcome.status == 2 && outcome.errors.contains("there is no state of “nothing”"))
    try expect(place.flow("status").status, equals: 0)
  }

  @Test("with --no-state and in a dry run nothing is created")
  func withoutState() throws {
    let place = try Workplace(Self.pipeline)
    for option in ["--no-state", "--dry-run"] {
      try expect(place.run("--once", option).status, equals: 0)
      #expect(!place.has("state/flow"))
    }
  }
}
