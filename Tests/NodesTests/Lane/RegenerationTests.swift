import TestSupport
import Foundation
import JSON
import Nodes
import Engine
import Language
import Reactive
import Store
import Testing

/// What a killed run has written and not kept is made again by the next one, and passed over: when that is over, and
/// and of runs that are stopped.
@Suite("Making again") struct RegenerationTests {
  private let folder: TemporaryFolder
  private let state: TemporaryState

  init() throws {
    folder = try TemporaryFolder()
    state = try TemporaryState()
    try run(state) { [state] feed, clock in
      feed.numbers(1...5, clock)
      // What a killed run would do next is done to files that are not examined any more.
      try? state.leave()
    }
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n")
  }

  /// Runs a pipeline in virtual time with a scripted source; returns what was logged.
  @discardableResult
  private func run(
    _ state: TemporaryState, options text: String = "", stopAfter: Duration? = nil,
    _ script: @escaping @Sendable (Feed, VirtualScheduler) -> Void
  ) throws -> [String] {
    let plan = try Trial.plan(
      """
      name: p
      epoch: { events: 100000, time: 1h }
      sources: { in: { file: /in\(text) } }
      sinks: { log: { jsonl: \(folder["log"]) } }
      """)
    let clock = VirtualScheduler()
    let log = Journal<String>()
    var options = RunOptions(
      world: .real, log: Log { log.note("\($0.message)") },
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
    options.world.wallClock = { Double(clock.now.nanoseconds) / 1e9 }
    options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    options.source = { _ in
      .stream { _, context in
        log.note("from \(context.position?.description ?? "the beginning")")
        return Scripted { script($0, clock) }
      }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    if let stopAfter { _ = clock.schedule(after: stopAfter) { run.stop() } }
    clock.run(limit: 10_000)
    return log.entries
  }

  /// The first delivery of all is committed before it is written, so that a run after a crash has a place to begin.
  private static let afterFirst = #"from {"n":1,"follow":true}"#

  private static func left(_ bytes: Int, _ path: String) -> String {
    "\(path): \(bytes) bytes after the last commit were not regenerated; they stay, and new lines follow them"
  }

  @Test("it is over as soon as all that was written has come")
  func all() throws {
    let next = try state.copy()
    let log = try run(next, stopAfter: .seconds(1)) { feed, clock in
      feed.numbers(2...6, clock)
      feed.wait(clock)
    }
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n6\n")
    #expect(log == [Self.afterFirst])
    #expect(try run(next) { feed, _ in feed.sayCaughtUp() } == [#"from {"n":6,"follow":true}"#])
  }

  @Test("where less comes it is over when the source has caught up, however long that takes")
  func caughtUp() throws {
    let path = folder["log"]
    let log = try run(state.copy(), stopAfter: .seconds(10_000)) { [folder] feed, clock in
      feed.numbers(2...2, clock)
      clock.advance(by: .seconds(3600))
      feed.numbers(3...3, clock)
      clock.advance(by: .seconds(3600))
      #expect((try? folder.text("log")) == "1\n2\n3\n4\n5\n")
      feed.sayCaughtUp()
      feed.numbers(6...6, clock)
      feed.wait(clock)
    }
    #expect(log == [Self.afterFirst, Self.left(4, path)])
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n6\n")
  }

  @Test("a source that ends has caught up")
  func ended() throws {
    let log = try run(state.copy()) { feed, clock in feed.numbers(2...3, clock) }
    #expect(log == [Self.afterFirst, Self.left(4, folder["log"])])
  }

  @Test("stopped before that, a run keeps nothing, and the next one makes all of it again")
  func stopped() throws {
    let next = try state.copy()
    let first = try run(next, stopAfter: .seconds(1)) { feed, clock in
      feed.numbers(2...2, clock)
      feed.wait(clock)
    }
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n")
    let second = try run(next) { feed, clock in
      feed.numbers(2...6, clock)
      feed.sayCaughtUp()
    }
    #expect(first + second == [Self.afterFirst, Self.afterFirst])
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n6\n")
  }

  @Test(
    "a source of which something may be let go is not made again: its lines are kept before they are written")
  func droppedInBetween() throws {
    let path = folder["log"]
    unlink(path)
    try run(try TemporaryState(), options: ", when_full: drop_oldest") { [folder] feed, clock in
      feed.numbers(1...5, clock)
      #expect((try? folder.text("log")) == "")
    }
    #expect(try folder.text("log") == "1\n2\n3\n4\n5\n")
  }
}

private final class Scripted: StreamSource {
  private let script: (Feed) -> Void
  init(_ script: @escaping (Feed) -> Void) { self.script = script }
  func run(_ feed: Feed) { script(feed) }
}

extension Feed {
  /// Sends numbers one by one, each with a place to go on from.
  fileprivate func numbers(_ numbers: ClosedRange<Int>, _ clock: VirtualScheduler) {
    for number in numbers {
      send([.number(number)], position: .record([("n", .number(number)), ("follow", .bool(true))]))
      clock.advance(by: .zero)
    }
  }

  /// Sends nothing until it is stopped.
  fileprivate func wait(_ clock: VirtualScheduler) {
    while !isStopped { clock.advance(by: .seconds(1)) }
  }
}
