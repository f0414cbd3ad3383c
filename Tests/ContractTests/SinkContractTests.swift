import Expectations
import AllNodes
@testable import Delivery
import TestSupport
import JSON
import Reactive
import Testing
import Trials

import System
@testable import Engine
@testable import Language

/// What every sink must keep to; one that is not listed with a way to try it fails.
@Suite("Contract of sinks", .timeLimit(.minutes(30)))
struct SinkContractTests {
  static let kinds = Catalog.all.sinks.map(\.kind)
  /// Those that keep a connection to a server, which their own tests start; `ConnectedSinkContractTests` tries them.
  static let connected = ["mqtt", "nats", "redis"]
  static let own = kinds.filter { !connected.contains($0) }

  /// A sink that does something harmless, and which of its expressions fails on the number 2.
  static func trial(_ kind: String, in folder: String, failing: Bool = false) -> String? {
    let expression = failing ? #"if . == 2 then error("no") else . end"# : "."
    let template = failing ? #"\(if . == 2 then error("no") else . end)"# : #"\(.)"#
    switch kind {
    case "console": return "console: '\(template)'"
    case "jsonl": return "jsonl: '\(folder)/\(template).jsonl'"
    case "csv": return "csv: { path: '\(folder)/\(template).csv', columns: ['\(expression)'], header: false }"
    case "feed": return "feed: { path: '\(folder)/it.atom', title: '\(template)' }"
    // Where there is no folder yet, it starts: the folder may come.
    case "git": return "git: { path: '\(folder)/none/it.json', key: '\(expression)' }"
    case "exec": return "exec: { command: ['true', '\(template)'] }"
    case "http": return "http: 'http://a/\(template)'"
    case "sql":
      return "sql: { url: 'sqlite:\(folder)/it.db', table: it, key: '\(expression)', create: true }"
    case "ics":
      let options = "path: '\(folder)/it.ics', key: ., summary: '\(template)'"
      return "ics: { \(options), start: '1767225600' }"
    case "page": return "page: { key: ., title: '\(template)' }"
    case "download":
      return "download: { url: '\"http://a/\\(\(expression))\"', path: '\(folder)/\(template)' }"
    case "notify": return "notify: { title: '\(template)', through: bell }"
    case "metrics": return "metrics: { counter: it_total, labels: { it: '\(template)' } }"
    case "count": return "count: '\(expression)'"
    case "null": return "null: \(failing ? "{ when: '\(expression)' }" : "")"
    default: return nil
    }
  }

