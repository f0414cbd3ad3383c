import JSON
import Language
import Reactive
import TestSupport
import Testing

@testable import Engine
@testable import Nodes
import System

/// The formats of `decode`: their declarations, their examples, and how sources use them.
@Suite struct DecoderTests {
  static let names = TextFormat.all.map(\.name)

  private func format(_ name: String) throws -> TextFormat { try #require(TextFormat.named(name)) }

  /// What a decoder that is written so makes of a text.
  static func decode(_ yaml: String, _ text: String, sizes: [Int] = [1 << 20]) throws -> Reading {
    try decode(yaml, Array(text.utf8), sizes: sizes)
  }

  static func decode(_ yaml: String, _ text: [UInt8], sizes: [Int]) throws -> Reading {
    let plan = try Trial.plan(
      "sources: { in: { stdin: { decode: \(yaml) } } }\nsteps: []\nsinks: { it: null }\n")
    let decoding = try #require(plan.sources.first).options[Decoding.option]
    var found = Reading()
    let reader = ValueReader(Pieces(text, sizes), path: "in", decoding) { flaw in
      found.flaws.append("\(flaw)")
      found.reasons.append(flaw.reason)
    }
    while case let values = try reader.nextBatch(), !values.isEmpty {
      found.values += values.map(\.description)
    }
    return found
  }

  @Test("a format is declared whole, and an example shows each option", arguments: names)
  func declaration(_ name: String) throws {
    let variant = try format(name).variant
    #expect(!variant.summary.isEmpty && !variant.summary.hasSuffix(".") && !variant.examples.isEmpty)
    // A table with tabs has the options of one with commas.
    let shown = name == "tsv" ? ["delimiter", "quote", "types"] : variant.options.map(\.name)
    for option in variant.options where shown.contains(option.name) {
      #expect(option.doc.count > 4)
      #expect(
        variant.examples.contains { $0.yaml.contains("\(option.name):") },
        "no example of \(name) shows \(option.name)")
    }
  }

  @Test("its examples are true, in pieces of any size", arguments: names)
  func examples(_ name: String) throws {
    for example in try format(name).variant.examples {
      for size in [1, 3, 1 << 20] {
        let found = try Self.decode(example.yaml, example.input, sizes: [size])
        #expect(found.values.joined(separator: "\n") == example.output, "\(name): \(example.title)")
        #expect(found.flaws.isEmpty)
      }
    }
  }

  @Test("no text makes it fail, loop, or report more errors than the text has bytes", arguments: names)
  func anything(_ name: String) throws {
    let texts = [
      "", "\n", "\u{feff}", "\u{feff}a,b\n1,2", "<", "<a", "{", "[", "\"", "a\tb\n1\t", "---\n- [", "\0\0",
      "&amp;",
      "<rss><channel><item>", "a: b: c", String(repeating: "[", count: 300),
      String(repeating: "<a>", count: 300),
    ]
    for text in texts {
      for size in [1, 1 << 20] {
        let found = try Self.decode(name, text, sizes: [size])
        #expect(found.flaws.count <= max(1, text.utf8.count))
      }
    }
  }

