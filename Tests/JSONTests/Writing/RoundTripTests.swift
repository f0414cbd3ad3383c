import Expectations
import Testing

@testable import JSON

@Suite struct RoundTripTests {
  @Test func randomTextsSurviveEveryWayOfWritingThem() throws {
    var random = RandomJSON(2026)
    for _ in 0..<3000 {
      let text = random.text()
      let value = try json(text)
      let compact = value.description
      try expect(json(compact), equals: value, "\(text)")
      try expect(json(compact).description, equals: compact, "\(text)")
      for options in [
        WriteOptions.pretty, WriteOptions(sortKeys: true), WriteOptions(indent: 1, asciiOnly: true),
      ] {
        let written = Writer(options).text(value)
        try expect(json(written), equals: value, "\(text)")
        if !options.sortKeys { try expect(json(written).description, equals: compact, "\(text)") }
      }
      #expect(value.detach() == value && value.detach().description == compact)
      #expect(rebuilt(value) == value && rebuilt(value).description == compact, "\(text)")
    }
  }

  /// A copy of the value without views.
  private func rebuilt(_ value: Value) -> Value {
    switch value.kind {
    case .array: return .array((value.items ?? []).map(rebuilt))
    case .object:
      var object = Value.emptyObject
      value.forEachMember { key, member in
        if let key = Key(key) { object.setMember(key, rebuilt(member)) }
      }
      return object
    default: return value.detach()
    }
  }

  @Test func orderIsTotalAndAgreesWithEquality() throws {
    var random = RandomJSON(5)
    let values = try (0..<120).map { _ in try json(random.text()) }
    let sorted = values.sorted()
    for (a, b) in zip(sorted, sorted.dropFirst()) { #expect(Value.order(a, b) <= 0) }
    for a in values {
      for b in values {
        let order = Value.order(a, b)
        expect((order == 0), equals: (a == b))
        expect(order.signum(), equals: -Value.order(b, a).signum())
      }
    }
  }
}
