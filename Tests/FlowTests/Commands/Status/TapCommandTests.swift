import TestSupport
import Expectations
import Foundation
import JSON
import Testing

@testable import Engine
@testable import flow

/// `flow tap` against real processes.
@Suite("flow tap", .timeLimit(.minutes(30)))
struct TapCommandTests {
  private static let pipeline = """
    name: watch
    sources: { numbers: { stdin: {} } }
    steps: [filter: .n % 2 == 0, map: { double: .n * 2 }]
    sinks: { log: { jsonl: log.jsonl } }
    """

  /// A run that reads its standard input, and a tap that is attached to it.
  private func start(_ arguments: String...) throws -> (place: Workplace, run: Running, tap: Running) {
    let place = try Workplace(Self.pipeline)
    let run = try place.start()
    try waitForSocket(of: run, place)
    let tap = try Running(["tap"] + arguments, in: place, input: .open)
    return (place, run, tap)
  }

  private func waitForSocket(of run: Running, _ place: Workplace) throws {
    try run.wait(for: "an answer") { (try? place.flow("status", "watch").status) == 0 }
  }

  /// Writes numbers until the tap has shown something.
  private func feed(_ run: Running, until tap: Running, shows part: String) throws {
    var number = 0
    try tap.wait(for: part) {
      number += 1
      try? run.say("{\"n\":\(number)}\n")
      return tap.shown.contains(part)
    }
  }

  @Test("a node's events as they pass, from when it is attached, until the run ends")
  func node() throws {
    let (place, run, tap) = try start("watch:map")
    try feed(run, until: tap, shows: "{\"double\":")
    try run.say("{\"n\":1000000}\n")
    try run.sayNoMore()
    let outcome = try tap.end()
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    expect(lines.last, equals: "{\"double\":2000000}")
    #expect(place.text("log.jsonl").hasSuffix(outcome.output), "nothing is missing, and nothing is changed")
    try expect(run.end().status, equals: 0)
  }

