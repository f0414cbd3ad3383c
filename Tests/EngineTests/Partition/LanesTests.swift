import Expectations
import Engine
import JSON
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Language

/// Tasks on several threads: the bytes that come out are those of one thread.
@Suite("Lanes") struct LanesTests {
  private static let steps = """
    - filter: .n >= 0
    - partition: { by: .k }
    - changes: { key: .k }
    - scan: { key: .key, init: 0, update: . + 1, emit: '$event + {s: .} | del(.at)' }
    - filter: .s % 5 != 4
    """

  private func run(
    _ folder: TemporaryFolder, _ name: String, lanes: Int, isKept: Bool, tap: EventTap? = nil
  ) throws -> NodeStatus? {
    let plan = try Trial.plan(
      """
      name: p
      sources: { input: { file: \(folder["in.jsonl"]) } }
      steps:
      \(Self.steps.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      sinks: { log: { jsonl: \(folder[name]) } }
      """)
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.lanes = lanes
    if isKept {
      options.state = { _ in try StateFile(path: folder[name + ".db"], .init(database: .init(sync: .never))) }
    }
    let done = ConditionLock<Bool?>(nil)
    let run = try PipelineRun(plan, options) { hasFailed in done.change { $0 = hasFailed } }
    if let tap { run.attach(tap) }
    run.start()
    expect(done.wait { $0 }, equals: false)
    return run.statistics.first { $0.name == "changes" }
  }

  @Test("many events give the same lines with one lane and with several", arguments: [false, true])
  func lines(isKept: Bool) throws {
    let folder = try TemporaryFolder()
    let rows = (0..<20_000).map { #"{"k":"\#($0 &* 7919 % 1301)","n":\#($0),"v":\#($0 % 3)}"# }
    try folder.write("in.jsonl", rows.joined(separator: "\n") + "\n")
    let counts = try run(folder, "one", lanes: 1, isKept: isKept)
    let one = try folder.text("one")
    #expect(one.count > 100_000)
    for lanes in [2, 5] {
      let more = try run(folder, "more\(lanes)", lanes: lanes, isKept: isKept)
      try expect(folder.text("more\(lanes)"), equals: one)
      #expect(more?.eventsIn == 20_000 && more?.eventsOut == counts?.eventsOut)
    }
  }

  @Test(
    "what a source that is not polled sends is written at the end of its turn, also below two partitions",
    arguments: [1, 3])
  func turns(lanes: Int) throws {
    let folder = try TemporaryFolder()
    try folder.write("in.jsonl", "")
    let plan = try Trial.plan(
      """
      name: p
      sources: { input: { file: { path: \(folder["in.jsonl"]), follow: true } } }
      streams:
        first: { from: input, steps: [{ partition: { by: .k } }, { filter: .n >= 0 }] }
        second: { from: first, steps: [{ partition: { by: .n } }, { filter: .n >= 0 }] }
        third: { from: [first, second], steps: [{ partition: { by: .n } }, { filter: .n >= 0 }] }
      sinks:
        a: { from: first, jsonl: \(folder["a"]) }
        b: { from: second, jsonl: \(folder["b"]) }
        c: { from: third, jsonl: \(folder["c"]) }
      """)
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.lanes = lanes
    options.state = { _ in try StateFile(path: folder["p.db"], .init(database: .init(sync: .never))) }
    let done = ConditionLock<Bool?>(nil)
    let run = try PipelineRun(plan, options) { hasFailed in done.change { $0 = hasFailed } }
    run.start()
    for number in 1...3 {
      try folder.append("in.jsonl", #"{"k":\#(number),"n":\#(number)}\#n"#)
      for (name, copies) in [("a", 1), ("b", 1), ("c", 2)] {
        #expect(
          eventually { (try? folder.text(name).split(separator: "\n").count) == number * copies }, "\(name)")
      }
    }
    run.stop()
    expect(done.wait { $0 }, equals: false)
  }

  @Test(
    "taps show the same in each node with one lane and with several, and their order is that of the output")
  func taps() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<3000).map { #"{"k":"\#($0 &* 7919 % 31)","n":\#($0),"v":\#($0 % 3)}"# }
    try folder.write("in.jsonl", rows.joined(separator: "\n") + "\n")
    func tapped(lanes: Int) throws -> [String: [[UInt8]]] {
      let tap = EventTap(.init(events: 100_000, eventsPerSecond: 100_000, bytesPerSecond: 1 << 30))
      _ = try run(folder, "lanes\(lanes)", lanes: lanes, isKept: false, tap: tap)
      let (events, missed) = tap.take()
      expect(missed, equals: 0)
      return Dictionary(grouping: events, by: \.node).mapValues { $0.compactMap(\.json) }
    }
    let one = try tapped(lanes: 1)
    #expect(
      one["partition"]?.count == 3000 && one["changes"]?.isEmpty == false && one["log"]?.isEmpty == false)
    let several = try tapped(lanes: 3)
    // Changes have the time of the run.
    for (node, events) in one where node != "changes" { expect(several[node], equals: events, "\(node)") }
    expect(several["changes"]?.count, equals: one["changes"]?.count)
  }
}