  private func run(_ kind: String, failing: Bool = false, _ values: [String]) throws -> SinkBench.Seen {
    let folder = Folder()
    let sink = try #require(
      Self.trial(kind, in: folder.path, failing: failing),
      "\(kind) has no trial in this contract: it needs a case in `trial`, or a place in `connected`")
    return try SinkBench().run("it:\n  \(sink)", lines: values)
  }

  private func spec(_ kind: String) throws -> NodeSpec {
    try #require(Catalog.all.sinks.first { $0.kind == kind })
  }

  @Test(
    "it is declared whole: a summary of one line, examples that are right, options that they show",
    arguments: kinds)
  func declaration(_ kind: String) throws { Contract.checkDeclaration(try spec(kind)) }

  @Test("counters tell how many events went in, and that all of them were taken", arguments: own)
  func counters(_ kind: String) throws {
    for count in [0, 1, 100] {
      let seen = try run(kind, (0..<count).map { "\($0)" })
      let counts = try #require(seen.statistics.last)
      #expect(counts.eventsIn == count && counts.eventsOut == count && counts.errors == 0)
      #expect(!seen.hasFailed)
    }
  }

  @Test(
    "a failing event is reported with its input and counted; the others are accepted",
    arguments: own)
  func failures(_ kind: String) throws {
    let seen = try run(kind, failing: true, ["1", "2", "3"])
    let counts = try #require(seen.statistics.last)
    #expect(counts.eventsIn == 3 && counts.eventsOut == 2 && counts.errors == 1)
    #expect(
      seen.log.contains { $0.contains(": no\n") && $0.hasPrefix("it: ") && $0.hasSuffix("in: 2") },
      "\(seen.log)")
    #expect(counts.lost == 1 && seen.hasFailed, "a run that lost an event has failed")
  }

  @Test("a turn that gave it nothing does nothing, and to finish twice is to finish once", arguments: own)
  func atRest(_ kind: String) throws {
    let folder = Folder()
    let bench = try LoneSink(try #require(Self.trial(kind, in: folder.path)))
    for _ in 0..<3 { try bench.sink.endTurn() }
    #expect(bench.writes.entries.isEmpty && bench.log.entries.isEmpty && names(in: folder.path).isEmpty)
    try bench.sink.take(Event(.number(7), Poll(source: "in", at: 0)))
    try bench.sink.endTurn()
    try bench.sink.finish(by: .distantFuture)
    let (writes, log) = (bench.writes.entries, bench.log.entries)
    let files = names(in: folder.path).map { contents(of: "\(folder.path)/\($0)") }
    for _ in 0..<2 {
      try bench.sink.endTurn()
      try bench.sink.finish(by: .distantFuture)
    }
    #expect(bench.writes.entries == writes && bench.log.entries == log)
    expect(names(in: folder.path).map { contents(of: "\(folder.path)/\($0)") }, equals: files)
  }

  @Test(
    "whatever a sink throws wherever, the pipeline goes on and counts it",
    arguments: [Faulty.Place.take, .endTurn, .endPoll, .finish])
  func throwing(_ place: Faulty.Place) throws {
    let heard = Journal<String>()
    let ends = Journal<Bool>()
    let clock = VirtualScheduler()
    var reader = PipelineReader(catalog: .all)
    let yaml =
      "sources: { in: { generate: range(3), every: 1s } }\nsteps: []\nsinks: { bad: null, good: null }\n"
    reader.read(path: "p.yaml", Array(yaml.utf8))
    let plan = try #require(reader.plans.first)
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.world.wallClock = { Double(clock.now.nanoseconds) / 1e9 }
    options.sink = { plan, _ in Faulty(plan.name == "bad" ? place : nil) { heard.note("\(plan.name) \($0)") }
    }
    let run = try PipelineRun(plan, options, clock: clock) { ends.note($0) }
    run.start()
    clock.advance(by: .milliseconds(1500))
    run.stop()
    clock.advance(by: .seconds(1))
    // An event that could not be taken is one thing; a sink that does not write makes the run a failed one.
    expect(ends.entries, equals: [place != .take])
    expect(heard.entries.filter { $0.hasPrefix("good") }, equals: (0..<6).map { "good \($0 % 3)" })
    let errors = run.statistics.map(\.errors)
    let expected = [Faulty.Place.take: 6, .endTurn: 2, .endPoll: 2, .finish: 1]
    #expect(errors[1] == expected[place] && errors[2] == 0)
  }
}

/// A sink that fails wherever it is asked to.
final class Faulty: Sink {
  enum Place: Sendable { case take, endTurn, endPoll, finish }

  struct Fault: Error {}

  private let place: Place?
  private let note: (Value) -> Void

  init(_ place: Place?, _ note: @escaping (Value) -> Void) {
    self.place = place
    self.note = note
  }

  private func fail(at place: Place) throws { if self.place == place { throw Fault() } }

  func take(_ event: Event) throws {
    note(event.value)
    try fail(at: .take)
  }
  func endTurn() throws { try fail(at: .endTurn) }
  func endPoll(_ poll: Poll) throws { try fail(at: .endPoll) }
  func finish(by deadline: Instant) throws { try fail(at: .finish) }
}

/// A sink by itself, called as the lane would.
private struct LoneSink {
  let sink: any Sink
  let writes = Journal<String>()
  let log = Journal<String>()

  init(_ yaml: String) throws {
    var reader = PipelineReader(catalog: .all)
    let text = "sources: { in: stdin }\nsteps: []\nsinks:\n  it:\n    \(yaml)\n"
    reader.read(path: "p.yaml", Array(text.utf8))
    let plan = try #require(reader.plans.first?.sinks.first, "\(reader.problems)")
    var world = World.real
    world[WebAccess.self] = Canned.access { _ in .init("") }
    let context = SinkContext.lone(
      world, write: { [writes] in writes.note(String(decoding: $0, as: UTF8.self)) }
    ) { [log] entry in log.note(entry.message) }
    guard case .sink(let make) = plan.spec.maker as? Maker else {
      throw Trial.Wrong(description: "this is no sink")
    }
    sink = try make(plan.options, context)
  }
}
