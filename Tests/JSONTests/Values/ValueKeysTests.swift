import Expectations
import JSON
import Testing

/// Values as keys: the same bytes for equal values, and for no others.
@Suite struct ValueKeysTests {
  private func bytes(_ text: String) throws -> String {
    String(decoding: try Value.parse(text).canonicalBytes, as: UTF8.self)
  }

  @Test(
    "a number has the shortest text of its double, unless that is another number",
    arguments: [
      ("1", "1"), ("1.0", "1"), ("1e0", "1"), ("-0", "0"), ("0.0", "0"), ("-5", "-5"), ("12e2", "1200"),
      ("0.10", "0.1"), ("1e20", "1e+20"), ("0.30000000000000004", "0.30000000000000004"),
      ("1453125555555555551", "1453125555555555551"), ("1453125555555555551.00", "1453125555555555551"),
      ("14531255555555555510", "14531255555555555510"), ("1.4531255555555555511e19", "14531255555555555511"),
      ("1764356712.12345678", "1764356712.12345678"), ("1e400", "1E+400"), ("10e399", "1E+400"),
      ("-1e400", "-1E+400"), ("\"a\"", "\"a\""), ("null", "null"), ("[1.0,\"x\"]", "[1,\"x\"]"),
      ("{\"b\":[2.50],\"a\":1e0}", "{\"a\":1,\"b\":[2.5]}"),
      ("[{\"b\":1,\"a\":{\"d\":2,\"c\":3}}]", "[{\"a\":{\"c\":3,\"d\":2},\"b\":1}]"),
      ("{\"\":1,\"é\":2,\"z\":3}", "{\"\":1,\"z\":3,\"é\":2}"),
    ])
  func canonical(text: String, expected: String) throws {
    try expect(bytes(text), equals: expected)
    try expect(bytes(expected), equals: expected)
    let canonical = try Value.parse(text).canonical
    #expect(canonical.isCanonical)
    #expect(try text != expected || Value.parse(text).isCanonical)
    expect(String(decoding: canonical.json, as: UTF8.self), equals: expected)
  }

  @Test("numbers have the same bytes exactly where they are equal")
  func equality() throws {
    var random = SystemRandomNumberGenerator()
    let digits = [
      "0", "1", "9", "10", "90071992547409", "900719925474099", "9007199254740993", "14531255555555555",
    ]
    func number() throws -> Value {
      var text = Bool.random(using: &random) ? "-" : ""
      text += digits.randomElement(using: &random) ?? "0"
      if Bool.random(using: &random), text.last != "0" || text.count > 2 {
        text += "\(Int.random(in: 0...9, using: &random))"
      }
      if Bool.random(using: &random) {
        text += "." + (["0", "00", "5", "50", "125"].randomElement(using: &random) ?? "0")
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -3...3, using: &random))" }
      return try Value.parse(text.hasPrefix("00") ? "0" : text)
    }
    for _ in 0..<20_000 {
      guard let one = try? number(), let other = try? number() else { continue }
      expect((one == other), equals: (one.canonicalBytes == other.canonicalBytes), "\(one) and \(other)")
      let same = Value.array([one]) == Value.array([one.canonical])
      #expect(same && one.canonical.canonicalBytes == one.canonicalBytes, "\(one)")
    }
  }
}
