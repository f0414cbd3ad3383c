import Expectations
import Reactive
import Testing

@testable import JSON

@Suite struct ParseTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-1", "12.5", "\"\"", "\"text\"", "[]", "{}", "[1,[2,[3]],{}]",
    #"{"a":{"b":[null,true,"x"]},"c":1}"#,
  ])
  func whatIsCompactComesOutAsItWentIn(_ text: String) throws {
    try expect(json(text).description, equals: text)
  }

  @Test func spaceIsLeftOut() throws {
    try expect(
      json(" { \"a\" :\t[ 1 ,\n2 ] , \"b\" : { } }\r\n ").description, equals: #"{"a":[1,2],"b":{}}"#)
  }

  @Test func escapesAreDecodedAndWrittenAsFewAsNeeded() throws {
    let text = #""\u0041\/\b\f\n\r\t\"\\ \u00e9\ud83d\ude00\u0001\u007f""#
    try expect(json(text).string, equals: "A/\u{8}\u{c}\n\r\t\"\\ é😀\u{1}\u{7f}")
    try expect(json(text).description, equals: #""A/\b\f\n\r\t\"\\ é😀\u0001\u007f""#)
  }

  @Test func loneSecondHalfOfAPairIsReplacedAndALoneFirstHalfRefused() throws {
    try expect(json(#""\udc00""#).string, equals: "\u{fffd}")
    expect(mistake(#""\ud800""#)?.hasPrefix(#"Invalid \uXXXX\uXXXX surrogate pair escape"#), equals: true)
  }

  @Test func theLastOfDuplicateKeysWinsInThePlaceOfTheFirst() throws {
    try expect(json(#"{"a":1,"b":2,"a":3}"#).description, equals: #"{"a":3,"b":2}"#)
    try expect(
      json(#"{"a":1,"b":2,"\u0061":[1,{"x":[]}]}"#).description, equals: #"{"a":[1,{"x":[]}],"b":2}"#)
    try expect(json(#"[{"a":[[1]],"b":[2],"a":0},3]"#).description, equals: #"[{"a":0,"b":[2]},3]"#)
    let value = try json(#"{"a":1,"b":2,"a":3}"#)
    #expect(value.count == 2 && value.member("a")?.double == 3)
  }

  @Test func duplicatesAreFoundAmongHundredsOfKeys() throws {
    var members = (0..<300).map { "\"key\($0)\":\($0)" }
    members.append("\"key7\":\"last\"")
    let value = try json("{" + members.joined(separator: ",") + "}")
    expect(value.count, equals: 300)
    expect(value.member("key7")?.string, equals: "last")
    expect(value.member("key299")?.double, equals: 299)
    expectNil(value.member("key300"))
  }

  @Test func invalidUTF8IsReplaced() throws {
    try expect(Value.parse([0x22, 0x61, 0xff, 0x62, 0xe2, 0x82, 0x22]).string, equals: "a\u{fffd}b\u{fffd}")
    try expect(Value.parse([0x22, 0xed, 0xa0, 0x80, 0x22]).string, equals: "\u{fffd}")
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    try expect(Value.parse([0xef, 0xbb, 0xbf, 0x31]).double, equals: 1)
  }

  @Test func numbersBeyondTheStandardOnlyWhereTheyAreAskedFor() throws {
    let lenient = [
      ("nan", "null"), ("NaN", "null"), ("-Infinity", "-1.7976931348623157e+308"), ("01", "1"), (".5", "0.5"),
      ("5.", "5"), ("+1", "1"), ("[1.e5]", "[1E+5]"),
    ]
    for (text, written) in lenient {
      try expect(json(text).description, equals: written)
      #expect(mistake(text, .strict) != nil, "\(text)")
    }
    try expect(json("nan").double?.isNaN, equals: true)
  }

  @Test func nestingHasALimitAndDoesNotUseTheStack() throws {
    let deepest = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    try expect(json(deepest).description, equals: deepest)
    let tooDeep = String(repeating: "[", count: 10_001)
    expect(mistake(tooDeep), equals: "Exceeds depth limit for parsing at line 1, column 10001")
    expect(mistake(String(repeating: "[", count: 1_000_000))?.hasPrefix("Exceeds depth limit"), equals: true)
    expect(
      mistake(String(repeating: "{\"a\":", count: 1_000_000))?.hasPrefix("Exceeds depth limit"), equals: true)
  }

  @Test func manySmallValuesGrowTheTape() throws {
    let text = "[" + Array(repeating: "[]", count: 100_000).joined(separator: ",") + "]"
    try expect(json(text).count, equals: 100_000)
    try expect(json(text).description, equals: text)
  }

  @Test func everyTruncationIsRefusedWithoutReadingOn() throws {
    let text = Array(#" {"a":[1.5e3,"x\u00e9\ud83d\ude00y",true,null,{"b":false}],"c":"é"}"#.utf8)
    _ = try Value.parse(text)
    for count in 0..<text.count {
      #expect(throws: ParseError.self, "\(count)") { try Value.parse(Array(text[..<count])) }
    }
  }

  @Test func randomDamageNeverCrashes() {
    var random = SplitMix64(seed: 7)
    let text = Array(
      #"{"a":[1.5e3,"x\u00e9\ud83d\ude00y",true,null,{"b":false,"b":2}],"c":"é","d":-0.0}"#.utf8)
    for _ in 0..<20_000 {
      var damaged = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let value = try? Value.parse(damaged) { _ = value.description }
    }
  }

  @Test(arguments: [31, 33, 500, 5000])
  func aNameThatALargeObjectHasTwiceCountsOnce(_ count: Int) throws {
    let members = (0..<count).map { "\"name\($0)\":\($0)" }
    let once = try json("{\(members.joined(separator: ","))}")
    #expect(once.count == count && once.member("name\(count - 1)")?.double == Double(count - 1))
    let repeated = ["\"name7\":[{\"a\":1}]"] + members + ["\"nam\\u00653\":{\"b\":[2]}"]
    let value = try json("{\(repeated.joined(separator: ","))}")
    #expect(value.count == count && value.member("name7")?.double == 7)
    #expect(value.keys.first?.name == "name7" && value.member("name3")?.description == "{\"b\":[2]}")
    expect(value.member("name\(count - 1)")?.double, equals: Double(count - 1))
  }
}
