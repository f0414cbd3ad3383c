import Expectations
import Testing

@testable import JSON

@Suite struct ChunkParserTests {
  /// A buffer with a text at its beginning, and how long that is.
  private func buffer(_ bytes: [UInt8], capacity: Int? = nil) -> TextBuffer {
    let buffer = TextBuffer(capacity: capacity ?? bytes.count)
    _ = buffer.memory.update(fromContentsOf: bytes)
    return buffer
  }

  private func text(_ buffer: borrowing TextBuffer, _ count: Int) -> String {
    String(decoding: buffer.memory[..<count], as: UTF8.self)
  }

  @Test("the values of a stretch, its line breaks, and what stood behind it at the beginning")
  func aStretch() {
    let whole = Array("{\"a\":1}\n \n[2] \"x\"\n{\"b\":".utf8)
    var text = buffer(whole)
    var values: [Value] = [.null]
    let parser = ChunkParser(size: 64)
    let lines = parser.parse(&text, 0..<18, of: whole.count, eachOnItsLine: true, into: &values)
    expect(lines, equals: 3)
    expect(values.map(\.description), equals: ["null", #"{"a":1}"#, "[2]", #""x""#])
    expect(self.text(text, 5), equals: "{\"b\":")
  }

  @Test(
    "what is not all whole values is left as it was",
    arguments: [
      "{\"a\":1}\n{\"b\":\n", "{\"a\":1}\n]\n", "{\"a\":1}\ntru\n", "[1,\n2]\n", "\"\u{1}\"\n", "1 2x\n",
    ])
  func mistakes(_ stretch: String) {
    let whole = Array((stretch + "{\"rest\": \"which is longer than the padding " + stretch).utf8)
    var text = buffer(whole)
    var values: [Value] = [.bool(true)]
    let parser = ChunkParser(size: 16)
    for _ in 1...3 {
      let lines = parser.parse(
        &text, 0..<stretch.utf8.count, of: whole.count, eachOnItsLine: true, into: &values)
      expectNil(lines)
      expect(values, equals: [.bool(true)])
      expect(self.text(text, whole.count), equals: String(decoding: whole, as: UTF8.self))
    }
  }

  @Test("a value may reach over a line break where that is allowed, and broken text may not be anywhere")
  func lines() {
    var text = buffer(Array("[1,\n2]\n\n".utf8))
    var values: [Value] = []
    expect(ChunkParser(size: 8).parse(&text, 0..<8, of: 8, eachOnItsLine: false, into: &values), equals: 3)
    expect(values.map(\.description), equals: ["[1,2]"])
    text = buffer([0x22, 0xff, 0x22, 0x0a])
    expectNil(ChunkParser(size: 8).parse(&text, 0..<4, of: 4, eachOnItsLine: false, into: &values))
  }

  @Test("values that are held stay what they were, whatever is parsed after them", arguments: 0..<20)
  func held(_ seed: UInt64) throws {
    var random = RandomJSON(seed)
    let parser = ChunkParser(size: 256)
    var held: [(value: Value, expected: String)] = []
    var text = TextBuffer(capacity: 0)
    for turn in 0..<200 {
      let texts = try (0..<Int.random(in: 0...12, using: &random.random)).map { _ in
        try json(random.text()).description
      }
      let lines = Array(texts.map { $0 + "\n" }.joined().utf8)
      let rest = Array("rest \(turn)".utf8)
      text = buffer(lines + rest)
      var values: [Value] = []
      let found = parser.parse(
        &text, 0..<lines.count, of: lines.count + rest.count, eachOnItsLine: true, into: &values)
      expect(found, equals: texts.count)
      expect(values.map(\.description), equals: texts)
      expect(self.text(text, rest.count), equals: "rest \(turn)")
      if Bool.random(using: &random.random) { held += zip(values, texts).map { ($0, $1) } }
      if Int.random(in: 0..<9, using: &random.random) == 0 { held.removeAll() }
      for (value, expected) in held { expect(value.description, equals: expected) }
    }
  }
}
