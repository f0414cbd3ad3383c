import Expectations
import Testing

@testable import JSON

@Suite("Forms of records")
struct RecordFormTests {
  private struct Point: JSONRecord, Equatable {
    enum Colour: String, JSONConvertible { case red, blue }

    let x: Int
    var y: Int?
    var label = ""
    var colour = Colour.red
    var parts: [Point] = []
    var isShown = true

    init(x: Int, y: Int?) { (self.x, self.y) = (x, y) }

    static let form = RecordForm<Self>(Self.init(x:y:), Field("x", \.x), Field("y", \.y))
      .with("label", \.label, unless: "").with("colour", \.colour).with("parts", \.parts, unless: [])
      .with("shown", \.isShown, where: \.isLeft).showing("sum", \.sum)

    var isLeft: Bool { x < 0 }
    var sum: Int { x + (y ?? 0) }
  }

  private func point(_ text: String) throws -> Point? { Point(jsonValue: try Value.parse(text)) }

  @Test("a record is written in the order of its form, and read back")
  func both() throws {
    var point = Point(x: 1, y: nil)
    expect(point.jsonValue.description, equals: #"{"x":1,"colour":"red","sum":1}"#)
    point.y = -2
    point.label = "a"
    point.colour = .blue
    point.parts = [Point(x: -3, y: 4)]
    expect(
      point.jsonValue.description,
      equals:
        #"{"x":1,"y":-2,"label":"a","colour":"blue","parts":[{"x":-3,"y":4,"colour":"red","shown":true,"sum":1}],"sum":-1}"#
    )
    expect(Point(jsonValue: point.jsonValue), equals: point)
  }

  @Test("a member that it must have makes it no record where it is missing or has another form")
  func required() throws {
    #expect(try point("{}") == nil && point(#"{"x":"1"}"#) == nil && point("[1]") == nil)
    try expectNil(point(#"{"x":1.5}"#))
  }

  @Test("what is missing, or has another form, keeps its default, and unknown members are left out")
  func defaults() throws {
    try expect(point(#"{"x":1,"z":2}"#), equals: Point(x: 1, y: nil))
    try expect(
      point(#"{"x":1,"y":null,"label":7,"colour":"green","parts":{},"sum":9}"#), equals: Point(x: 1, y: nil))
    try expect(point(#"{"x":1,"parts":[{},{"x":2},3]}"#)?.parts, equals: [Point(x: 2, y: nil)])
  }

  private struct Table: JSONRecord, Equatable {
    var rows: [Int?]
    var names: [String: Bool]
    var ratio: Double

    static let form = RecordForm<Self>(
      Self.init(rows:names:ratio:), Field("rows", \.rows, or: [1]), Field("names", \.names, unless: [:]),
      Field("ratio", \.ratio))
  }

  @Test("a default may be written always, or never")
  func written() throws {
    expect(Table(rows: [1], names: [:], ratio: 2).jsonValue.description, equals: #"{"rows":[1],"ratio":2}"#)
    expect(
      Table(jsonValue: try Value.parse(#"{"ratio":0.5}"#)), equals: Table(rows: [1], names: [:], ratio: 0.5))
  }

  @Test("nothing is null in a list, and names are sorted")
  func containers() throws {
    let table = Table(rows: [1, nil, 3], names: ["b": true, "a": false], ratio: 0)
    expect(
      table.jsonValue.description, equals: #"{"rows":[1,null,3],"names":{"a":false,"b":true},"ratio":0}"#)
    expect(Table(jsonValue: table.jsonValue), equals: table)
  }

  @Test(
    "integers are exact",
    arguments: [0, 1, -1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .min] as [Int64])
  func integers(_ number: Int64) throws {
    expect(number.jsonValue.description, equals: "\(number)")
    try expect(Int64(jsonValue: Value.parse(number.jsonValue.json)), equals: number)
    try expect(UInt(jsonValue: Value.parse("\(number)")), equals: UInt(exactly: number))
  }

  @Test(
    "numbers that are no integers, or too large, are none",
    arguments: ["0.5", "1e300", "-1e19", "true", "\"1\""])
  func noIntegers(_ text: String) throws { try expectNil(Int(jsonValue: Value.parse(text))) }

  @Test("integers may be written as decimals", arguments: ["1e3", "1000.0", "1000"])
  func decimals(_ text: String) throws { try expect(Int(jsonValue: Value.parse(text)), equals: 1000) }
}
