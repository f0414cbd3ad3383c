import Foundation
import Testing

/// `flow run` on input and output files that others replace, overwrite or rename between two runs.
@Suite(.timeLimit(.minutes(5))) struct RunReplacedFileTests {
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
    #expect(try place.run("--state", "st", "--once").status == 0)
    if change == .removed { try place.remove("in.jsonl") }
    let last = change == .overwritten ? 529 : 699
    let file = try #require(fopen(place["in.jsonl"], "w"))
    fputs(numbers(500...last), file)
    fclose(file)
    if isOnce {
      let second = try place.run("--state", "st", "--once")
      #expect(second.status == 0)
      if change != .overwritten { #expect(second.errors.contains("is read from its beginning")) }
    } else {
      let running = try place.start("--state", "st")
      try running.waitForLines(50 + last - 499, in: "log.jsonl")
      _ = try running.end(by: SIGINT)
    }
    #expect(place.lines("log.jsonl") == texts(1...50) + texts(500...last))
    // The next run goes on as ever.
    try place.append("in.jsonl", "1000\n")
    #expect(try place.run("--state", "st", "--once").status == 0)
    #expect(place.lines("log.jsonl") == texts(1...50) + texts(500...last) + ["1000"])
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
    #expect(place.lines("log.jsonl") == texts(1...110))
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
    #expect(place.lines("log.jsonl-20261122") + place.lines("log.jsonl") == texts(1...100))
  }
}
