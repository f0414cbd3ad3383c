import AllNodes
@testable import Delivery
import TestSupport
import Fetch
import JSON
import Engine
import Language
import Page
import Reactive
import Store
import Testing

import System

/// A small pipeline around sinks: what flows in is given, what they write and log is collected.
///
///     let seen = try SinkBench().run("screen: console", lines: ["1", "2"])
///     seen.text  // "1\n2\n"
package struct SinkBench {
  package var isTerminal: Bool
  package var hasColors: Bool
  package var columns: Int
  package var rows: Int
  package var isDryRun: Bool
  /// The reader of standard output goes away after this many writes.
  package var readerStays: Int
  package var environment: [String: String] = [:]
  /// What the web answers.
  package var web: @Sendable (TransferOrder) -> Canned.Reply = { _ in .init("") }
  /// The way to it, where it is a real one.
  package var access: WebAccess?
  /// Steps before the sinks, as a pipeline has them.
  package var steps = ""
  /// The option `key` of the polled source.
  package var key: String?
  /// Where the pipeline keeps its state, if it does.
  package var state: TemporaryState?
  package var disk: (any Disk)?
  package var secrets = Secrets()
  package var outputs = OutputPolicy.real
  /// The page that is served, if one is.
  package var page: PageHub?
  /// How long after the last poll the pipeline is stopped, in virtual time.
  package var afterwards: Duration
  package var grace: Duration
  /// Called with the pipeline once it runs, on real time.
  package var meanwhile: (@Sendable (PipelineRun) -> Void)?

  package init(
    isTerminal: Bool = false, hasColors: Bool = false, columns: Int = 40, rows: Int = 10,
    isDryRun: Bool = false, readerStays: Int = .max, afterwards: Duration = .milliseconds(500),
    grace: Duration = .seconds(10), meanwhile: (@Sendable (PipelineRun) -> Void)? = nil
  ) {
    self.isTerminal = isTerminal
    self.hasColors = hasColors
    self.columns = columns
    self.rows = rows
    self.isDryRun = isDryRun
    self.readerStays = readerStays
    self.afterwards = afterwards
    self.grace = grace
    self.meanwhile = meanwhile
  }

  /// A bench whose web answers requests in turn, and with the last answer from then on.
  package static func answering(_ replies: [Canned.Reply], noting asked: Journal<TransferOrder>) -> SinkBench
  {
    var bench = SinkBench()
    bench.web = { order in
      asked.note(order)
      return replies[min(asked.entries.count, replies.count) - 1]
    }
    return bench
  }

  package struct Seen {
    package var writes: [String]
    package var log: [String]
    package var letters: [String]
    package var statistics: [NodeStatus]
    package var hasFailed: Bool
    /// The measurements of sinks at the end.
    package var measured: [Metric] = []

    package init(
      writes: [String] = [], log: [String] = [], letters: [String] = [], statistics: [NodeStatus] = [],
      hasFailed: Bool = false
    ) {
      self.writes = writes
      self.log = log
      self.letters = letters
      self.statistics = statistics
      self.hasFailed = hasFailed
    }

    package var text: String { writes.joined() }
  }

  private final class Notes: Sendable {
    let writes = Journal<String>()
    let log = Journal<String>()
    let letters = Journal<String>()
    let ends = Journal<Bool>()
  }

  /// The line of a poll that fails.
  package static let failedPoll = "\"the poll fails\""

  /// Runs sinks, given as YAML, on the polls of a source (a second apart) or on the lines of one without polls.
  ///
  /// In virtual time, unless `isReal`: then on threads, and with polls until `meanwhile` stops the pipeline.
  package func run(
    _ sinks: String, polls: [[String]] = [], lines: [String] = [], isReal: Bool = false
  ) throws -> Seen {
    let plan = try plan(sinks, polls: polls, lines: lines)
    let notes = Notes()
    let clock = isReal ? nil : VirtualScheduler()
    let run = try PipelineRun(plan, options(notes, clock), clock: clock) { notes.ends.note($0) }
    run.start()
    meanwhile?(run)
    if let clock {
      clock.advance(by: .seconds(max(0, polls.count - 1)) + afterwards)
      run.stop()
      clock.advance(by: .seconds(1))
    }
    #expect(eventually { notes.ends.entries.count == 1 })
    var seen = Seen(
      writes: notes.writes.entries, log: notes.log.entries, letters: notes.letters.entries,
      statistics: run.statistics, hasFailed: notes.ends.entries.first ?? true)
    seen.measured = run.status().measured
    return seen
  }

  /// What is wrong with sinks, given as YAML.
  package static func problems(_ sinks: String) -> String {
    var reader = PipelineReader(catalog: .all)
    reader.read(path: "p.yaml", Array(("sources: { in: stdin }\nsteps: []\nsinks:\n" + indented(sinks)).utf8))
    return reader.problems.description
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "  \($0)\n" }.joined()
  }

  private func plan(_ sinks: String, polls: [[String]], lines: [String]) throws -> Plan {
    let answers = try polls.map { try $0.map { try Value.parse($0) } }
    let values = try lines.map { try Value.parse($0) }
    let catalog = Catalog(
      Catalog.all.nodes + [
        NodeSpec("polls", "polls of a test", .poll { _, _ in TestPolls(answers) }),
        NodeSpec("lines", "values of a test", .stream { _, _ in TestLines(values) }),
      ])
    let source =
      polls.isEmpty ? "in: lines" : "api: { polls: , every: 1s\(key.map { ", key: \($0)" } ?? "") }"
    let text =
      "name: p\nsources: { \(source) }\nsteps: [\(steps)]\nsinks:\n" + Self.indented(sinks)
    var reader = PipelineReader(catalog: catalog)
    reader.placeholders = Placeholders { [environment] in environment[$0] }
    reader.read(path: "p.yaml", Array(text.utf8))
    return try #require(reader.plans.first, "\(reader.problems)")
  }

  private func options(_ notes: Notes, _ clock: VirtualScheduler?) -> RunOptions {
    let environment = environment
    var world = World.real
    world.environment = { environment[$0] }
    if let disk { world.disk = disk }
    world[Secrets.self] = secrets
    if let page { world[PageHub.self] = page }
    if let clock { world.wallClock = { 1_767_225_600 + Double(clock.now.nanoseconds) / 1e9 } }
    world[WebAccess.self] = access ?? Canned.access(wallClock: world.wallClock, web)
    let (columns, rows, readerStays) = (columns, rows, readerStays)
    var options = RunOptions(
      world: world,
      log: Log { entry in
        notes.log.note((["\(entry.node): \(entry.message)"] + entry.details).joined(separator: "\n"))
      },
      screen: Screen(isTerminal: isTerminal, hasColors: hasColors, size: { (columns, rows) }) { bytes in
        if notes.writes.entries.count >= readerStays { throw ReaderGone() }
        notes.writes.note(String(decoding: bytes, as: UTF8.self))
      })
    options.isDryRun = isDryRun
    options.outputs = outputs
    if let path = state?.path {
      options.state = { _ in try StateFile(path: path, .init(database: .init(sync: .never))) }
    }
    options.grace = grace
    options.letters = { path, line in notes.letters.note("\(path): \(String(decoding: line, as: UTF8.self))")
    }
    return options
  }
}

/// Answers one list of rows a poll, then has nothing to say.
private final class TestPolls: BlockingPollSource {
  private var answers: [[Value]]

  package init(_ answers: [[Value]]) { self.answers = answers.reversed() }

  package struct NoMore: Error {}

  package func poll(_ poll: PollRequest) throws -> PollAnswer {
    guard let answer = answers.popLast(), answer.first?.description != SinkBench.failedPoll else {
      throw NoMore()
    }
    return PollAnswer(answer)
  }
}

private final class TestLines: StreamSource {
  private let values: [Value]

  package init(_ values: [Value]) { self.values = values }

  package func run(_ feed: Feed) { feed.send(values) }
}

extension TransferOrder {
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
