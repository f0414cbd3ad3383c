import Expectations
import Testing

@testable import JSON

/// A projection behaves like the object with the same members that was built value by value.
@Suite struct ProjectionTests {
  private static let program =
    #"{id, "a\"b": .name, status: .status.abbrev, pads, more: .none, under: .none.of.it}"#
  private static let record =
    #"{"id":7,"name":"H\u00e9ron \"5\"","status":{"abbrev":"Go"},"pads":[{"n":1},[2.50]],"none":null,"x":0}"#

  private struct NoProjection: Error {}

  /// What the program makes of a record, as the evaluator gives it and built by hand.
  private func both(_ record: String = record) throws -> (projected: Value, built: Value) {
    let projected = try #require(try Program(Self.program).outputs(try json(record)).first)
    guard case .projection = projected else { throw NoProjection() }
    var built = Value.emptyObject
    projected.forEachMember { key, value in if let key = Key(key) { built.setMember(key, value.detach()) } }
    return (projected, built)
  }

  @Test func isReadLikeAnObject() throws {
    let (projected, built) = try both()
    #expect(projected.kind == .object && projected.isTruthy && !projected.isNull && projected.bool == nil)
    #expect(projected.count == 6 && projected.keys == built.keys && projected.sortedKeys == built.sortedKeys)
    #expect(
      projected == built && Value.order(projected, built) == 0 && projected.hashValue == built.hashValue)
    for key in built.keys + [Key("name"), Key("")] {
      var hint = 5
      expect(projected.member(key), equals: built.member(key))
      expect(projected.member(key, hint: &hint), equals: built.member(key))
      expect(projected.member(key, hint: &hint), equals: built.member(key))
      var place = 3
      key.bytes.withUnsafeBufferPointer {
        expect(projected.member(named: $0, near: &place), equals: built.member(key))
      }
    }
    #expect(projected.member("more")?.isNull == true && projected.member("under")?.isNull == true)
    #expect(projected.element(0) == nil && projected.double == nil && projected.string == nil)
    var names: [String] = []
    projected.forEachNamedMember { name, value in
      names.append("\(String(decoding: name, as: UTF8.self)) \(value)")
    }
    expect(
      names,
      equals: [
        "id 7", #"a"b "Héron \"5\"""#, #"status "Go""#, #"pads [{"n":1},[2.50]]"#, "more null", "under null",
      ])
  }

  @Test(arguments: [
    WriteOptions.compact, .pretty, WriteOptions(sortKeys: true), WriteOptions(asciiOnly: true),
  ])
  func isWrittenLikeAnObject(_ options: WriteOptions) throws {
    let (projected, built) = try both()
    expect(Writer(options).text(projected), equals: Writer(options).text(built))
    expect(Writer(options).text(.array([projected])), equals: Writer(options).text(.array([built])))
  }

  @Test func nestsAsDeepAsItsDocumentWhereItContainsSome() throws {
    try expect(both().projected.depth, equals: 4)
    #expect(try both(#"{"id":[[[1]]],"pads":1}"#).projected.depth >= 4)
    let flat = try both(#"{"id":1,"name":"x","status":null,"deep":[[[[1]]]]}"#).projected
    expect(flat.depth, equals: 1)
    expect(Value.array([try both().projected]).depth, equals: 5)
  }

  @Test func aChangeIsNoneOfTheOriginals() throws {
    let (projected, built) = try both()
    let before = projected.description
    let changes: [(inout Value) -> Void] = [
      { $0.setMember("id", .number(8)) }, { $0.setMember("new", .bool(true)) }, { $0.removeMember("status") },
      { _ = $0.takeMember("pads") }, { $0.merge(.record([("id", .null), ("z", .number(1))])) },
      { object in for key in object.keys.dropFirst() { object.removeMember(key) } },
    ]
    for change in changes {
      var (one, other) = (projected, built)
      change(&one)
      change(&other)
      #expect(one == other && one.description == other.description && one.description != before)
      expect(projected.description, equals: before)
      var again = one
      again.setMember("id", .string("twice"))
      #expect(again.member("id")?.string == "twice" && one == other)
    }
    var sum = Value.record([("first", .number(0)), ("id", .number(1))])
    sum.merge(projected)
    expect(sum.description, equals: #"{"first":0,"# + before.dropFirst())
    // The names that a program writes from are those of every object that it makes.
    try expect(both().projected.description, equals: before)
  }

  @Test func whatIsKeptLetsTheDocumentGo() throws {
    weak var document: TapeDocument?
    var (kept, description) = (Value.null, "")
    do {
      let padding = String(repeating: "x", count: 4000)
      let projected = try both(#"{"id":1,"name":"a","pads":[1],"padding":"\#(padding)"}"#).projected
      guard case .projection(let projection) = projected else { throw NoProjection() }
      document = projection.document
      (kept, description) = (projected.detach(), projected.description)
    }
    expectNil(document)
    expect(kept.description, equals: description)
  }

  @Test func whatIsNoPathOfOneRecordIsBuilt() throws {
    var built = try json(#"{"a":{"b":1}}"#)
    built.setMember("c", .number(2))
    for (program, input, output) in [
      ("{a: .a.b, n: (.c + 1)}", try json(#"{"a":{"b":1},"c":2}"#), #"{"a":1,"n":3}"#),
      ("{a: .a.b, c}", built, #"{"a":1,"c":2}"#),
      ("{a: .a, b: .a, a: .c}", try json(#"{"a":1,"c":2}"#), #"{"a":2,"b":1}"#),
      (
        "{a,b,c,d,e,f,g,h,i}", try json(#"{"a":1,"i":9}"#),
        #"{"a":1,"b":null,"c":null,"d":null,"e":null,"f":null,"g":null,"h":null,"i":9}"#
      ),
    ] {
      let outputs = try Program(program).outputs(input)
      expect(outputs.map(\.description), equals: [output], "\(program)")
      if case .projection = outputs[0] { Issue.record("\(program) is built") }
    }
    #expect(throws: EvaluationError.self) { try Program("{a: .id.of}").outputs(try json(#"{"id":7}"#)) }
    try expect(Program("{a: .id.of}?, 1").outputs(try json(#"{"id":7}"#)).map(\.description), equals: ["1"])
  }

  @Test func pathsBeginAtIt() throws {
    let input = try json(#"{"a":1,"b":{"c":[2]}}"#)
    for (program, output) in [
      ("del(.a)", #"[{"b":{"c":[2]}}]"#), ("[paths]", #"[[["a"],["b"],["b","c"],["b","c",0]]]"#),
      ("path(.a)", #"[["a"]]"#), ("pick(.a)", #"[{"a":1}]"#), ("map_values(empty)", "[{}]"),
      ("(.a, .b) |= 1", #"[{"a":1,"b":1}]"#), ("(.. | numbers) |= . + 1", #"[{"a":2,"b":{"c":[3]}}]"#),
      ("getpath([\"b\", \"c\"]) |= 7", #"[{"a":1,"b":{"c":7}}]"#),
      (".b.c += [3]", #"[{"a":1,"b":{"c":[2,3]}}]"#),
      ("to_entries | map(.key)", #"[["a","b"]]"#), ("with_entries(.value |= 0)", #"[{"a":0,"b":0}]"#),
      ("delpaths([[\"b\"]])", #"[{"a":1}]"#),
    ] {
      let outputs = try Program("{a,b} | \(program)").outputs(input)
      expect(Value.array(outputs).description, equals: output, "\(program)")
    }
  }

  @Test func withoutAnyMemberItKeepsNoDocument() throws {
    let value = try #require(try Program("{a: .missing, b: .id.of}").outputs(try json(#"{"id":null}"#)).first)
    if case .projection = value { Issue.record("it keeps its document") }
    expect(value.description, equals: #"{"a":null,"b":null}"#)
  }

  @Test func theRecordItselfMayBeAMember() throws {
    try expect(
      Program("{it: ., id, empty: {}.x}").outputs(try json(#"{"id":[]}"#)).map(\.description),
      equals: [#"{"it":{"id":[]},"id":[],"empty":null}"#])
    try expect(Program("{it: .}").outputs(try json("7")).map(\.description), equals: [#"{"it":7}"#])
  }
}
