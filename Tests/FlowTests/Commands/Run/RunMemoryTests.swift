import Foundation
import TestScale
import Testing

/// How much memory a run takes that never ends.
@Suite("Memory of runs", .timeLimit(.minutes(30)), .enabled(if: !TestScale.isSanitized))
struct RunMemoryTests {
  /// New keys, each once, through steps that remember them: as many as fill their tables, and several times that.
  @Test("new keys without end take no more memory than the caches of the tables and of the state")
  func keys() throws {
    let place = try Workplace(
      """
      name: churn
      fsync: never
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      steps:
        - dedupe: { key: .k, bound: 2000 }
        - scan: { key: .k, init: 0, update: '. + 1', emit: '$event', max_keys: 2000 }
        - distinct_until_changed: { key: .k, value: .s, bound: 2000 }
        - remind: { key: .k, at: now + 3600, max_keys: 2000, pass: true }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let count = TestScale.count(6000, atLeast: 6000)
    try place.write("in.jsonl", "")
    let running = try Running(["run", "p.yaml"], in: place, input: .file("/dev/null"))
    var most: [Int] = []
    for round in 0..<3 {
      let numbers = round * count / 3..<(round + 1) * count / 3
      let lines = numbers.map { "{\"k\":\"key number \($0)\",\"s\":\"a text of some length, \($0)\"}\n" }
      try place.append("in.jsonl", Data(lines.joined().utf8))
      try running.waitForLines(numbers.upperBound, in: "log.jsonl")
      most.append(try #require(running.mostMemory) >> 10)
    }
    // A table caches 8 MiB, and has room for half as much again.
    #expect(most[2] < 4 * 12 + 16, "\(most) MB")
    _ = try running.end(by: SIGTERM)
  }
}
