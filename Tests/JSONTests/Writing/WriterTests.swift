import Expectations
import Testing

@testable import JSON

@Suite struct WriterTests {
  func written(_ text: String, _ options: WriteOptions) throws -> String {
    Writer(options).text(try json(text))
  }

  @Test func indentedAsJQDoes() throws {
    let text = #"{"a":[1,{"b":[]}],"c":{},"d":"x"}"#
    let expected = """
      {
        "a": [
          1,
          {
            "b": []
          }
        ],
        "c": {},
        "d": "x"
      }
      """
    try expect(written(text, .pretty), equals: expected)
    try expect(written("[1]", WriteOptions(indent: 1, usesTabs: true)), equals: "[\n\t1\n]")
    try expect(written("[[1]]", WriteOptions(indent: 7)), equals: "[\n       [\n              1\n       ]\n]")
  }

  @Test func aSharedShapeIsWrittenAsAnyOther() {
    let names: [Key] = ["a", "", "\"", "b\\c", "tab\t", "é😀"]
    for count in 0...names.count {
      let keys = Array(names[..<count])
      let values = keys.indices.map { Value.number($0) }
      var shared = Value.object(Shape(keys, isShared: true), values)
      var own = Value.object(Shape(keys), values)
      expect(shared.description, equals: own.description)
      for key in ["new", "a"] as [Key] {
        shared.setMember(key, .null)
        own.setMember(key, .null)
        expect(shared.description, equals: own.description)
      }
      shared.removeMember("new")
      own.removeMember("new")
      expect(shared.description, equals: own.description)
    }
  }

  @Test func keysSortByCodePoints() throws {
    let text = #"{"b":1,"a":{"z":1,"é":2,"Z":3},"😀":4,"￿":5}"#
    try expect(
      written(text, WriteOptions(sortKeys: true)), equals: #"{"a":{"Z":3,"z":1,"é":2},"b":1,"￿":5,"😀":4}"#)
  }

  @Test func asciiOnly() throws {
    try expect(
      written(#"{"é":"日😀\u007f~"}"#, WriteOptions(asciiOnly: true)),
      equals: #"{"\u00e9":"\u65e5\ud83d\ude00\u007f~"}"#)
  }

  @Test func coloursAreJQs() throws {
    let text = try written(#"[{"a":true,"b":null},1,"s",[]]"#, WriteOptions(colors: .standard))
    let expected =
      "<1;39>[<0><1;39>{<0><1;34>\"a\"<0><1;39>:<0><0;39>true<0><1;39>,<0><1;34>\"b\"<0><1;39>:<0><0;90>null<0>"
      + "<1;39>}<0><1;39>,<0><0;39>1<0><1;39>,<0><0;32>\"s\"<0><1;39>,<0><1;39>[]<0><1;39>]<0>"
    expect(text, equals: expected.replacing("<", with: "\u{1B}[").replacing(">", with: "m"))
  }

  @Test func coloursCanBeSet() throws {
    let colors = try #require(Colors("4;31:::"))
    expect(Writer(WriteOptions(colors: colors)).text(.null), equals: "\u{1B}[4;31mnull\u{1B}[0m")
    expect(Writer(WriteOptions(colors: colors)).text(.number(1)), equals: "\u{1B}[0;39m1\u{1B}[0m")
    expect(Writer(WriteOptions(colors: colors)).text(.bool(true)), equals: "\u{1B}[mtrue\u{1B}[0m")
    expectNil(Colors("red"))
  }

  @Test func nestingPastTheLimitIsLeftOut() throws {
    var value = Value.array([])
    for _ in 0..<10_001 { value = .array([value]) }
    #expect(value.description.contains("[<skipped: too deep>]"))
    // Not `.pretty`: ten thousand levels of indentation are a hundred megabytes.
    #expect(Writer(WriteOptions(sortKeys: true)).text(value).contains("[<skipped: too deep>]"))
  }

  @Test func aDrainGetsEverythingInOrder() {
    var collected: [UInt8] = []
    let output = Output(capacity: 64) { bytes in
      collected.append(contentsOf: bytes)
      return true
    }
    let long = String(repeating: "0123456789", count: 20_000)
    for text in ["short", long, "short"] { Writer(.compact).write(.string(text), to: output) }
    output.flush()
    expect(String(decoding: collected, as: UTF8.self), equals: "\"short\"\"\(long)\"\"short\"")
  }

  @Test func aDrainThatFailsIsNotAskedAgain() {
    var calls = 0
    let output = Output(capacity: 64) { _ in
      calls += 1
      return false
    }
    for _ in 0..<100 { output.put("0123456789") }
    output.flush()
    #expect(calls == 1 && output.hasFailed)
  }
}
