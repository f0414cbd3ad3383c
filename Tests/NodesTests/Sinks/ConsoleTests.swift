import Expectations
@testable import Nodes
import Trials
import Testing

import System

@Suite struct ConsoleTests {
  private let escape = #"{"name":"a\u001b[2J\u009bb","n":1}"#

  @Test("without options texts are printed as they are, and all else as JSON")
  func json() throws {
    let lines = [escape, #""two\nlines\t\u001b[2J""#, "null", "[1,2]"]
    let plain = try SinkBench().run("screen: console", lines: lines)
    expect(
      plain.writes,
      equals: [
        "{\"name\":\"a\\u001b[2J\u{9B}b\",\"n\":1}\ntwo\nlines\t\\u001b[2J\nnull\n[1,2]\n"
      ])
    let terminal = try SinkBench(isTerminal: true).run("screen: console", lines: lines)
    expect(
      terminal.text,
      equals: #"""
        {"name":"a\u001b[2J\u009bb","n":1}
        two\nlines\t\u001b[2J
        null
        [1,2]

        """#)
  }

  @Test("pretty JSON keeps its own line breaks")
  func pretty() throws {
    for isTerminal in [false, true] {
      let seen = try SinkBench(isTerminal: isTerminal)
        .run("screen: { console: { json: pretty } }", lines: [#"{"a":"x\ny"}"#])
      expect(seen.text, equals: "{\n  \"a\": \"x\\ny\"\n}\n")
    }
  }

  @Test("a template prints a line per event; one that fails is reported and skipped")
  func template() throws {
    let sink = #"screen: { console: '\(.name) is \(.n + 1)' }"#
    let lines = [#"{"name":"a\u001bb\nc","n":1}"#, #"{"name":"d","n":[]}"#, #"{"name":"e","n":2}"#]
    let plain = try SinkBench().run(sink, lines: lines)
    expect(plain.text, equals: "a\\u001bb\nc is 2\ne is 3\n")
    expect(plain.log.count, equals: 1)
    try expect(
      SinkBench(isTerminal: true).run(sink, lines: lines).text, equals: "a\\u001bb\\nc is 2\ne is 3\n")
  }

  @Test("lines are cut at the width of a terminal where that is wanted")
  func clipping() throws {
    let lines = [#""\#(String(repeating: "é火", count: 5000))""#]
    let bench = SinkBench(isTerminal: true, columns: 10)
    try expect(bench.run("screen: { console: { clip: true } }", lines: lines).text, equals: "é火é火é火…\n")
    try expect(bench.run("screen: console", lines: lines).text.count, equals: 10_001)
    try expect(
      SinkBench().run("screen: { console: { clip: true } }", lines: lines).text.count, equals: 10_001)
  }

  @Test("lines have the style that an expression names, where there are colours")
  func color() throws {
    let sink = #"screen: { console: { template: '\(.)', color: 'if . > 1 then "bold red" else null end' } }"#
    let lines = ["1", "2"]
    try expect(
      SinkBench(isTerminal: true, hasColors: true).run(sink, lines: lines).text,
      equals: "1\n\u{1B}[1;31m2\u{1B}[0m\n")
    try expect(SinkBench(isTerminal: true).run(sink, lines: lines).text, equals: "1\n2\n")
  }

  @Test("the lines of a text difference are lines of a terminal, with colours; other line breaks are not")
  func differences() throws {
    let sink = #"screen: { console: 'page\n\(.)' }"#
    let lines = [##""@@ -1,2 +1,2 @@\n a\u001b\n-b\r\n+c\nd\ne""##, #""@@ -1 +1 @@\nx""#]
    let bench = SinkBench(isTerminal: true, hasColors: true)
    try expect(
      bench.run(sink, lines: lines).text,
      equals:
        "page\n\u{1B}[36m@@ -1,2 +1,2 @@\u{1B}[0m\n a\\u001b\n\u{1B}[31m-b\\r\u{1B}[0m\n\u{1B}[32m+c\u{1B}[0m\nd\\ne\n"
        + "page\\n@@ -1 +1 @@\\nx\n")
    #expect(try SinkBench().run(sink, lines: lines).text.hasSuffix("-b\\r\n+c\nd\ne\npage\n@@ -1 +1 @@\nx\n"))
  }

  @Test("an unknown style is reported once, and everything is printed all the same")
  func wrongColor() throws {
    let seen = try SinkBench(isTerminal: true, hasColors: true)
      .run(#"screen: { console: { color: '"rde"' } }"#, lines: ["1", "2"])
    expect(seen.text, equals: "1\n2\n")
    expect(seen.log, equals: ["screen: color: unknown style “rde”; did you mean “red”?"])
  }

  @Test("when the reader goes, the pipeline ends well")
  func readerGone() throws {
    let lines = (0..<30_000).map { "\($0)" }
    let seen = try SinkBench(readerStays: 1).run("screen: console", lines: lines)
    expect(seen.writes.count, equals: 1)
    #expect(!seen.hasFailed && seen.log.isEmpty)
  }

  @Test("a template and a table at once are refused")
  func problems() {
    let both = SinkBench.problems("screen: { console: { template: x, table: [.a] } }")
    #expect(both.contains("prints either a template or a table"))
    #expect(SinkBench.problems("screen: { console: { table: {} } }").contains("the table has no columns"))
  }
}
