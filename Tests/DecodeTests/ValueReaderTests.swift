import Expectations
import TestSupport
import Glibc
import JSON
import Testing

@testable import Decode
import System

/// Gives a text in pieces of given sizes, over and over.
final class Pieces: ByteSource {
  private var rest: ArraySlice<UInt8>
  private var sizes: [Int]
  private var turn = 0

  init(_ text: [UInt8], _ sizes: [Int]) {
    rest = text[...]
    self.sizes = sizes
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(sizes[turn % sizes.count], buffer.count, rest.count)
    turn += 1
    buffer.copyBytes(from: rest.prefix(count))
    rest = rest.dropFirst(count)
    return count
  }
}

/// A text whose reader is stopped before its end.
private final class CutShort: ByteSource {
  private let pieces: Pieces
  let isCutShort = true

  init(_ text: String) { pieces = Pieces(Array(text.utf8), [1 << 20]) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { pieces.read(into: buffer) }
}

@Suite(.timeLimit(.minutes(30))) struct UnfinishedTextTests {
  private func read(_ source: any ByteSource, leavesUnfinishedLine: Bool) throws -> (
    values: [String], end: Int
  ) {
    let reader = ValueReader(source, path: "in", leavesUnfinishedLine: leavesUnfinishedLine) { flaw in
      Issue.record("\(flaw)")
    }
    var values: [String] = []
    while case let batch = try reader.nextBatch(), !batch.isEmpty { values += batch.map(\.description) }
    return (values, reader.position.offset)
  }

  @Test("a reader that is stopped within a value neither gives a part of it nor reports a mistake")
  func stopped() throws {
    for (text, values) in [
      ("1\n23\n4", ["1", "23"]), ("{\"a\":1}\n{\"a\":\"x", ["{\"a\":1}"]), ("[1,2,{\"a\"", ["1", "2"]),
      ("{\n\"a\":", []), ("{\"a\":1", []), ("", []),
    ] {
      try expect(read(CutShort(text), leavesUnfinishedLine: false).values, equals: values, "\(text)")
    }
  }

  @Test("a line that may still be written is left for the next reader, which finds it whole")
  func growing() throws {
    let text = "{\"a\":1}\n{\"a\":"
    let found = try read(Pieces(Array(text.utf8), [5]), leavesUnfinishedLine: true)
    #expect(found.values == ["{\"a\":1}"] && found.end == 8)
    #expect(try read(Pieces(Array("{\"a\"".utf8), [3]), leavesUnfinishedLine: true).values.isEmpty)
  }
}

/// What is read of a text: its values, and what is reported.
struct Reading: Equatable {
  var values: [String] = []
  var flaws: [String] = []
  /// The flaws without what is shown of the text, which may be less where less of it had been read.
  var reasons: [String] = []
}

func reading(
  _ text: [UInt8], _ format: TextFormat = .json, sizes: [Int] = [1 << 20], limits: ReadLimits = ReadLimits()
) throws -> Reading {
  var flaws: [BadText] = []
  let reader = ValueReader(Pieces(text, sizes), path: "in", Decoding(format), limits: limits) {
    flaws.append($0)
  }
  var found = Reading()
  while case let batch = try reader.nextBatch(), !batch.isEmpty {
    #expect(batch.count <= limits.batch)
    found.values += batch.map(\.description)
  }
  #expect(try reader.nextBatch().isEmpty)
  #expect(reader.position == (text.count, 0))
  found.flaws = flaws.map(\.description)
  found.reasons = flaws.map { "\($0.line): \($0.reason)" }
  return found
}

func reading(_ text: String, _ format: TextFormat = .json, limits: ReadLimits = ReadLimits()) throws
  -> Reading
{
  try reading(Array(text.utf8), format, limits: limits)
}

@Suite struct ValueReaderTests {
  @Test(
    "the format is found out",
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"]),
      ("\r\n{\"a\":1}\r\n\r\n 2 ", ["{\"a\":1}", "2"]),
      ("\u{feff}{\"a\":1}\n", ["{\"a\":1}"]),
      ("{\"a\":1}{\"a\":2} 3\n\"x\"", ["{\"a\":1}", "{\"a\":2}", "3", "\"x\""]),
      ("{\n  \"a\": [1,\n 2]\n}\n{\n}\n7", ["{\"a\":[1,2]}", "{}", "7"]),
      ("[{\"a\":1},\n [2, \"],[\"], \"x\\\"\", null]", ["{\"a\":1}", "[2,\"],[\"]", "\"x\\\"\"", "null"]),
      ("\u{feff} [ ] ", []), ("", []), ("  \n", []), ("1", ["1"]), ("[1,2", ["1", "2"]),
    ])
  func formats(text: String, values: [String]) throws {
    try expect(reading(text).values, equals: values)
  }

