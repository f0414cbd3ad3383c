import Expectations
import JSON
import Testing

@testable import Engine

@Suite struct StorableValueTests {
  private func text(_ json: String) throws -> String {
    String(decoding: try Value.parse(Array(json.utf8)).keyBytes, as: UTF8.self)
  }

  @Test(
    "values that are equal are kept under the same bytes",
    arguments: [
      ["1", "1.0", "1e0", "10e-1", "1.000"], ["100", "1e2", "100.0"], ["0", "0.0", "0e5"],
      ["-5", "-5.0", "-0.5e1"],
      ["999999999999999", "999999999999999.0"], ["1000000000000000", "1e15"],
      ["9007199254740992", "9007199254740992.0"],
      ["0.5", "5e-1"], [#"{"a":1,"b":[2.0]}"#, #"{"b":[2.0],"a":1}"#], [#""a""#, #""\u0061""#], ["null"],
      ["true"],
    ])
  func equal(texts: [String]) throws {
    let first = try #require(texts.first)
    for other in texts {
      try expect(text(other), equals: text(first))
      try expect(
        Value(keyBytes: Value.parse(Array(other.utf8)).keyBytes), equals: Value.parse(Array(first.utf8)))
    }
  }

  @Test("values that differ are kept under different bytes")
  func different() throws {
    let texts = [
      "0", "1", "10", "-1", #""1""#, "[1]", "null", "false", #"{"a":1}"#, #"{"a":2}"#, "1.5", "1e300",
    ]
    expect(Set(try texts.map { try text($0) }).count, equals: texts.count)
  }
}
