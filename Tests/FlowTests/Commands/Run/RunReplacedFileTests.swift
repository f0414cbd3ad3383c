import Expectations
import Foundation
import Testing

/// `flow run` on input and output files that others replace, overwrite or rename between two runs.
@Suite(.timeLimit(.minutes(30))) struct RunReplacedFileTests {
  private let place: Workplace

  init() throws {
    place = try Workplace(
      """
      name: p
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
  }

  private func numbers(_ range: ClosedRange<Int>) -> String { range.map { "\($0)\n" }.joined() }
  private func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

  enum Change: CaseIterable { case removed, overwritten, overwrittenByMore }

  @Test(
    "a followed file that was replaced or overwritten meanwhile is read from its beginning",
    arguments: Change.allCases, [true, false])
  func replaced(change: Change, isOnce: Bool) throws {
    try place.write("in.jsonl", numbers(1...50))
    try expect(place.run("--state", "st", "--once").status, equals: 0)
    if change == .removed { try place.remove("in.jsonl") }
    let last = change == .overwritten ? 529 : 699
    let file = try #require(fopen(place["in.jsonl"], "w"))
    fputs(numbers(500...last), file)
    fclose(file)
    if isOnce {
      let second = try place.run("--state", "st", "--once")
      expect(second.status, equals: 0)
      if change != .overwritten { #expect(second.errors.contains("is read from its beginning")) }
    } else {
      let running = try place.start("--state", "st")
      try running.waitForLines(50 + last - 499, in: "log.jsonl")
      _ = try running.end(by: SIGINT)
    }
    expect(place.lines("log.jsonl"), equals: texts(1...50) + texts(500...last))
    // The next run continues as usual.
    try place.append("in.jsonl", "1000\n")
    try expect(place.run("--state", "st", "--once").status, equals: 0)
    expect(place.lines("log.jsonl"), equals: texts(1...50) + texts(500...last) + ["1000"])
  }

  @Test("a followed file that is rotated after the first run was killed is read to its end")
  func rotatedInFirstEpoch() throws {
    try place.write("in.jsonl", numbers(1...100))
    let first = try place.start("--state", "st")
    try first.waitForLines(100, in: "log.jsonl")
    _ = try first.end(by: SIGKILL)
    try place.append("in.jsonl", numbers(101...105))
    try place.move("in.jsonl", to: "in.jsonl.1")
    try place.write("in.jsonl", numbers(106...110))
    let second = try place.start("--state", "st")
    try second.waitForLines(110, in: "log.jsonl")
    _ = try second.end(by: SIGINT)
    expect(place.lines("log.jsonl"), equals: texts(1...110))
  }

  @Test(
    "an output file that is renamed, and a kill within the epoch, double nothing", arguments: [true, false])
  func renamedOutput(isWrittenAfter: Bool) throws {
    try place.write("in.jsonl", numbers(1...50))
    let first = try place.start("--state", "st")
    try first.waitForLines(50, in: "log.jsonl")
    try place.append("in.jsonl", numbers(51...60))
    try first.waitForLines(60, in: "log.jsonl")
    try place.move("log.jsonl", to: "log.jsonl-20261122")
    try place.append("in.jsonl", numbers(61...100))
    if isWrittenAfter { try first.waitForLines(40, in: "log.jsonl") }
    _ = try first.end(by: SIGKILL)
    let second = try place.start("--state", "st")
    try second.waitForLines(40, in: "log.jsonl")
    _ = try second.end(by: SIGINT)
    expect(place.lines("log.jsonl-20261122") + place.lines("log.jsonl"), equals: texts(1...100))
  }

  @Test("an output file that another process writes to is refused, and the process is named")
  func twoProcesses() throws {
    try place.write("in.jsonl", "1\n")
    let first = try place.start("--state", "st")
    try first.waitForLines(1, in: "log.jsonl")
    let second = try place.run("--state", "other", "--once")
    expect(second.status, equals: 1)
    #expect(
      second.errors.contains(
        "log.jsonl: in use by process \(first.number); a file has one pipeline at a time"))
    _ = try first.end(by: SIGKILL)
    try expect(place.run("--state", "st", "--once").status, equals: 0)
    expect(place.lines("log.jsonl"), equals: ["1"])
  }

  @Test("a run whose state is removed meanwhile ends with 1 and says so")
  func removedState() throws {
    try place.write("in.jsonl", "1\n")
    let running = try place.start("--state", "st")
    try running.waitForLines(1, in: "log.jsonl")
    try place.remove("st/p.db")
    try place.append("in.jsonl", "2\n")
    let outcome = try running.end()
    expect(outcome.status, equals: 1)
    #expect(outcome.errors.contains("p.db: removed while it was in use; nothing more is kept"))
  }

  @Test("marks of files whose paths vary are kept of the last 1000 alone, and no line is lost or doubled")
  func manyPaths() throws {
    try place.write(
      "pipeline.yaml",
      """
      name: p
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      sinks: { log: { jsonl: 'out/\\(. % 1500).jsonl' } }
      """)
    try place.write("in.jsonl", numbers(0...1499))
    try expect(place.flow("run", "pipeline.yaml", "--state", "st", "--once").status, equals: 0)
    try place.append("in.jsonl", numbers(1500...2999))
    try expect(place.flow("run", "pipeline.yaml", "--state", "st", "--once").status, equals: 0)
    for number in 0..<1500 {
      expect(place.lines("out/\(number).jsonl"), equals: ["\(number)", "\(number + 1500)"])
    }
    let state = try place.flow("state", "show", "p", "--state", "st", "--json")
    #expect(state.output.components(separatedBy: "file:").count <= 1001)
  }
}
