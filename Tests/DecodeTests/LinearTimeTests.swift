import Expectations
import JSON
import TestSupport
import Testing

@testable import Decode
import System

/// A text that grows in one way: its format, and the text of a size in bytes.
struct GrowingText: Sendable, CustomStringConvertible {
  let format: String
  let what: String
  let text: @Sendable (Int) -> String

  init(_ format: String, _ what: String, _ text: @escaping @Sendable (Int) -> String) {
    (self.format, self.what, self.text) = (format, what, text)
  }

  /// A part over and over.
  init(_ format: String, _ what: String, _ part: String) { self.init(format, what, "", part) }

  /// A part over and over, between a beginning and an end.
  init(_ format: String, _ what: String, _ start: String, _ part: String, _ end: String = "") {
    self.init(format, what) { start + String(repeating: part, count: $0 / part.utf8.count) + end }
  }

  /// Parts with numbers of their own.
  init(
    _ format: String, _ what: String, _ start: String = "",
    numbered part: @escaping @Sendable (Int) -> String,
    _ end: String = ""
  ) {
    self.init(format, what) { size in
      start + (0..<size / part(1000).utf8.count).map(part).joined() + end
    }
  }

  /// Beginnings, and as many ends.
  init(_ format: String, _ what: String, nested opening: String, _ middle: String, _ closing: String) {
    self.init(format, what) { size in
      let count = size / (opening + closing).utf8.count
      return String(repeating: opening, count: count) + middle + String(repeating: closing, count: count)
    }
  }

  var description: String { "\(format): \(what)" }

  static let all = values + tables + markup + pages + documents

