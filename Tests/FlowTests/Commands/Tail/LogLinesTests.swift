import Expectations
import System
import Testing

@testable import flow

@Suite struct LogLinesTests {
  struct Found: Equatable {
    var lines: [String]
    var end: Int
  }

  func lines(_ text: String, includesUnfinished: Bool = true) throws -> Found {
    try withFile(text) { path throws in
      var reader = try LinesBackwards(
        try SystemDisk().open(toRead: path, followsLinks: true), of: path, size: text.utf8.count,
        includesUnfinished: includesUnfinished)
      var found: [String] = []
      while let line = try reader.next() { found.append(String(decoding: line.bytes, as: UTF8.self)) }
      return Found(lines: found.reversed(), end: reader.endOfLines)
    }
  }

  @Test("lines come out whole, the unfinished one if it is wanted")
  func unfinished() throws {
    try expect(lines("a\n\nbc\nd"), equals: Found(lines: ["a", "", "bc", "d"], end: 7))
    try expect(lines("a\n\nbc\nd", includesUnfinished: false), equals: Found(lines: ["a", "", "bc"], end: 6))
    try expect(lines("a\nb\n", includesUnfinished: false), equals: Found(lines: ["a", "b"], end: 4))
    try expect(lines("\na\n"), equals: Found(lines: ["", "a"], end: 3))
    try expect(lines("a", includesUnfinished: false), equals: Found(lines: [], end: 0))
    try expect(lines(""), equals: Found(lines: [], end: 0))
  }

  @Test("blocks and lines of every length meet without a byte lost")
  func blocks() throws {
    for length in [65534, 65535, 65536, 65537, 200_000] {
      let text = "first\n" + String(repeating: "x", count: length) + "\nlast\n"
      try expect(lines(text).lines, equals: text.split(separator: "\n").map(String.init), "\(length)")
    }
    var random = SystemRandomNumberGenerator()
    let many = (0..<5000).map { _ in String(repeating: "é", count: Int.random(in: 1...90, using: &random)) }
    try expect(lines(many.joined(separator: "\n") + "\n").lines, equals: many)
  }

  @Test("of a line that is too long the beginning is kept, forwards and backwards")
  func longLines() throws {
    let long = String(repeating: "x", count: 200_000)
    let text = "a\n\(long)y\nb\n"
    let expected = [
      LogLine(bytes: Array("a".utf8)), LogLine(bytes: Array(long.utf8.prefix(70_000)), isCut: true),
      LogLine(bytes: Array("b".utf8)),
    ]
    var splitter = LineSplitter(limit: 70_000)
    var forwards: [LogLine] = []
    for byte in [Array(text.utf8.prefix(90_000)), Array(text.utf8.dropFirst(90_000))] {
      byte.withUnsafeBytes { piece in splitter.add(piece) { forwards.append($0) } }
    }
    expect(forwards, equals: expected)
    try withFile(text) { path throws in
      var reader = try LinesBackwards(
        try SystemDisk().open(toRead: path, followsLinks: true), of: path, size: text.utf8.count,
        includesUnfinished: true, limit: 70_000)
      var found: [LogLine] = []
      while let line = try reader.next() { found.insert(line, at: 0) }
      expect(found, equals: expected)
    }
  }
}