  @Test("a text that is too long is reported once, and the next line is read")
  func limits() throws {
    let long = String(repeating: "x", count: 100)
    for (yaml, text, expected) in [
      ("text", "a\n\(long)\nb\n", [#""a""#, #""b""#]),
      ("csv", "a\n1\n\"\(long)\n2\"\n3\n", [#"{"a":"1"}"#, #"{"a":"2\""}"#, #"{"a":"3"}"#]),
      ("{ text: { whole: true } }", long, []),
    ] {
      let plan = try Trial.plan(
        "sources: { in: { stdin: { decode: \(yaml) } } }\nsteps: []\nsinks: { it: null }\n")
      let decoding = try #require(plan.sources.first).options[Decoding.option]
      var flaws: [String] = []
      var values: [String] = []
      let reader = ValueReader(
        Pieces(Array(text.utf8), [10]), path: "in", decoding, limits: ReadLimits(chunk: 16, value: 64)
      ) { flaws.append($0.reason) }
      while case let batch = try reader.nextBatch(), !batch.isEmpty { values += batch.map(\.description) }
      #expect(values == expected && flaws.count == 1, "\(yaml): \(values) \(flaws)")
      #expect(flaws.first?.hasSuffix("longer than 64 bytes") == true)
    }
  }

  @Test("a table's header is checked before its rows")
  func header() throws {
    #expect(
      try Self.decode("csv", "a;b\n1;2\n").flaws == [
        "in:1:1: the header is one column; to read it as several, set delimiter: ';': a;b"
      ])
    #expect(
      try Self.decode("{ csv: { types: { prize: number } } }", "id,price\n1,2\n").flaws == [
        "in:2:1: there is no column “prize”; did you mean “price”?: 1,2"
      ])
    #expect(
      try Self.decode("{ csv: { columns: [a, b, c] } }", "id,price\n1,2\n").reasons == [
        "the header has 2 columns, and `columns` names 3"
      ])
    #expect(try Self.decode("csv", "id,,id\n1,2,3\n").values == [#"{"id":"1","column_2":"2","id_2":"3"}"#])
    #expect(try Self.decode("csv", "\u{feff}id\n1\n").values == [#"{"id":"1"}"#])
    #expect(
      try Self.decode("{ csv: { header: false } }", "1,2\n").values == [#"{"column_1":"1","column_2":"2"}"#])
  }

  @Test("what stands behind tags that YAML's core schema does not have is read as without them")
  func tags() throws {
    let text =
      "a: !!binary 1234\nb: !Sub [ !Ref x, !n 2 ]\n!k c: !M { d: !!timestamp 2001-12-14 }\ne: !!str 5\n"
    let found = try Self.decode("yaml", text)
    #expect(
      found.values == [#"{"a":"1234","b":["x",2],"c":{"d":"2001-12-14"},"e":"5"}"#] && found.flaws.isEmpty)
  }

  @Test("letters that are not UTF-8 are reported with their place, in each format")
  func unknownLetters() throws {
    for (yaml, text, values, flaw) in [
      ("text", "a\n*b\r\nc", [#""a""#, #""c""#], "in:2:1: the text is not UTF-8: byte 0xe9: \u{fffd}b"),
      ("{ text: { whole: true } }", "a\nü*", [], "in:2:2: the text is not UTF-8: byte 0xe9: ü\u{fffd}"),
      ("csv", "n\n*\n1\n", [#"{"n":"1"}"#], "in:2:1: the text is not UTF-8: byte 0xe9: \u{fffd}"),
      ("csv", "Gr*\u{df}e,n\n1,2\n", [], "in:1:3: the text is not UTF-8: byte 0xe9: Gr\u{fffd}ße,n"),
      ("{ csv: { skip_lines: 1 } }", "T\n*\n1", [], "in:2:1: the text is not UTF-8: byte 0xe9: \u{fffd}"),
      ("yaml", "a: 1\nb: *", [], "in:2:4: the text is not UTF-8: byte 0xe9: b: \u{fffd}"),
      (
        "feed", "{\"items\":[{\n\"id\":\"*\"}]}", [],
        "in:2:7: the text is not UTF-8: byte 0xe9: \"id\":\"\u{fffd}\"}]}"
      ),
      ("lines", "1\n[\"*\"]\n2", ["1", "2"], "in:2:3: the text is not UTF-8: byte 0xe9: [\"\u{fffd}\"]"),
    ] {
      let bytes = text.utf8.map { $0 == UInt8(ascii: "*") ? 0xe9 : $0 }
      for sizes in [[1 << 20], [1]] {
        let found = try Self.decode(yaml, bytes, sizes: sizes)
        #expect(found.values == values && found.flaws == [flaw], "\(yaml): \(found)")
      }
    }
  }

  @Test("documents that declare ISO-8859-1 or ASCII are windows-1252, and so are pages without a declaration")
  func western() throws {
    let xml = "<?xml version='1.0' encoding='%'?>"
    let rss = "<rss><channel><item><title>*</title></item></channel></rss>"
    for (yaml, text, value) in [
      ("xml", "\(xml)<n>*</n>", #"{"n":"*"}"#), ("html", "<meta charset=%><p>*", #""*""#),
      ("html", "<meta http-equiv=Content-Type content='text/html; charset=%'><p>*", #""*""#),
      ("feed", "\n\(xml)\(rss)", #""title":"*""#),
    ] {
      for name in ["ISO-8859-1", "latin1", "us-ascii", "windows-1252"] {
        let bytes = text.replacing("%", with: name).utf8.flatMap {
          $0 == UInt8(ascii: "*") ? [0x80, 0x31, 0x92, 0xe9, 0x81] : [$0]
        }
        let found = try Self.decode(yaml, bytes, sizes: [1 << 20])
        #expect(found.flaws.isEmpty, "\(yaml) \(name): \(found.flaws)")
        #expect(
          found.values.first?.contains(value.replacing("*", with: "€1’é\u{81}")) == true, "\(found.values)")
      }
    }
    func page(_ text: [UInt8]) throws -> [String] { try Self.decode("html", text, sizes: [1 << 20]).values }
    #expect(try page(Array("<p>It".utf8) + [0x92] + Array("s".utf8)) == ["\"It’s\""])
    #expect(try page(Array("<meta charset=iso-8859-1><p>é".utf8)) == ["\"é\""])
    #expect(try page(Array("<meta charset=windows-1251><p>".utf8) + [0xe9]) == ["\"й\""])
    let ascii = Array("<?xml version='1.0' encoding='us-ascii'?><n>é</n>".utf8)
    #expect(try Self.decode("xml", ascii, sizes: [1 << 20]).values == [#"{"n":"é"}"#])
  }

  @Test("a document that cannot be read is one error, with its line and column")
  func documents() throws {
    for (yaml, text, start) in [
      ("yaml", "a: 1\nb: [1\nc: 2\n", "in:3:"),
      ("yaml", "a: 1\na: 2\n", "in:2:1: the key “a” is given twice"),
      ("yaml", "a: *x\n", "in:1:4: there is no anchor &x"), ("xml", "<a>\n<b></a>\n", "in:2:"),
      ("feed", "<rss><channel>\n<item>\n", "in:3:"), ("feed", "<html/>", "in:1: the document is “html”"),
    ] {
      let found = try Self.decode(yaml, text)
      #expect(found.values.isEmpty && found.flaws.count == 1)
      #expect(found.flaws.first?.hasPrefix(start) == true, "\(found.flaws)")
    }
    let laughs =
      "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
      + (1...8).map {
        "k\($0): &\($0) [\(Array(repeating: $0 == 1 ? "*a" : "*\($0 - 1)", count: 10).joined(separator: ","))]\n"
      }.joined()
    #expect(try Self.decode("yaml", laughs).reasons.first?.contains("more than 1000000 values") == true)
  }

  @Test("decoding a text as a whole has a time, and ends without a report when the source stops")
  func budget() throws {
    for (name, text) in [
      ("feed", "<rss><channel/></rss>"), ("xml", "<a/>"), ("html", "<p>"), ("yaml", "a: 1"),
    ] {
      var decoding = Decoding(try format(name))
      decoding.budget.time = .zero
      let late = #expect(throws: DecodeFailure.self) { try decoding.values(of: Array(text.utf8)) }
      #expect(late?.reason.contains("decoding took longer than 0s: \(text)") == true, "\(late?.reason ?? "")")
      let stop = StopSign()
      stop.set()
      decoding.budget.stop = stop
      #expect(throws: DecodeFailure(reason: "\(name): the run was stopped")) {
        try decoding.values(of: Array(text.utf8))
      }
      let reader = ValueReader(Pieces(Array(text.utf8), [10]), path: "in", decoding) { Issue.record("\($0)") }
      #expect(try reader.nextBatch().isEmpty)
    }
  }

  @Test("a selector that is none is reported where it goes wrong")
  func selectors() {
    var reader = PipelineReader(catalog: .all)
    let text =
      "sources: { in: { stdin: { decode: { html: { select: 'p:hover' } } } } }\nsteps: []\nsinks: { it: null }\n"
    let isRight = reader.read(path: "p.yaml", Array(text.utf8))
    #expect(!isRight)
    #expect(
      "\(reader.problems)".contains("p.yaml:1:56: this is no selector: “:hover” is not supported"),
      "\(reader.problems)")
  }

  // MARK: - Over HTTP

  @Test("links of feeds and pages are absolute, and the encoding is the one that the server names")
  func pages() throws {
    let feed = "<rss><channel><item><link>/1</link></item></channel></rss>"
    let entries = try WebTrial("http: { url: 'http://a/x/feed', decode: feed, rows: '.[] | .link' }") { _ in
      .init(feed)
    }
    #expect(try entries.rows() == #"["http://a/1"]"#)
    let fields =
      "http: { url: 'http://a/x/y', decode: { html: { select: a, fields: { to: '@href', t: . } } } }"
    let page = try WebTrial(fields) { _ in
      .init("<a href='z?q=1'>é</a>", [("Content-Type", "text/html; charset=UTF-8")])
    }
    #expect(try page.rows() == #"[{"to":"http://a/x/z?q=1","t":"é"}]"#)
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
      #expect(try Self.served(options, text, name) == expected, "\(name)")
    }
  }

  @Test("without a name, text that is not UTF-8 is an error with the place and the byte")
  func unnamedEncodings() throws {
    let bad: [UInt8] = [0x5b, 0x22, 0x61, 0x0a, 0xe9, 0x22, 0x5d]
    for format in ["text", "csv", "lines", "yaml"] {
      #expect(
        try Self.served("decode: \(format)", bad, nil)
          == "GET http://a/x: \(format): line 2, column 1: the text is not UTF-8: byte 0xe9")
    }
    #expect(
      try Self.served("decode: json", [0x22, 0xe9, 0x22], nil).contains("the text is not UTF-8: byte 0xe9"))
    #expect(
      try Self.served("decode: text", [0xe9], "unheard-of").contains("the text is not UTF-8: byte 0xe9"))
    #expect(
      try Self.served("decode: text", [0x61, 0x93], "shift_jis").contains("is not SHIFT_JIS: byte 0x93"))
    #expect(try Self.served("decode: text", Array("é".utf8), "unheard-of") == #"["é"]"#)
    // Servers that name ISO-8859-1 for whatever they have.
    #expect(try Self.served("decode: text", Array("é".utf8), "iso-8859-1") == #"["é"]"#)
    #expect(try Self.served("decode: text", [0xff, 0xfe, 0xe9, 0x00], nil) == #"["é"]"#)
  }

  @Test("a document's own encoding counts where the server names none, or one that it is not in")
  func declaredEncodings() throws {
    let text = Array("<?xml version='1.0' encoding='iso-8859-1'?><n>".utf8) + [0xe9] + Array("</n>".utf8)
    #expect(try Self.served("decode: xml", text, nil) == #"[{"n":"é"}]"#)
    #expect(try Self.served("decode: xml", text, "utf-8") == #"[{"n":"é"}]"#)
    #expect(try Self.served("decode: xml", text, "windows-1251") == #"[{"n":"й"}]"#)
    let wrong = Array("<?xml version='1.0' encoding='iso-8859-1'?><n>é</n>".utf8)
    #expect(try Self.served("decode: xml", wrong, "utf-8") == #"[{"n":"é"}]"#)
  }

  @Test("links to places in one page are different, and so are entries that have them as ids")
  func anchors() throws {
    let items = ["changes#v2", "changes#v1", "/#/route/1"].map { "<item><link>\($0)</link></item>" }.joined()
    let feed = "http: { url: 'http://a/x/feed', decode: feed, rows: '.[] | .id' }"
    let entries = try WebTrial(feed) { _ in .init("<rss><channel>\(items)</channel></rss>") }
    #expect(try entries.rows() == #"["http://a/x/changes#v2","http://a/x/changes#v1","http://a/#/route/1"]"#)
    let fields = "http: { url: 'http://a/x?q=1', decode: { html: { select: a, fields: { to: '@href' } } } }"
    let page = try WebTrial(fields) { _ in .init("<a href='#b'>b</a>") }
    #expect(try page.rows() == ##"[{"to":"http://a/x?q=1#b"}]"##)
  }

  @Test("an http poll decodes lines, text and tables, each a list for rows")
  func http() throws {
    func rows(_ options: String, _ body: String) throws -> String {
      try WebTrial("http: { url: 'http://a/x', \(options) }") { _ in .init(body) }.rows()
    }
    #expect(try rows("decode: lines", "{\"n\":1}\n{\"n\":2}\n") == #"[{"n":1},{"n":2}]"#)
    #expect(try rows("decode: text", "one\r\ntwo") == #"["one","two"]"#)
    #expect(try rows("decode: csv", "n\n1\n2\n") == #"[{"n":"1"},{"n":"2"}]"#)
    #expect(try rows("decode: csv, rows: '.[] | select(.n == \"2\")'", "n\n1\n2\n") == #"[{"n":"2"}]"#)
    #expect(try rows("decode: csv", "n\n") == "[]")
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
    #expect(
      try message("csv", "a,b\n1,2\n3\n")
        == "GET http://a/x: csv: line 3, column 1: the row has 1 field instead of 2: 3")
    #expect(
      try message("csv", "<!DOCTYPE html><title>Log in</title>")
        == "GET http://a/x: answered an HTML page titled “Log in” instead of csv")
    #expect(try message("lines", "{\"n\":1}\n{\"n\":").hasPrefix("GET http://a/x: lines: line 2"))
    for format in ["csv", "text", "lines", "yaml", "feed", "html"] {
      for body in ["", " \r\n"] {
        #expect(
          try message(format, body) == "GET http://a/x: answered 200 with an empty body instead of \(format)")
      }
    }
    #expect(try message("csv", "", status: 204) == "GET http://a/x: answered 204, which comes without csv")
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
      #expect(try csv(message) == "\(none) id, name: \(message)")
      #expect(try csv("\(message)\nTry again.") == "\(none) id, name: \(message)")
      #expect(try csv("Busy, sorry") == "\(none) id, name: Busy, sorry")
      #expect(try csv("id,name\n") == "[]")
      #expect(try csv("name\n") == "[]")
    }
    // A table may get other columns.
    #expect(try csv("key,title\n1,a\n") == #"[{"key":"1","title":"a"}]"#)
    #expect(try csv("id,name\n") == "\(none) key, title: id,name")
    let narrow = try trial("csv")
    #expect(try narrow(message) == "[]")
    #expect(try narrow("url\na\n") == #"[{"url":"a"}]"#)
    #expect(try narrow(message) == "\(none) url: \(message)")
    #expect(try narrow("link\na\n") == #"[{"link":"a"}]"#)
    #expect(try trial("csv", memory: ["id", "name"])(message) == "\(none) id, name: \(message)")
    #expect(try trial("{ csv: { types: { n: number } } }")(message).contains("there is no column “n”"))
    let short = "line 1, column 1: the text ends before the table begins: \(message)"
    #expect(try trial("{ csv: { skip_lines: 2 } }")(message) == "csv: \(short)")
    #expect(try trial("{ tsv: { skip_lines: 1 } }")("\(message)\n") == "tsv: \(short)")
    #expect(try trial("{ csv: { skip_lines: 1, header: false } }")("Title\n") == "[]")
  }

  // MARK: - Files

  @Test("a table that a run did not read to its end is resumed at the row")
  func resumed() throws {
    let folder = Folder()
    let rows = (0..<5000).map { "\($0),x\n" }.joined()
    let path = folder.write("in.csv", "n,t\n" + rows)
    let plan = try Trial.plan(
      "sources: { in: { file: { path: \(path), decode: csv } } }\nsteps: []\nsinks: { it: null }\n")
    let decoding = try #require(plan.sources.first).options[Decoding.option]
    let reader = ValueReader(try InputFile(path), path: path, decoding) { _ in }
    #expect(try reader.nextBatch().count == 1024)
    var position = ReadPosition(path: path, identity: try #require(FileIdentity(at: path)))
    position.format = reader.foundFormat
    position.values = 1024
    let stored = try #require(ReadPosition(position.value))
    #expect(stored.format == .csv && !stored.format.beginsAnywhere && stored.values == 1024)
    #expect(decoding.resumed(as: stored.format).format == .csv)
  }

  @Test("lines and text can be followed, other formats cannot")
  func followed() throws {
    for name in Self.names {
      let text =
        "sources: { in: { file: { path: x, follow: true, decode: \(name) } } }\nsteps: []\nsinks: { it: null }\n"
      var reader = PipelineReader(catalog: .all)
      let isRight = reader.read(path: "p.yaml", Array(text.utf8))
      #expect(isRight == ["json", "lines", "text"].contains(name), "\(name): \(reader.problems)")
    }
  }
}