  private static let values: [GrowingText] = ["lines", "values", "array"].flatMap {
    (format) -> [GrowingText] in
    let (open, close) = format == "array" ? ("[", "]") : ("", "")
    let comma = format == "array" ? "," : ""
    return [
      GrowingText(format, "a name many times", open + "{", #""a":1,"#, #""a":1}"# + close),
      GrowingText(format, "many names", open + "{", numbered: { "\"a\($0)\":1," }, #""a":1}"# + close),
      GrowingText(format, "names in names", nested: #"{"a":"#, "1", "}"),
      GrowingText(format, "lists in lists", nested: "[", "", "]"),
      GrowingText(format, "lists that do not end", "["),
      GrowingText(format, "many short values", open, "1\(comma)\n", "1" + close),
      GrowingText(format, "many short values in a line", open, "{}\(comma) ", "1" + close),
      GrowingText(format, "a long text", open + "\"", "abcdefgh", "\"" + close),
      GrowingText(format, "a text of escapes", open + "\"", #"\u00e9\n"#, "\"" + close),
      GrowingText(format, "a text that does not end", open + "\"", "abcdefgh\\"),
      GrowingText(format, "a long number", open, "1234567890", close),
      GrowingText(format, "a long fraction", open + "0.", "0000000001", close),
      GrowingText(format, "bad lines", "{\"a\":x}\n"),
      GrowingText(format, "ends alone", "}\n"),
      GrowingText(format, "quotes that do not end", open, "\"a\n", close),
      GrowingText(format, "blank lines", open, "\n", "1" + close),
      GrowingText(format, "lists on lines that do not end", open, "[\n"),
      GrowingText(format, "objects on lines that do not end", open, "{\"a\":\n"),
      GrowingText(format, "lists on lines before an error", open, "[\n", "1 2"),
      GrowingText(format, "words on lines", open, "a\(comma)\n", "1" + close),
      GrowingText(format, "words in a line", open, "a\(comma) ", "1" + close),
    ]
  }

  private static let tables: [GrowingText] = [("csv", ",")].flatMap {
    (format, mark) -> [GrowingText] in
    [
      GrowingText(format, "a column many times", "", "a\(mark)", "a"),
      GrowingText(format, "columns without names", mark),
      GrowingText(format, "names with the numbers of others") { size in
        let count = size / 10
        return (1...count).map { "a_\($0)\(mark)" }.joined() + String(repeating: "a\(mark)", count: count)
          + "a"
      },
      GrowingText(format, "many columns", numbered: { "a\($0)\(mark)" }, "b"),
      GrowingText(format, "many columns with values") { size in
        let count = size / 8
        let header = (0..<count).map { "a\($0)" }.joined(separator: mark)
        return header + "\n" + Array(repeating: "1", count: count).joined(separator: mark)
      },
      GrowingText(format, "many rows", "a\(mark)b\n", "1\(mark)2\n"),
      GrowingText(format, "rows of other lengths", "a\(mark)b\n", "1\n"),
      GrowingText(format, "a wide row", "a\(mark)b\n", "1\(mark)"),
      GrowingText(format, "a long field", "a\(mark)b\n", "12345678"),
      GrowingText(format, "a long field in quotes", "a\n\"", "12\n45\"\"78", "\""),
      GrowingText(format, "quotes that do not end", "a\(mark)b\n", "1\(mark)\"x\n"),
      GrowingText(format, "quotes in the middle", "a\(mark)b\n", "\"1\"x\(mark)\"x\n"),
      GrowingText(format, "blank lines", "a\(mark)b\n", "\n", "1\(mark)2"),
      GrowingText("{ \(format): { ragged: fill } }", "a wide row", "a\(mark)b\n", "1\(mark)"),
      GrowingText("{ \(format): { trim: true } }", "spaces", "a\(mark)b\n", "  \(mark)  ", "\n"),
      GrowingText("{ \(format): { types: { a: number } } }", "a long number", "a\n", "1234567890", "\n"),
      GrowingText("{ \(format): { types: { x: number } } }", "a column that is missing", "", "a\(mark)", "a"),
    ]
  }

  private static let markup: [GrowingText] =
    [
      GrowingText("xml", "an element many times", "<r>", "<a>1</a>", "</r>"),
      GrowingText("xml", "many elements", "<r>", numbered: { "<a\($0)/>" }, "</r>"),
      GrowingText("xml", "elements in elements", nested: "<a>", "", "</a>"),
      GrowingText("xml", "many attributes", "<r ", numbered: { "a\($0)='' " }, "/>"),
      GrowingText("xml", "texts between elements", "<r>", "a<b/>", "</r>"),
      GrowingText("xml", "signs by name", "<r>", "&amp;&eacute;", "</r>"),
      GrowingText("xml", "comments", "<r>", "<!--x-->", "</r>"),
      GrowingText("xml", "comments that do not end", "<r>", "<!--x", "</r>"),
      GrowingText("xml", "brackets in a comment", "<r><!--", ">>>>", "--></r>"),
      GrowingText("xml", "sections of text", "<r>", "<![CDATA[x]]>", "</r>"),
      GrowingText("xml", "instructions", "<r>", "<?a b?>", "</r>"),
      GrowingText("xml", "elements that do not end", "<a>"),
      GrowingText("xml", "line breaks", "<r>", "\n", "</r>"),
      GrowingText("xml", "prefixes", "<r>", numbered: { "<p\($0):a xmlns:p\($0)='u\($0)'/>" }, "</r>"),
      GrowingText("{ xml: { select: 'a > b' } }", "found elements", "<r>", "<a><b/></a>", "</r>"),
      GrowingText("{ xml: { select: 'a ~ b' } }", "elements behind others", "<r><a/>", "<b/>", "</r>"),
      GrowingText("{ xml: { select: 'a:has(b)' } }", "elements with others", "<r>", "<a/>", "</r>"),
      GrowingText("{ xml: { select: 'a:nth-last-child(2)' } }", "elements in a row", "<r>", "<a/>", "</r>"),
      GrowingText("feed", "entries", "<rss><channel>", "<item><guid>1</guid></item>", "</channel></rss>"),
      GrowingText(
        "feed", "enclosures of an entry", "<rss><channel><item>",
        numbered: { "<enclosure url='u\($0)'/>" }, "</item></channel></rss>"),
      GrowingText(
        "feed", "an enclosure many times", "<rss><channel><item>", "<enclosure url='u'/>",
        "</item></channel></rss>"),
      GrowingText(
        "feed", "categories of an entry", "<rss><channel><item>",
        numbered: { "<category>\($0)</category>" }, "</item></channel></rss>"),
      GrowingText(
        "feed", "links of an entry", "<feed><entry>", numbered: { "<link href='u\($0)'/>" }, "</entry></feed>"
      ),
      GrowingText(
        "feed", "dates that are none", "<rss><channel><item>", "<pubDate>x</pubDate>",
        "</item></channel></rss>"),
      GrowingText(
        "feed", "a long date", "<rss><channel><item><pubDate>", "1 ", "</pubDate></item></channel></rss>"),
      GrowingText(
        "feed", "titles of markup", "<rss><channel><item><title>", "&lt;b&gt;&amp;amp;",
        "</title></item></channel></rss>"),
      GrowingText("feed", "entries in JSON", #"{"version":"1","items":["#, #"{"id":"1"},"#, #"{"id":"2"}]}"#),
      GrowingText(
        "feed", "attachments in JSON", #"{"items":[{"id":"1","attachments":["#,
        numbered: { #"{"url":"\#($0)"},"# },
        #"{"url":"x"}]}]}"#),
    ]

  private static let pages: [GrowingText] = [
    "html", "{ html: { select: 'a, b', fields: { t: ., c: b, h: .@html, x: '@x' } } }",
  ].flatMap { (format) -> [GrowingText] in
    [
      GrowingText(format, "paragraphs that do not end", "<p>x"),
      GrowingText(format, "links within links", "<a>x"),
      GrowingText(format, "marks within marks", "<b><i>x"),
      GrowingText(format, "marks that overlap", "<b><i>x</b></i>"),
      GrowingText(format, "ends alone", "<p>", "</b></p>"),
      GrowingText(format, "cells", "<table>", "<tr><td>x", "</table>"),
      GrowingText(format, "texts in a table", "<table>", "x<tr>", "</table>"),
      GrowingText(format, "lists within lists", "<ul><li>x"),
      GrowingText(format, "blocks within blocks", nested: "<div>", "x", "</div>"),
      GrowingText(format, "scripts", "<script>x</script>"),
      GrowingText(format, "a script that does not end", "<script>", "<x</s", ""),
      GrowingText(format, "comments that do not end", "<p>", "<!--x"),
      GrowingText(format, "declarations", "<p>", "<!x>"),
      GrowingText(format, "signs by name", "<p>", "&amp;&x"),
      GrowingText(format, "brackets alone", "<p>", "< < "),
      GrowingText(format, "attributes", "<a>", numbered: { "<b x\($0)=y x=z></b>" }),
      GrowingText(format, "spaces", "<p>", " \n"),
      GrowingText(format, "elements in a row", "<a>x</a><b>y</b>"),
    ]
  }

  private static let documents: [GrowingText] = [
    GrowingText("json", "lines that are no values", "[1}\n"),
    GrowingText("tsv", "a column many times", "", "a\t", "a"),
    GrowingText("text", "lines", "x\n"),
    GrowingText("text", "blank lines", "\r\n"),
    GrowingText("text", "a long line", "abcdefgh"),
    GrowingText("{ text: { whole: true } }", "lines", "x\n"),
    GrowingText("form", "a name many times", "", "a=1&", "a=1"),
    GrowingText("form", "many names", numbered: { "a\($0)=1&" }),
    GrowingText("form", "names in hexadecimal", "%61=%62&"),
    GrowingText("form", "signs alone", "&=&&"),
    GrowingText("form", "a long value", "a=", "%zz+"),
    GrowingText("form", "lines", "a=1\r\n"),
    GrowingText("yaml", "a list", "- 1\n"),
    GrowingText("yaml", "many names", numbered: { "a\($0): 1\n" }),
    GrowingText("yaml", "a name many times", "a: 1\n"),
    GrowingText("yaml", "lists in lists", nested: "[", "", "]"),
    GrowingText("yaml", "lists that do not end", "["),
    GrowingText("yaml", "mappings that do not end", "{"),
    GrowingText("yaml", "mappings in a line", "{a: "),
    GrowingText("yaml", "lists in a line", "- "),
    GrowingText("yaml", "keys in keys", "? "),
    GrowingText("yaml", "a flow list", "[", "a, ", "a]"),
    GrowingText("yaml", "a flow mapping", "{", numbered: { "a\($0): 1, " }, "b: 1}"),
    GrowingText("yaml", "documents", "--- 1\n"),
    GrowingText("yaml", "anchors", numbered: { "- &a\($0) 1\n" }),
    GrowingText("yaml", "aliases", "- &a [1, 2]\n", "- *a\n"),
    GrowingText("yaml", "aliases of many", numbered: { "- &a\($0) 1\n- *a\($0)\n" }),
    GrowingText("yaml", "merged mappings", "- &a {b: 1}\n", "- {<<: *a}\n"),
    GrowingText("yaml", "tags", "- !x y\n"),
    GrowingText("yaml", "a long text", "\"", "abc\\n d\n", "\""),
    GrowingText("yaml", "a text in lines", "|\n", " abc\n"),
    GrowingText("yaml", "a plain text of many lines", "abc\n"),
    GrowingText("yaml", "comments", "", "#x\n", "1"),
    GrowingText("yaml", "colons", "a", " b:", ""),
    GrowingText("yaml", "a text of quotes", "'", "''", "'"),
  ]
}

/// The time of decoding grows with the text, whatever its sender makes of it.
@Suite struct LinearTimeTests {
  /// What is decoded of a text, and forgotten.
  private func decode(_ decoding: Decoding, _ text: [UInt8]) throws {
    let reader = ValueReader(Pieces(text, [1 << 20]), path: "in", decoding) { _ in }
    while case let values = try reader.nextBatch(), !values.isEmpty {}
  }

  @Test("a text of four times the size takes about four times as long", arguments: GrowingText.all)
  func linear(_ growing: GrowingText) throws {
    let decoding = try DecoderTests.decoding(growing.format)
    func time(_ size: Int) throws -> Duration {
      let text = Array(growing.text(size).utf8)
      return try processorTime { try decode(decoding, text) }
    }
    // Libraries are loaded, and memory is there.
    _ = try time(64)
    let least = max(.microseconds(400), try time(64) * 3)
    // Large enough to be measured.
    var (size, once) = (512, Duration.zero)
    repeat {
      size *= 2
      once = try time(size)
    } while once < least && size < 1 << 17
    var ratio = try time(size * 4) / once
    for _ in 0..<5 where ratio >= 8 { ratio = try min(ratio, time(size * 4) / time(size)) }
    #expect(ratio < 8, "\(growing): \(size) bytes took \(once), four times as many \(ratio) times that")
  }

  @Test("few bytes are not filled up to many values")
  func filled() throws {
    let columns = 20_000
    let header = (0..<columns).map { "a\($0)" }.joined(separator: ",")
    let text = Array((header + "\n" + String(repeating: "1\n", count: 10_000)).utf8)
    let flaws = Journal<String>()
    let decoding = try DecoderTests.decoding("{ csv: { ragged: fill } }")
    let reader = ValueReader(Pieces(text, [1 << 20]), path: "in", decoding) { flaws.note($0.reason) }
    var rows = 0
    while case let values = try reader.nextBatch(), !values.isEmpty { rows += values.count }
    #expect(rows > 50 && rows < 200 && rows + flaws.entries.count == 10_000)
    expect(
      flaws.entries.first,
      equals: "the row has 1 of 20000 fields: with the rows before it, too many to fill")
  }

  @Test("each format is tried")
  func complete() {
    let tried = Set(GrowingText.all.map { $0.format.split { !$0.isLetter }.first.map(String.init) ?? "" })
    expect(tried, equals: Set(TextFormat.all.map(\.name)))
  }
}
