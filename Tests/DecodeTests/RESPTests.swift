import Expectations
@testable import Decode
import Testing

/// The reader of the Redis protocol.
@Suite("RESP") struct RESPTests {
  private func values(_ text: String, cut: Int = .max, limit: Int = 1 << 20) throws -> [RESPValue] {
    var reader = RESPReader(limit: limit)
    var values: [RESPValue] = []
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = cut < bytes.count - start ? start + cut : bytes.count
      try bytes[start..<end].withUnsafeBytes { try reader.take($0) }
      while let value = reader.next() { values.append(value) }
      start = end
    }
    return values
  }

  @Test("values of each kind, however the bytes are cut", arguments: [1, 2, 3, 7, .max])
  func kinds(cut: Int) throws {
    let text =
      "+OK\r\n:-7\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n-ERR no\r\n*0\r\n"
      + "*2\r\n*2\r\n+a\r\n*1\r\n:1\r\n$1\r\nx\r\n"
    let found = try values(text, cut: cut)
    let expected: [RESPValue] = [
      .text(Array("OK".utf8)), .integer(-7), .text(Array("a\r\nbc".utf8)), .text([]), .null, .null,
      .error("ERR no"), .array([]),
      .array([
        .array([.text(Array("a".utf8)), .array([.integer(1)])]), .text(Array("x".utf8)),
      ]),
    ]
    #expect(found == expected)
  }

  @Test(
    "what is no RESP is refused",
    arguments: [
      "hello\r\n", ":x\r\n", "$x\r\n", "$-2\r\n", "*-9\r\n", "\r\n", "$1\r\nabc\r\n",
      String(repeating: "*1\r\n", count: 33), "$99999999\r\n", "*999999999999999999999\r\n",
      "$9223372036854775807\r\n", "+" + String(repeating: "a", count: 70_000),
      "*1000000\r\n" + String(repeating: "+\r\n", count: 40_000),
    ])
  func flaws(text: String) {
    #expect(throws: RESPFlaw.self) { try values(text) }
  }

  @Test("its work is proportional to the bytes, whatever they are")
  func proportional() throws {
    // One long array, and one long text, byte by byte: each is looked at once.
    let array = "*30000\r\n" + String(repeating: "$1\r\na\r\n", count: 30_000)
    expect(try values(array, cut: 1, limit: 1 << 30).first?.items?.count, equals: 30_000)
    let text = "$300000\r\n" + String(repeating: "a", count: 300_000) + "\r\n"
    expect(try values(text, cut: 1, limit: 1 << 30).first?.string?.count, equals: 300_000)
  }

  @Test("a command is an array of texts")
  func command() {
    expect(
      String(decoding: respCommand([Array("SET".utf8), [], [0x0d, 0x0a]]), as: UTF8.self),
      equals: "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$2\r\n\r\n\r\n")
  }
}
