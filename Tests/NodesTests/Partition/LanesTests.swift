import Engine
import JSON
import Nodes
import Reactive
import Store
import System
import TestSupport
import Testing

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

  private func run(_ folder: TemporaryFolder, _ name: String, lanes: Int, isKept: Bool) throws -> NodeStatus?
  {
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
    run.start()
    #expect(done.wait { $0 } == false)
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
      #expect(try folder.text("more\(lanes)") == one)
      #expect(more?.eventsIn == 20_000 && more?.eventsOut == counts?.eventsOut)
    }
  }
}
