import Expectations
import Testing

@testable import JSON

@Suite("Differences as one value")
struct DifferenceWriterTests {
  /// What the list of differences is as a value, and the writer's value: that of its document, and read again.
  private func expectSame(
    _ writer: DifferenceWriter, _ before: Value, _ after: Value, key: Key? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let list = Value.differences(from: before, to: after, key: key)
    let value = writer.value(from: before, to: after, key: key)
    #expect((value == nil) == list.isEmpty, sourceLocation: sourceLocation)
    guard let value else { return }
    let expected = Value.array(list.map(\.value))
    #expect(value == expected, sourceLocation: sourceLocation)
    #expect(value.description == expected.description, sourceLocation: sourceLocation)
    // By way of the tape, not of the text.
    var built = Value.array([])
    value.forEachElement { entry in
      var members = Value.emptyObject
      entry.forEachMember { name, member in members.setMember(Key(name.string ?? ""), member) }
      built.append(members)
    }
    #expect(built.description == expected.description, sourceLocation: sourceLocation)
  }

  @Test("it is the list of differences, whether values were read or built", arguments: [3, 17, 40])
  func asTheList(_ seed: UInt64) throws {
    var random = RandomJSON(seed)
    let writer = DifferenceWriter()
    var found = 0
    for round in 0..<400 {
      guard case let value = try json(random.text()), value.kind == .object else { continue }
      var built = value
      for (number, name) in value.keys.enumerated() where (number + round) % 2 == 0 {
        built.setMember(name, try json(random.text()))
      }
      let read = try json(built.description)
      for after in [built, read] {
        try expectSame(writer, value, after)
        try expectSame(writer, after, value)
      }
      if writer.value(from: value, to: read) != nil { found += 1 }
    }
    #expect(found > 50)
  }

  @Test(
    "texts with escapes, numbers in other forms and containers are written as a writer does",
    arguments: [
      (#"{"a\"b":1,"c/d":"x"}"#, #"{"a\"b":2,"c/d":"y\n"}"#), (#"{"a":1.0}"#, #"{"a":2e3}"#),
      (#"{"a":"\u007f"}"#, "{\"a\":\"\u{7f}\u{7f}\"}"), (#"{"a":[1, 2]}"#, #"{"a":{"b": [ ]}}"#),
      (#"{"a":0,"b":7}"#, #"{"a":-0,"b":7.0}"#), (#"{"a":null,"b":true}"#, #"{"a":false,"b":null}"#),
      (#"{"a":9007199254740993}"#, #"{"a":9007199254740992}"#), ("1", "\"1\""), ("{}", #"{"":""}"#),
    ])
  func forms(_ before: String, _ after: String) throws {
    let writer = DifferenceWriter()
    try expectSame(writer, json(before), json(after))
    try expectSame(writer, json(after), json(before))
  }

  @Test("arrays by a key")
  func byKey() throws {
    let (before, after) = (#"[{"id":1,"n":1},{"id":2,"n":2}]"#, #"[{"id":2,"n":3},{"id":3,"n":3}]"#)
    try expectSame(DifferenceWriter(), json(before), json(after), key: "id")
  }

  @Test("values that are kept stay what they were while the writer is used again, small and large ones")
  func keptValues() throws {
    let writer = DifferenceWriter()
    func row(_ count: Int, _ number: Int) throws -> Value {
      let members = (0..<count).map { #""member \#($0)":"\#(number) \#($0)""# }
      return try json("{\(members.joined(separator: ","))}")
    }
    // Larger than what is kept for reuse, too.
    let sizes = [1, 2000, 3, 40_000, 2000, 2000, 1, 2000, 2000]
    var kept: [(value: Value?, text: String)] = []
    for (number, size) in sizes.enumerated() {
      let (before, after) = (try row(size, 1000 + number), try row(size, 2000 + number))
      let list = Value.array(Value.differences(from: before, to: after).map(\.value))
      kept.append((writer.value(from: before, to: after), list.description))
    }
    for (value, text) in kept { expect(value?.description, equals: text) }
    expectNil(writer.value(from: .number(1), to: .number(1)))
  }

  @Test("what is nested as deep as can be")
  func deep() throws {
    let depth = Writer.depthLimit - 1
    let nested = try json(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    let writer = DifferenceWriter()
    let value = try #require(writer.value(from: .number(1), to: nested))
    expect(value.element(0)?.member("after"), equals: nested)
  }
}
