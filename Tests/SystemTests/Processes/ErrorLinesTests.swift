import Expectations
import Testing

import TestSupport
@testable import System

@Suite struct ErrorLinesTests {
  private func told(_ pieces: [[UInt8]]) -> [String] {
    var lines = ErrorLines()
    var told: [String] = []
    for piece in pieces { piece.withUnsafeBytes { lines.take($0) { told.append($0) } } }
    lines.end { told.append($0) }
    return told
  }

  private func told(_ pieces: String...) -> [String] { told(pieces.map { Array($0.utf8) }) }

  @Test("lines come whole however they were written, the last without its end too")
  func lines() {
    expect(told("a", "b\nc", "\n\n", "d"), equals: ["ab", "c", "d"])
    #expect(told().isEmpty)
  }

  @Test("bytes that are no text are repaired")
  func repaired() {
    expect(told([[0x61, 0xff, 0x0a]]), equals: ["a\u{fffd}"])
  }

  @Test("a long line is cut, between two characters, and the rest counted")
  func longLine() {
    let line = "x" + String(repeating: "é", count: 3000)
    let lines = told(line + "\nnext\n")
    expect(lines.count, equals: 3)
    #expect(lines[0].hasSuffix("éé …"))
    #expect(!lines[0].contains("\u{fffd}"))
    #expect(lines[0].utf8.count <= 4096 + " …".utf8.count)
    expect(lines[1...], equals: ["next", "… 2 kB more not shown"])
  }

  @Test("after so many bytes or lines the rest is only counted")
  func muchOfIt() {
    let long = [UInt8](repeating: 0x78, count: 1000) + [0x0a]
    let lines = told(Array(repeating: long, count: 3000))
    expect(lines.count, equals: 67)
    expect(lines.last, equals: "… 3 MB more not shown")
    let many = told(Array(repeating: [0x78, 0x0a], count: 5000))
    expect(many.count, equals: 1001)
    expect(many.last, equals: "… 8 kB more not shown")
  }

  @Test(
    "sizes are rough",
    arguments: [
      (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
      (2_600_000, "3 MB"), (999_499_999, "999 MB"), (999_500_000, "1.0 GB"), (1_249_000_000, "1.2 GB"),
      (9_950_000_000, "10 GB"),
    ])
  func sizes(_ bytes: Int, _ text: String) {
    expect(roughSize(bytes), equals: text)
  }
}