  @Test("each line of a JSON-lines file is for itself, arrays as well")
  func lines() throws {
    try expect(reading("[1,2]\n[3]\n", .lines), equals: Reading(values: ["[1,2]", "[3]"]))
    let found = try reading("[1,\n2]\n", .lines)
    expect(found.values, equals: [])
    expect(found.flaws.count, equals: 2)
  }

  @Test("a bad line is reported with its place and affects no other")
  func badLine() throws {
    let found = try reading("{\"a\":1}\n{\"a\":tru}\n{\"b\n\u{1b}[31m\n{\"a\":3}\n{\"a\":")
    expect(found.values, equals: ["{\"a\":1}", "{\"a\":3}"])
    expect(found.flaws.map { $0.prefix(5) }, equals: ["in:2:", "in:3:", "in:4:", "in:6:"])
    #expect(found.flaws[0].hasSuffix(": {\"a\":tru}"))
    #expect(found.flaws[2].hasSuffix(":  [31m"))
    #expect(found.flaws[3].hasSuffix("unexpected end: {\"a\":"))
  }

  @Test("a bad line among many that are parsed at once is found")
  func badLineInChunk() throws {
    var lines = (0..<5000).map { "{\"id\":\($0)}" }
    lines[3000] = "{\"id\":3000"
    let found = try reading(lines.joined(separator: "\n"))
    expect(found.values, equals: lines.filter { $0 != "{\"id\":3000" })
    expect(found.flaws.count, equals: 1)
    expect(found.flaws.first?.hasPrefix("in:3001: "), equals: true)
  }

  @Test("a line or value that is not UTF-8 is reported with its place, however many there are")
  func invalidText() throws {
    let text =
      [UInt8]("\"a".utf8) + [0xff] + [UInt8]("b\"\n2\n\"ü".utf8) + [0xe2, 0x82] + [UInt8]("\"\n3\n".utf8)
    let flaws = [
      "in:1:3: the text is not UTF-8: byte 0xff: \"a\u{fffd}b\"",
      "in:3:3: the text is not UTF-8: byte 0xe2: \"ü\u{fffd}\"",
    ]
    let short = try reading(text)
    #expect(short.values == ["2", "3"] && short.flaws == flaws)
    let more = Array(String(repeating: "1\n", count: 50_000).utf8)
    let long = try reading(text + more)
    #expect(long.values.count == 50_002 && long.flaws == flaws)
    let array =
      [UInt8]("[1,\n  {\"a\":\n\"".utf8) + [0xe9] + [UInt8]("\"}, \"".utf8) + [0xfc] + [UInt8]("\", 2]".utf8)
    let found = try reading(array)
    expect(found.values, equals: ["1", "2"])
    expect(
      found.flaws.map { $0.prefix(44) },
      equals: [
        "in:3:2: the text is not UTF-8: byte 0xe9: \"\u{fffd}",
        "in:3: the text is not UTF-8: byte 0xfc: \"\u{fffd}\"",
      ].map { $0.prefix(44) })
  }

  @Test("a bad value in an indented text costs only itself")
  func badValue() throws {
    let good = "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n"
    let bad = "{\n  \"a\": 1\n  \"b\": {\n    \"c\": \"d\"\n  }\n}\n"
    let found = try reading(good + bad + good)
    expect(found.values, equals: ["{\"a\":1,\"b\":[2]}", "{\"a\":1,\"b\":[2]}"])
    expect(found.flaws.count, equals: 1)
    expect(found.flaws.first?.hasPrefix("in:7: a comma is missing: {"), equals: true)
  }

