import Expectations
import Testing

@testable import JSON

@Suite struct ReaderTests {
  @Test(arguments: [1, 2, 3, 7, 64, 100_000])
  func valuesInARowDoNotDependOnWhereTheTextIsCut(_ piece: Int) {
    let text = Array(#"{"a":"é😀"} [1,2]"x"true false null 12 -1.5e3 [{"b":[]}]"#.utf8)
    let expected = [
      #"{"a":"é😀"}"#, "[1,2]", "\"x\"", "true", "false", "null", "12", "-1.5E+3", #"[{"b":[]}]"#,
    ]
    expect(readAll(text, piece: piece), equals: expected)
  }

  @Test func randomTextsReadTheSameInAllPieces() throws {
    var random = RandomJSON(11)
    for _ in 0..<60 {
      let texts = (0..<8).map { _ in random.text() }
      let expected = try texts.map { try json($0).description }
      let bytes = Array(texts.joined(separator: "\n").utf8)
      for piece in [1, 5, 33, 10_000] { expect(readAll(bytes, piece: piece), equals: expected) }
    }
  }

  @Test func aValueMayBeLargerThanManyChunks() {
    let text = "[" + (0..<200_000).map { "\"item \($0)\"" }.joined(separator: ",") + "]"
    expect(readAll(Array((text + "\n" + text).utf8), piece: 65_536), equals: [text, text])
  }

  @Test func brokenCharactersAreReplacedWhereverTheTextIsCut() {
    let text: [UInt8] = [0x22, 0xc3, 0xa9, 0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0x80, 0x22, 0x0a]
    for piece in 1...text.count {
      expect(readAll(text, piece: piece), equals: ["\"é\u{fffd}\u{fffd}A😀\""], "\(piece)")
    }
  }

  @Test func whatCameBeforeAMistakeIsDelivered() {
    let all = readAll(Array("1 [2] {\"a\":tru} 3".utf8), piece: 4)
    expect(all, equals: ["1", "[2]", "Invalid literal at line 1, column 15"])
  }

  /// The search for the end of a long value never changes the error that the value ends in.
  @Test(arguments: [
    #"["LONG\#n"]"#, #"[1 "LONG"]"#, #"{"a":"LONG" "b":1}"#, #"["LONG"]]"#, #"["LONG", nul]"#, #"["LONG" 5"#,
    #"LONG1"#, #"xLONG"#, #"["LONG"#,
  ])
  func mistakesInLongValues(_ form: String) {
    let text = "1 \(form.replacing("LONG", with: String(repeating: "0123456789", count: 3000))) 3"
    let whole = readAll(Array(text.utf8), piece: 100_000, chunkSize: 100_000)
    for piece in [100, 1500, 4096, 20_000] {
      expect(readAll(Array(text.utf8), piece: piece), equals: whole)
    }
  }

  @Test func heldValuesSurviveTheirChunk() throws {
    let text = Array((0..<3000).map { "{\"n\":\($0),\"s\":\"text\"}\n" }.joined().utf8)
    let reader = Reader(chunkSize: 4096, source: pieces(text, 1500))
    var held: [Value] = []
    while let value = try reader.next() { held.append(value) }
    expect(held.count, equals: 3000)
    #expect(held.enumerated().allSatisfy { $1.member("n")?.double == Double($0) })
  }

  @Test func linesAreCountedAsTheyAreRead() throws {
    let reader = Reader(source: pieces(Array("1\n2\n\n[3,\n4]\n5".utf8), 100))
    var lines: [Int] = []
    while try reader.next() != nil { lines.append(reader.line) }
    expect(lines, equals: [1, 2, 5, 5])
  }

  @Test func aMarkAtTheBeginningIsSkipped() {
    expect(readAll([0xef, 0xbb, 0xbf, 0x31, 0x0a], piece: 10), equals: ["1"])
  }
}
