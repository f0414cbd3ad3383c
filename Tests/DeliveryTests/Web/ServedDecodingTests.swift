import Expectations
@testable import Delivery
import Trials
import Decode
import JSON
import Language
import Reactive
import Testing

/// The formats of `decode` over HTTP: encodings that servers name, links, and pages or messages in place of a text.
@Suite struct ServedDecodingTests {
  @Test("links of feeds and pages are absolute, and the encoding is the one that the server names")
  func pages() throws {
    let feed = "<rss><channel><item><link>/1</link></item></channel></rss>"
    let entries = try WebTrial("http: { url: 'http://a/x/feed', decode: feed, rows: '.[] | .link' }") { _ in
      .init(feed)
    }
    try expect(entries.rows(), equals: #"["http://a/1"]"#)
    let fields =
      "http: { url: 'http://a/x/y', decode: { html: { select: a, fields: { to: '@href', t: . } } } }"
    let page = try WebTrial(fields) { _ in
      .init("<a href='z?q=1'>é</a>", [("Content-Type", "text/html; charset=UTF-8")])
    }
    try expect(page.rows(), equals: #"[{"to":"http://a/x/z?q=1","t":"é"}]"#)
  }

  /// The rows of an answer of some bytes, or why there are none.
  static func served(_ options: String, _ body: [UInt8], _ charset: String?) throws -> String {
    let type = "text/plain" + (charset.map { "; charset=\($0)" } ?? "")
    let trial = try WebTrial("http: { url: 'http://a/x', \(options) }") { _ in
      .init(body, [("Content-Type", type)])
    }
    do { return try trial.rows() } catch { return "\(error)" }
  }

  private static let forms = [
    ("decode: csv", "n\n*\n", #"[{"n":"*"}]"#), ("decode: csv", "*\n1\n", #"[{"*":"1"}]"#),
    ("decode: text", "*", #"["*"]"#), ("decode: { text: { whole: true } }", "*", #"["*"]"#),
    ("decode: lines", "{\"n\":\"*\"}", #"[{"n":"*"}]"#), ("decode: json", "[\"*\"]", #"["*"]"#),
    ("decode: yaml", "n: '*'", #"[{"n":"*"}]"#), ("decode: xml", "<n>*</n>", #"[{"n":"*"}]"#),
    (
      "decode: feed, rows: '.[].title'", "<rss><channel><item><title>*</title></item></channel></rss>",
      #"["*"]"#
    ),
    ("decode: feed, rows: '.[].title'", #"{"items":[{"title":"*"}]}"#, #"["*"]"#),
    ("decode: html", "<p>*</p>", #"["*"]"#),
  ]

  @Test("the encoding that a server names counts for every format", arguments: forms)
  func encodings(_ options: String, _ body: String, _ rows: String) throws {
    let encodings: [(String, String, [UInt8])] = [
      ("iso-8859-1", "Mü ’€", [0x4d, 0xfc, 0x20, 0x92, 0x80]), ("\"Windows-1252\"", "é", [0xe9]),
      ("windows-1251", "Да", [0xc4, 0xe0]), ("Shift_JIS", "日", [0x93, 0xfa]), ("utf-8", "é", [0xc3, 0xa9]),
      ("gb2312", "中", [0xd6, 0xd0]),
    ]
    for (name, letters, bytes) in encodings {
      let parts = body.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
      let text = Array(parts.joined(separator: bytes))
      let expected = rows.split(separator: "*", omittingEmptySubsequences: false).joined(separator: letters)
      try expect(Self.served(options, text, name), equals: expected, "\(name)")
    }
  }

  @Test("without a name, text that is not UTF-8 is an error with the place and the byte")
  func unnamedEncodings() throws {
    let bad: [UInt8] = [0x5b, 0x22, 0x61, 0x0a, 0xe9, 0x22, 0x5d]
    for format in ["text", "csv", "lines", "yaml"] {
      try expect(
        Self.served("decode: \(format)", bad, nil),
        equals: "GET http://a/x: \(format): line 2, column 1: the text is not UTF-8: byte 0xe9")
    }
    #expect(
      try Self.served("decode: json", [0x22, 0xe9, 0x22], nil).contains("the text is not UTF-8: byte 0xe9"))
    #expect(
      try Self.served("decode: text", [0xe9], "unheard-of").contains("the text is not UTF-8: byte 0xe9"))
    #expect(
      try Self.served("decode: text", [0x61, 0x93], "shift_jis").contains("is not SHIFT_JIS: byte 0x93"))
    try expect(Self.served("decode: text", Array("é".utf8), "unheard-of"), equals: #"["é"]"#)
    // Servers that name ISO-8859-1 for whatever they have.
    try expect(Self.served("decode: text", Array("é".utf8), "iso-8859-1"), equals: #"["é"]"#)
    try expect(Self.served("decode: text", [0xff, 0xfe, 0xe9, 0x00], nil), equals: #"["é"]"#)
  }

  @Test("a document's own encoding counts where the server names none, or one that it is not in")
  func declaredEncodings() throws {
    let text = Array("<?xml version='1.0' encoding='iso-8859-1'?><n>".utf8) + [0xe9] + Array("</n>".utf8)
    try expect(Self.served("decode: xml", text, nil), equals: #"[{"n":"é"}]"#)
    try expect(Self.served("decode: xml", text, "utf-8"), equals: #"[{"n":"é"}]"#)
    try expect(Self.served("decode: xml", text, "windows-1251"), equals: #"[{"n":"й"}]"#)
    let wrong = Array("<?xml version='1.0' encoding='iso-8859-1'?><n>é</n>".utf8)
    try expect(Self.served("decode: xml", wrong, "utf-8"), equals: #"[{"n":"é"}]"#)
    // In a page the server counts more, as in browsers.
    let page = Array("<meta charset=koi8-r><p>é".utf8) + [0xff]
    try expect(Self.served("decode: html", page, "utf-8"), equals: "[\"é\u{fffd}\"]")
  }

  @Test("links to places in one page are different, and so are entries that have them as ids")
  func anchors() throws {
    let items = ["changes#v2", "changes#v1", "/#/route/1"].map { "<item><link>\($0)</link></item>" }.joined()
    let feed = "http: { url: 'http://a/x/feed', decode: feed, rows: '.[] | .id' }"
    let entries = try WebTrial(feed) { _ in .init("<rss><channel>\(items)</channel></rss>") }
    try expect(
      entries.rows(), equals: #"["http://a/x/changes#v2","http://a/x/changes#v1","http://a/#/route/1"]"#)
    let fields = "http: { url: 'http://a/x?q=1', decode: { html: { select: a, fields: { to: '@href' } } } }"
    let page = try WebTrial(fields) { _ in .init("<a href='#b'>b</a>") }
    try expect(page.rows(), equals: ##"[{"to":"http://a/x?q=1#b"}]"##)
  }

  @Test("an http poll decodes lines, text and tables, each a list for rows")
  func http() throws {
    func rows(_ options: String, _ body: String) throws -> String {
      try WebTrial("http: { url: 'http://a/x', \(options) }") { _ in .init(body) }.rows()
    }
    try expect(rows("decode: lines", "{\"n\":1}\n{\"n\":2}\n"), equals: #"[{"n":1},{"n":2}]"#)
    try expect(rows("decode: text", "one\r\ntwo"), equals: #"["one","two"]"#)
    try expect(rows("decode: csv", "n\n1\n2\n"), equals: #"[{"n":"1"},{"n":"2"}]"#)
    try expect(rows("decode: csv, rows: '.[] | select(.n == \"2\")'", "n\n1\n2\n"), equals: #"[{"n":"2"}]"#)
    try expect(rows("decode: csv", "n\n"), equals: "[]")
  }

  @Test("an answer that cannot be decoded fails the poll, and so does a page in its place")
  func badAnswers() throws {
    func message(_ decode: String, _ body: String, status: Int = 200) throws -> String {
      let trial = try WebTrial("http: { url: 'http://a/x', decode: \(decode) }") { _ in
        .init(body, status: status)
      }
      let error = #expect(throws: (any Error).self) { try trial.poll() }
      return error.map { "\($0)" } ?? ""
    }
    try expect(
      message("csv", "a,b\n1,2\n3\n"),
      equals: "GET http://a/x: csv: line 3, column 1: the row has 1 field instead of 2: 3")
    try expect(
      message("csv", "<!DOCTYPE html><title>Log in</title>"),
      equals: "GET http://a/x: answered an HTML page titled “Log in” instead of csv")
    #expect(try message("lines", "{\"n\":1}\n{\"n\":").hasPrefix("GET http://a/x: lines: line 2"))
    for format in ["csv", "text", "lines", "yaml", "feed", "html"] {
      for body in ["", " \r\n"] {
        try expect(
          message(format, body),
          equals: "GET http://a/x: answered 200 with an empty body instead of \(format)")
      }
    }
    try expect(
      message("csv", "", status: 204), equals: "GET http://a/x: answered 204, which comes without csv")
  }

  @Test("a message in place of a table fails the poll, a table without rows is an empty list")
  func messagesForTables() throws {
    let message = "Error: database unavailable"
    let body = Locked("")
    func trial(_ decode: String, memory: [String] = []) throws -> (String) throws -> String {
      let position = Value.record([("memory", .array(memory.map { .string($0) }))])
      let trial = try WebTrial("http: { url: 'http://a/x', decode: \(decode) }", position: position) { _ in
        .init(body.withLock { $0 })
      }
      return { text in
        body.withLock { $0 = text }
        do { return try trial.rows() } catch { return "\(error)".replacing("GET http://a/x: ", with: "") }
      }
    }
    let none = "csv: line 1, column 1: the header has none of the columns that the table had,"
    let csv = try trial("csv")
    for text in ["id,name\n", "id,name\n1,a\n"] {
      _ = try csv(text)
      try expect(csv(message), equals: "\(none) id, name: \(message)")
      try expect(csv("\(message)\nTry again."), equals: "\(none) id, name: \(message)")
      try expect(csv("Busy, sorry"), equals: "\(none) id, name: Busy, sorry")
      try expect(csv("id,name\n"), equals: "[]")
      try expect(csv("name\n"), equals: "[]")
    }
    // A table may get other columns.
    try expect(csv("key,title\n1,a\n"), equals: #"[{"key":"1","title":"a"}]"#)
    try expect(csv("id,name\n"), equals: "\(none) key, title: id,name")
    let narrow = try trial("csv")
    try expect(narrow(message), equals: "[]")
    try expect(narrow("url\na\n"), equals: #"[{"url":"a"}]"#)
    try expect(narrow(message), equals: "\(none) url: \(message)")
    try expect(narrow("link\na\n"), equals: #"[{"link":"a"}]"#)
    try expect(trial("csv", memory: ["id", "name"])(message), equals: "\(none) id, name: \(message)")
    #expect(try trial("{ csv: { types: { n: number } } }")(message).contains("there is no column “n”"))
    let short = "line 1, column 1: the text ends before the table begins: \(message)"
    try expect(trial("{ csv: { skip_lines: 2 } }")(message), equals: "csv: \(short)")
    try expect(trial("{ tsv: { skip_lines: 1 } }")("\(message)\n"), equals: "tsv: \(short)")
    try expect(trial("{ csv: { skip_lines: 1, header: false } }")("Title\n"), equals: "[]")
  }

  @Test(
    "charset and a byte order mark count more than the encoding that a server names",
    arguments: [
      ("text", "*\n*", #""*","*""#), ("csv", "n\n*\n", #"{"n":"*"}"#), ("tsv", "n\n*\n", #"{"n":"*"}"#),
      ("lines", "{\"n\":\"*\"}", #"{"n":"*"}"#),
      ("xml", "<?xml version='1.0' encoding='utf-8'?><n>*</n>", #"{"n":"*"}"#),
      ("html", "<meta charset=utf-8><p>*</p>", #""*""#),
    ])
  func named(_ format: String, _ body: String, _ values: String) throws {
    let parts = body.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
    let decode = "decode: { \(format): { charset: WINDOWS-1251 } }, rows: ."
    try expect(
      Self.served(decode, Array(parts.joined(separator: [0xc4, 0xe0])), "koi8-r"),
      equals: "[[\(values.replacing("*", with: "Да"))]]")
    guard ["text", "csv", "tsv", "lines"].contains(format) else { return }
    let wide = "\u{feff}\(body.replacing("*", with: "Да"))".utf16
      .flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    try expect(
      Self.served("decode: \(format), rows: .", wide, nil), equals: "[[\(values.replacing("*", with: "Да"))]]"
    )
  }
}
