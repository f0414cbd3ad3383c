import Expectations
import Testing

@testable import JSON

@Suite struct ValueOrderTests {
  @Test func kindsThenContents() throws {
    let ordered = [
      "null", "false", "true", "nan", "-1e1000", "-1", "0", "0.5", "1", "1e1000", "\"\"", "\"A\"", "\"a\"",
      "\"aa\"",
      "\"é\"", "\"\u{ffff}\"", "\"😀\"", "[]", "[0]", "[0,1]", "[1]", "[[]]", "{}", #"{"a":1}"#, #"{"a":2}"#,
      #"{"b":0}"#, #"{"a":0,"b":0}"#.replacing("\"a\":0", with: "\"c\":0"),
    ]
    let values = try ordered.map { try json($0) }
    for (number, value) in values.enumerated() {
      for (other, later) in values.enumerated() where other > number {
        #expect(Value.order(value, later) < 0, "\(value) \(later)")
        #expect(Value.order(later, value) > 0, "\(later) \(value)")
        #expect(value != later)
      }
    }
  }

  @Test func keysBeforeValues() throws {
    #expect(try json(#"{"a":9}"#) < json(#"{"b":0}"#))
    #expect(try json(#"{"a":9,"b":0}"#) < json(#"{"a":1,"c":0}"#))
    try expect(json(#"{"b":1,"a":2}"#), equals: json(#"{"a":2,"b":1}"#))
  }

  @Test func equalValuesHashAlikeWhateverTheyAreMadeOf() throws {
    let texts = [
      "null", "1", "1.0", "100e-2", #""a\u0062""#, #"[1,[2,{"x":"y"}]]"#, #"{"a":1,"b":{"c":[null]}}"#,
      #"{"b":{"c":[null]},"a":1.0}"#, "-0", "0",
    ]
    let values = try texts.map { try json($0) } + texts.map { try json($0).detach() }
    for value in values {
      for other in values where value == other {
        expect(value.hashValue, equals: other.hashValue, "\(value) \(other)")
      }
    }
    expect(Set(values).count, equals: 6)
  }

  @Test(arguments: [false, true]) func sortedPlacesAreInThatOrderAndEqualValuesKeepTheirs(descending: Bool)
    throws
  {
    var random = RandomJSON(descending ? 1 : 2)
    let pieces = [
      "0", "-0", "0.0", "1", "1.0", "-1", "1e1000", "-1e1000", "12345678901234567890", "12345678901234567891",
      "\"\"",
      #""\u0000""#, #""a\u0000""#, "\"a\"", "\"2026-01-01T12:00:00Z\"", "\"2026-01-01T12:00:01Z\"",
      "\"2026-01-01T12:00\"",
      #""2026-01-01T12:00\u0000""#, "\"😀\"",
    ]
    var values: [Value] = []
    for number in 0..<1000 {
      values.append(try json(number % 2 == 0 ? pieces[number / 2 % pieces.count] : random.text()))
    }
    let sorted = values.indices.sorted { left, right in
      let order = Value.order(values[left], values[right])
      return order == 0 ? left < right : (order < 0) != descending
    }
    expect(values.sortedPlaces(descending: descending), equals: sorted)
    expect([Value]().sortedPlaces(), equals: [])
  }

  @Test func deepValuesCompareAndAreTakenApartWithoutRecursion() {
    var value = Value.null
    for _ in 0..<300_000 { value = .array([value]) }
    expect(value, equals: value)
    expect(value.depth, equals: 300_000)
    var object = Value.null
    for number in 0..<100_000 {
      var outer = Value.emptyObject
      outer.setMember(number % 2 == 0 ? "a" : "b", object)
      object = number % 3 == 0 ? .array([outer, outer]) : outer
    }
    #expect(object.depth > 100_000)
  }
}
