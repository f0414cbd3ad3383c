import Expectations
import Reactive
import Testing

@testable import JSON

/// A value that waits is one document, which says what the value said.
@Suite struct PackingTests {
  @Test("built containers of any values are what they were, packed", arguments: 1...8 as ClosedRange<UInt64>)
  func anyValues(seed: UInt64) throws {
    var random = RandomJSON(seed)
    var packed = 0
    for _ in 0..<1500 {
      let value = try built(&random, 0)
      let copy = value.packed()
      #expect(copy == value && copy.hashValue == value.hashValue && copy.kind == value.kind)
      expect(copy.description, equals: value.description)
      expect(copy.keys.description, equals: value.keys.description)
      #expect(copy.packed() == value && copy.detach() == value)
      guard case .view(let document, 0) = copy, !document.ownsRaw else { continue }
      packed += 1
      #expect(document.rawCount == document.rawCapacity && document.tapeCount == document.tapeCapacity)
    }
    #expect(packed > 100)
  }

  /// A value of parts of documents and of what was built.
  private func built(_ random: inout RandomJSON, _ level: Int) throws -> Value {
    switch random.random.below(level > 3 ? 5 : 9) {
    case 0: return .null
    case 1: return .bool(random.random.below(2) == 0)
    case 2:
      let numbers = [0, -0.0, 7, -12, 1e14, 99_999_999_999_999, -0x1p63, 0.5, .infinity]
      return .number(numbers[random.random.below(numbers.count)])
    case 3: return .string(["", "plain", "日本", "a\"b", "line\n", "\u{7f}"][random.random.below(6)])
    case 4: return try json(random.number()).detach()
    case 5:
      let count = random.random.below(4)
      return .array(try (0..<count).map { _ in try built(&random, level + 1) })
    case 6:
      var object = Value.emptyObject
      for name in ["a", "key", "b c", "qu\"ote", "é"].prefix(random.random.below(6)) {
        object.setMember(Key(name), try built(&random, level + 1))
      }
      if random.random.below(8) == 0 { _ = object.removeMember(Key("key")) }
      return object
    default:
      let text = #"{"same":1,"n":1.50,"same":\#(random.text())}"#
      let rows = try json("[\(random.text()), \(text), \(random.string()), 1E+2]")
      return try #require(rows.element(random.random.below(4)))
    }
  }

  @Test("what an expression picks from a record, and what changes sends, are one block")
  func records() throws {
    let record = try json(#"{"id":"a\u0000","n":12345678901234567890.5,"more":[{"x":[1.50, 2]}],"o":{}}"#)
    let picked = try #require(try Program("{id, n, more, none: .none, deep: {o}}").outputs(record).first)
    let change = Value.record([
      ("type", .string("changed")), ("key", .string("a")), ("before", record), ("after", picked),
      ("diff", .array([record])), ("count", .number(3)), ("removed", .null),
    ])
    for value in [picked, change] {
      guard case .view(let document, 0) = value.packed() else { return #expect(Bool(false), "\(value)") }
      #expect(document[whole: 0] == value && document.depth >= value.nesting)
      expect(document[whole: 0].description, equals: value.description)
    }
  }

  @Test("with more than 16 MiB of text it is what detach makes of it: one part may be in a value many times")
  func large() throws {
    let text = [UInt8](repeating: 0x61, count: 1 << 20)
    let view = try json(#"{"a":"\#(String(decoding: text, as: UTF8.self))"}"#)
    for part in [.string(text), view, .array([view]), .record([("a", .string(text))])] as [Value] {
      let row = try json("[1]")
      let small = Value.array([row] + [Value](repeating: part, count: 15))
      guard case .view(let document, 0) = small.packed() else { return #expect(Bool(false)) }
      #expect(document[whole: 0] == small)
      let large = Value.array([row] + [Value](repeating: part, count: 16))
      guard case .array = large.packed() else { return #expect(Bool(false)) }
      #expect(large.packed() == large)
    }
  }

  @Test("without parts of documents, with escapes or nested too deep, it is what detach makes of it")
  func others() throws {
    let object = Value.record([("a", .string("b")), ("c", .number(1))])
    guard case .object(let storage) = object, case .object(let same) = object.packed() else {
      return #expect(Bool(false))
    }
    #expect(storage === same)
    let view = try json(#"{"a":[1]}"#)
    for odd in [Value.number(0.25), .string("a\nb"), .number(-0.0)] {
      let value = Value.array([view, odd])
      guard case .array = value.packed() else { return #expect(Bool(false), "\(odd)") }
      expect(value.packed().description, equals: value.description)
    }
    var deep = view
    for _ in 0..<100 { deep = .array([deep]) }
    expect(deep.packed(), equals: deep)
  }
}

extension TapeDocument {
  fileprivate subscript(whole index: UInt32) -> Value { .view(self, index) }
}
