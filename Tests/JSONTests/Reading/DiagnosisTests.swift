import Expectations
import Testing

@testable import JSON

@Suite struct DiagnosisTests {
  @Test(arguments: [
    ("", "Expected JSON value"),
    ("1 2", "Unexpected extra JSON values"),
    ("[1]2", "Unexpected extra JSON values"),
    ("nan1", "Invalid numeric literal at EOF at line 1, column 4"),
    ("{a:1}", "Invalid numeric literal at line 1, column 3"),
    ("tru", "Invalid literal at EOF at line 1, column 3"),
    ("[1 2]", "Expected separator between values at line 1, column 5"),
    ("[1,]", "Expected another array element at line 1, column 4"),
    ("[1,\n2,\n]", "Expected another array element at line 3, column 1"),
    (#"{"a":1,}"#, "Expected another key-value pair at line 1, column 8"),
    (#"{"a"}"#, "Objects must consist of key:value pairs at line 1, column 5"),
    ("{1:2}", "Object keys must be strings at line 1, column 3"),
    ("[", "Unfinished JSON term at EOF at line 1, column 1"),
    ("[\n", "Unfinished JSON term at EOF at line 2, column 0"),
    ("\"abc", "Unfinished string at EOF at line 1, column 4"),
    ("]", "Unmatched ']' at line 1, column 1"),
    ("[}", "Unmatched '}' at line 1, column 2"),
    (",1", "Expected value before ',' at line 1, column 1"),
    (":", "Expected string key before ':' at line 1, column 1"),
    ("'a'", "Invalid string literal; expected \", but got ' at EOF at line 1, column 3"),
    (
      "\"a\tb\"",
      "Invalid string: control characters from U+0000 through U+001F must be escaped at line 1, column 5"
    ),
    (#""\q""#, "Invalid escape at line 1, column 4"),
    (#""\u12g4""#, "Invalid characters in \\uXXXX escape at line 1, column 8"),
  ])
  func wordsAndPlacesAreJQs(_ text: String, _ message: String) {
    expect(mistake(text), equals: message)
  }

  @Test func offsetsCountBytesFromTheBeginning() {
    #expect(throws: ParseError("Invalid literal", line: 2, column: 5, offset: 6, isAtEnd: false)) {
      try Value.parse("1\ntrux ", .jq)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 100])
  func theWordsDoNotDependOnWhereTheTextIsCut(_ piece: Int) {
    let texts = [
      "tru1", "{a:1}", "[1 2]", "[1,\n2,\n]", "{ \"\n:{}\n}", "nu\u{1}l", "[1,[2", "{\"a\":\"\\q\"}", "[01x]",
      "[1,]",
      "{\"a\" \"b\":1}", "[\"\\ud800\"]",
    ]
    for text in texts {
      expect(readAll(Array(text.utf8), piece: piece), equals: [mistake(text) ?? ""], "\(text)")
    }
  }

  @Test func aReaderCountsLinesOverChunks() {
    let text = Array((String(repeating: "{\"a\":1}\n", count: 5000) + "{\"a\" 1}\n").utf8)
    expect(
      readAll(text, piece: 1000).last, equals: "Expected separator between values at line 5001, column 7")
    expect(readAll(text, piece: 1000).count, equals: 5001)
  }
}
