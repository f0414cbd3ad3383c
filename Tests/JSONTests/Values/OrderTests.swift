import Testing

@testable import JSON

@Suite struct OrderTests {
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
    #expect(try json(#"{"b":1,"a":2}"#) == json(#"{"a":2,"b":1}"#))
  }

  @Test func equalValuesHashAlikeWhateverTheyAreMadeOf() throws {
    let texts = [
      "null", "1", "1.0", "100e-2", #""a\u0062""#, #"[1,[2,{"x":"y"}]]"#, #"{"a":1,"b":{"c":[null]}}"#,
      #"{"b":{"c":[null]},"a":1.0}"#, "-0", "0",
    ]
    let values = try texts.map { try json($0) } + texts.map { try json($0).detach() }
    for value in values {
      for other in values where value == other {
        #expect(value.hashValue == other.hashValue, "\(value) \(other)")
      }
    }
    #expect(Set(values).count == 6)
  }

  @Test func deepValuesCompareAndAreTakenApartWithoutRecursion() {
    var value = Value.null
    for _ in 0..<300_000 { value = .array([value]) }
    #expect(value == value)
    #expect(value.depth == 300_000)
    var object = Value.null
    for number in 0..<100_000 {
      var outer = Value.emptyObject
      outer.setMember(number % 2 == 0 ? "a" : "b", object)
      object = number % 3 == 0 ? .array([outer, outer]) : outer
    }
    #expect(object.depth > 100_000)
  }
}