  @Test("several nodes are shown with their names, in the order in which events pass them")
  func pipeline() throws {
    let (_, run, tap) = try start("watch")
    try feed(run, until: tap, shows: "\"log\"")
    try run.sayNoMore()
    let lines = try tap.end().output.split(separator: "\n").map { try Value.parse(Array($0.utf8)) }
    let last = try #require(lines.last { $0.member("node")?.string == "log" })
    #expect(last.member("pipeline")?.string == "watch" && last.member("source")?.string == "numbers")
    #expect(
      last.member("event")?.member("double") != nil && last.member("at")?.string?.hasSuffix("Z") == true)
    expect(Set(lines.compactMap { $0.member("node")?.string }), equals: ["numbers", "filter", "map", "log"])
    _ = try run.end()
  }

  @Test("a filter is applied to each event; its failures are counted")
  func filter() throws {
    let (_, run, tap) = try start(
      "watch:numbers", "--count", "2", "if .n > 1 then [.n] else error(\"small\") end")
    try feed(run, until: tap, shows: "]\n[")
    let outcome = try tap.end()
    #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 2, "\(outcome)")
    #expect(outcome.output.hasPrefix("["))
    _ = try run.end(by: SIGTERM)
  }

  @Test("a reader that goes and Ctrl-C end it, and the run does not notice")
  func leaves() throws {
    let place = try Workplace(Self.pipeline)
    let run = try place.start()
    try waitForSocket(of: run, place)
    let head = try Running(
      ["-c", "\"$0\" tap watch | head -n 1", try flowCommand().path], of: "/bin/sh", in: place, input: .open)
    try feed(run, until: head, shows: "\n")
    for _ in 0..<20 { try run.say("{\"n\":2}\n") }
    try expect(head.end().status, equals: 0)
    let tap = try Running(["tap", "watch:log"], in: place, input: .open)
    try feed(run, until: tap, shows: "\n")
    try expect(tap.end(by: SIGINT).outcome.status, equals: 130)
    let killed = try Running(["tap", "watch:log"], in: place, input: .open)
    try feed(run, until: killed, shows: "\n")
    _ = try killed.end(by: SIGKILL)
    try run.say("{\"n\":4444}\n")
    try run.sayNoMore()
    try expect(run.end().status, equals: 0)
    expect(place.lines("log.jsonl").last, equals: "{\"double\":8888}")
  }

  @Test("one that does not read holds up nothing, and what it misses is reported")
  func slow() throws {
    let place = try Workplace(
      """
      name: fast
      sources: { numbers: { stdin: {} } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let run = try place.start()
    try run.wait(for: "an answer") { (try? place.flow("status", "fast").status) == 0 }
    let tap = try Running(["tap", "fast:numbers"], in: place, input: .open)
    try feed(run, until: tap, shows: "\n")
    tap.send(SIGSTOP)
    let block = String(repeating: "{\"n\":\"\(String(repeating: "x", count: 500))\"}\n", count: 5000)
    for _ in 0..<8 { try run.say(block) }
    try run.waitForLines(40_000, in: "log.jsonl")
    tap.send(SIGCONT)
    try tap.waitForErrors("events missed")
    // It reads on until it is up to date.
    try tap.wait(for: "the present") {
      try? run.say("{\"n\":\"now\"}\n")
      return tap.shown.hasSuffix("{\"n\":\"now\"}\n")
    }
    try run.sayNoMore()
    try expect(run.end().status, equals: 0)
    let outcome = try tap.end()
    #expect(outcome.status == 0 && outcome.errors.contains("events missed"), "\(outcome.errors)")
  }

  @Test("a tap stays attached when the pipeline is reloaded")
  func reload() throws {
    let text = """
      name: watch
      sources: { numbers: { generate: '{ n: 1 }', every: 50ms } }
      steps: [map: .n]
      sinks: { log: { jsonl: log.jsonl } }
      """
    let place = try Workplace(text)
    let run = try place.start()
    try waitForSocket(of: run, place)
    let tap = try Running(["tap", "watch:map"], in: place, input: .open)
    try tap.wait(for: "an event") { tap.shown.hasPrefix("1\n") }
    try place.write("p.yaml", text.replacingOccurrences(of: "map: .n", with: "map: '{ again: .n }'"))
    run.send(SIGHUP)
    try tap.wait(for: "an event of the new run") { tap.shown.contains("{\"again\":1}") }
    _ = try run.end(by: SIGTERM)
    try expect(tap.end().status, equals: 0)
  }

  @Test("a run that is killed ends it with a failure, and the next run can be tapped")
  func killed() throws {
    let (place, run, tap) = try start("watch:log")
    try feed(run, until: tap, shows: "\n")
    _ = try run.end(by: SIGKILL)
    let outcome = try tap.end()
    #expect(outcome.status == 1 && outcome.errors.contains("was killed"), "\(outcome)")
    let next = try place.start()
    try waitForSocket(of: next, place)
    #expect(!place.has("state/flow/\(run.number).sock"))
    let again = try Running(["tap", "watch:log"], in: place, input: .open)
    try feed(next, until: again, shows: "\n")
    _ = try next.end(by: SIGTERM)
    try expect(again.end().status, equals: 0)
  }

  @Test("marbles: a lane for each node, printed where there is no terminal")
  func marbles() throws {
    let (_, run, tap) = try start("watch", "--marbles", "--every", "50ms")
    try feed(run, until: tap, shows: "numbers  ")
    try run.sayNoMore()
    let outcome = try tap.end()
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    expect(
      lines.dropFirst().prefix(4).map { $0.prefix(9) },
      equals: [
        "numbers  ", "filter   ", "map      ", "log      ",
      ])
    #expect(lines.contains { $0.hasPrefix("log ") && $0.contains { "●23456789#".contains($0) } })
    #expect(lines.allSatisfy { $0.count <= 69 })
  }

  @Test("names that do not exist are mistakes, with the one that was probably meant")
  func unknown() throws {
    let place = try Workplace(Self.pipeline)
    let none = try place.flow("tap", "watch")
    #expect(none.status == 2 && none.errors.contains("no pipeline “watch” runs"), "\(none)")
    let run = try place.start()
    try waitForSocket(of: run, place)
    let pipeline = try place.flow("tap", "wacth:map")
    #expect(pipeline.status == 2 && pipeline.errors.contains("did you mean “watch”?"), "\(pipeline)")
    let node = try place.flow("tap", "watch:mpa")
    #expect(node.status == 2 && node.errors.contains("no node “mpa”; did you mean “map”?"), "\(node)")
    let filter = try place.flow("tap", "watch:map", ".a |")
    #expect(filter.status == 2 && filter.errors.contains("the filter is not valid jq"), "\(filter)")
    #expect(try place.flow("tap", "watch", "wathc").errors.contains("did you mean “watch”?"))
    for wrong in [
      ["-n", "0"], ["--every", "1s"], ["--marbles", "-n", "1"], ["--marbles", "--every", "1ms"],
    ] {
      try expect(place.flow(["tap", "watch"] + wrong).status, equals: 2)
    }
    try expect(place.flow("tap").status, equals: 2)
    _ = try run.end(by: SIGTERM)
  }

  @Test("operands are pipelines and nodes, across processes, and a filter behind them")
  func targets() throws {
    func status(_ process: Int, _ name: String, _ nodes: String...) -> RunStatus {
      var pipeline = PipelineStatus(name: name, path: "\(name).yaml", phase: .running, started: 0)
      pipeline.nodes = nodes.map { NodeStatus(name: $0, kind: $0, role: .step) }
      return RunStatus(process: process, version: "0", at: 0, pipelines: [pipeline])
    }
    let statuses = [status(1, "slips", "map", "log"), status(2, "moon", "map")]
    func read(_ operands: String...) throws -> TapTargets {
      try TapTargets(operands, statuses, in: "f") { $0.hasSuffix(".yaml") ? String($0.dropLast(5)) : $0 }
    }
    let one = try read("slips:map")
    #expect(!one.areMany && one.filter == nil && one.processes.map(\.process) == [1])
    let two = try read("slips.yaml:log", "moon", "length")
    #expect(two.areMany && two.filter != nil && two.processes.map(\.process) == [1, 2])
    expect(two.processes[0].nodes, equals: [TapTarget(pipeline: "slips", node: "log")])
    #expect(try read("slips", ".net").filter != nil)
    #expect(throws: StateError.self) { try read("slips", "moonn") }
    #expect(throws: StateError.self) { try read("moon:log") }
  }
}