  @Test("a file that begins with a line cut off is still one of lines")
  func firstLineCutOff() throws {
    let found = try reading("{\"a\":{\"b\":\n{\"a\":2}\n{\"a\":3}\n[4,\n{\"a\":5}\n")
    expect(found.values, equals: ["{\"a\":2}", "{\"a\":3}", "{\"a\":5}"])
    expect(found.flaws.map { $0.prefix(5) }, equals: ["in:1:", "in:4:"])
  }

  @Test("a bad element of an array affects no other, and text after the array is reported once")
  func arrayFlaws() throws {
    let found = try reading("[{\"a\":1},\n{\"a\":tru}, 2,\n 3]\n[4]\n[5]")
    expect(found.values, equals: ["{\"a\":1}", "2", "3"])
    expect(found.flaws.map { $0.prefix(5) }, equals: ["in:2:", "in:4:"])
    expect(found.flaws.last?.contains("decode: lines"), equals: true)
    try expect(reading("{}", .array).flaws, equals: ["in:1: the text is not an array: {}"])
    try expect(reading("[1", .array).flaws, equals: ["in:1: unexpected end of the array: "])
  }

  @Test("a line longer than the limit is skipped in little memory, and reported")
  func longLine() throws {
    let folder = try TemporaryFolder()
    let piece = String(repeating: "x", count: 1 << 20)
    try folder.write("a", "1\n\"")
    for _ in 0..<50 { try folder.append("a", piece) }
    try folder.append("a", "\"\n2\n")
    for format in [TextFormat.lines, .values, .json] {
      // Other tests take memory meanwhile: the least of three readings is its own.
      var least = Int.max
      for _ in 0..<3 {
        var flaws: [BadText] = []
        let before = residentBytes()
        let reader = ValueReader(try InputFile(folder["a"]), path: "a", Decoding(format)) { flaws.append($0) }
        var values: [String] = []
        var most = 0
        while case let batch = try reader.nextBatch(), !batch.isEmpty {
          values += batch.map(\.description)
          most = max(most, residentBytes() - before)
        }
        expect(values, equals: ["1", "2"])
        expect(flaws.map(\.line), equals: [2])
        expect(flaws.first?.excerpt.unicodeScalars.count, equals: 80)
        least = min(least, most)
      }
      #expect(least < 40 << 20)
    }
  }

  @Test("the limit is the same wherever the reads end", arguments: [3, 9, 10, 1000])
  func limits(chunk: Int) throws {
    let limits = ReadLimits(chunk: chunk, value: 9, together: chunk)
    let text = "123456789\n1234567890\n\"34567\"\n1234567890"
    try expect(reading(text, .lines, limits: limits).values, equals: ["123456789", "\"34567\""])
    try expect(reading("[[1,2],[3,4,5,678],7]", limits: limits).values, equals: ["[1,2]", "7"])
  }

  @Test("reading goes on at a place that was given, with no value twice or lost")
  func positions() throws {
    let text = Array((0..<3000).map { "{\"id\":\($0)}\n" }.joined().utf8)
    let limits = ReadLimits(chunk: 10_000, batch: 100, together: 10)
    let first = ValueReader(Pieces(text, [1 << 20]), path: "in", limits: limits) { _ in }
    var seen = 0
    for _ in 0..<13 {
      seen += try first.nextBatch().count
      let place = first.position
      let second = ValueReader(Pieces(Array(text[place.offset...]), [1 << 20]), path: "in", limits: limits) {
        _ in
      }
      var values: [Value] = []
      while case let batch = try second.nextBatch(), !batch.isEmpty { values += batch }
      expect(values.count - place.values, equals: 3000 - seen)
      expect(values.dropFirst(place.values).first?.description, equals: "{\"id\":\(seen)}")
    }
  }

  @Test("blank lines without end take no time without end")
  func blankLines() throws {
    let text = [UInt8](repeating: 0x0a, count: 1 << 20) + Array("{}".utf8)
    try expect(reading(text, .lines).values, equals: ["{}"])
  }
}

/// Memory in use by this process, as the system counts it.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, 128, file) != nil else { return 0 }
  let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
    separator: " ")
  return (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}
