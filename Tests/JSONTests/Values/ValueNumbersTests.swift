import Expectations
import Testing

@testable import JSON

@Suite struct ValueNumbersTests {
  @Test(arguments: [
    ("1E1000", "1E+1000"), ("1.000", "1.000"),
    ("100000000000000000000000000001", "100000000000000000000000000001"),
    ("1e-5", "0.00001"), ("0.00001", "0.00001"), ("1E2", "1E+2"), ("-0", "-0"), ("-0.0", "-0.0"),
    ("1e17", "1E+17"),
    ("0.000001", "0.000001"), ("0.0000001", "1E-7"), ("0.00000012", "1.2E-7"), ("0e10", "0E+10"),
    ("0.00e5", "0E+3"), ("100e-2", "1.00"), ("0.0000000", "0E-7"), ("12.34e1", "123.4"),
    ("1e1000000000", "1.7976931348623157e+308"), ("12345678901234567890", "12345678901234567890"),
  ])
  func literalsKeepTheirDigits(_ text: String, _ written: String) throws {
    try expect(json(text).description, equals: written)
    try expect(json("[\(text)]").description, equals: "[\(written)]")
    expect(Value.literal(text)?.description, equals: written)
    try expect(json("[0,\(text),[]]").element(1)?.detach().description, equals: written)
  }

  @Test(arguments: ["nan", "NaN", "-nan", "snan", "[-sNaN]"])
  func notANumberIsNullWhenWritten(_ text: String) throws {
    let value = try json(text)
    let number = value.element(0) ?? value
    #expect(number.double?.isNaN == true && number.detach().double?.isNaN == true)
    #expect(number.description == "null" && number != number && number < Value.number(-.infinity))
  }

  @Test func turningTheSignKeepsDigits() throws {
    try expect(json("0.12345678901234567890123").negated?.description, equals: "-0.12345678901234567890123")
    try expect(json("-1E+1000").magnitude?.description, equals: "1E+1000")
    expect(Value.number(2).negated?.description, equals: "-2")
    try expectNil(json("\"a\"").negated)
  }

  @Test func longLiteralsCompareByAllTheirDigits() throws {
    #expect(try json("13911860366432393") != json("13911860366432392"))
    #expect(try json("100000000000000000000000000001") > json("100000000000000000000000000000"))
    #expect(try json("-1e1001") < json("-1e1000"))
    #expect(try json("1.0") == json("1") && json("100e-2") == json("1"))
    try expect(json("13911860366432393"), equals: .number(13911860366432392))
  }

  /// Equality is decided by texts where these suffice; the order always reads the numbers.
  @Test func equalityAgreesWithTheOrder() throws {
    let texts = [
      "0", "-0", "0.0", "0.1", "0.10", "-0.1", "1", "1.0", "1e0", "10", "1e1", "100", "-1", "0.5", "5e-1",
      "1.5",
      "0.1000000000000000000001", "0.1000000000000000000002", "123456789012345", "123456789012346",
      "1234567890123456", "1234567890123457", "12345678901234567", "12345678901234568", "12345678901234567.0",
      "0.30000000000000004", "0.3", "0.300000000000000040", "999999999999999.9", "1000000000000000", "1E+15",
    ]
    for first in texts {
      for second in texts {
        let (a, b) = (try json(first), try json(second))
        expect((a == b), equals: (Value.order(a, b) == 0), "\(first) \(second)")
        expect((a == b), equals: (a.detach() == b.detach()), "\(first) \(second)")
      }
    }
  }
}
