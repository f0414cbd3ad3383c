import Expectations
import JSON
import Reactive
import TestSupport
import Testing

@testable import Decode
@testable import Language
import System

/// The formats of `decode`: their declarations and their examples.
@Suite struct DecoderTests {
  static let names = TextFormat.all.map(\.name)

  private func format(_ name: String) throws -> TextFormat { try #require(TextFormat.named(name)) }

  /// A format as a pipeline has it behind `decode:`.
  static func decoding(_ yaml: String) throws -> Decoding {
    try Decoding.option.value(of: yaml, from: "decode", in: Catalog([]))
  }

  /// What a decoder that is written so makes of a text.
  static func decode(_ yaml: String, _ text: String, sizes: [Int] = [1 << 20]) throws -> Reading {
    try decode(yaml, Array(text.utf8), sizes: sizes)
  }

  static func decode(_ yaml: String, _ text: [UInt8], sizes: [Int]) throws -> Reading {
    let decoding = try decoding(yaml)
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
        expect(found.values.joined(separator: "\n"), equals: example.output, "\(name): \(example.title)")
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
      let decoding = try Self.decoding(yaml)
      var flaws: [String] = []
      var values: [String] = []
      let reader = ValueReader(
        Pieces(Array(text.utf8), [10]), path: "in", decoding, limits: ReadLimits(chunk: 16, value: 64)
      ) { flaws.append($0.reason) }
      while case let batch = try reader.nextBatch(), !batch.isEmpty { values += batch.map(\.description) }
      #expect(values == expected && flaws.count == 1, "\(yaml): \(values) \(flaws)")
      expect(flaws.first?.hasSuffix("longer than 64 bytes"), equals: true)
    }
  }

  @Test("a table's header is checked before its rows")
  func header() throws {
    try expect(
      Self.decode("csv", "a;b\n1;2\n").flaws,
      equals: [
        "in:1:1: the header is one column; to read it as several, set delimiter: ';': a;b"
      ])
    try expect(
      Self.decode("{ csv: { types: { prize: number } } }", "id,price\n1,2\n").flaws,
      equals: [
        "in:2:1: there is no column “prize”; did you mean “price”?: 1,2"
      ])
    try expect(
      Self.decode("{ csv: { columns: [a, b, c] } }", "id,price\n1,2\n").reasons,
      equals: [
        "the header has 2 columns, and `columns` names 3"
      ])
    try expect(
      Self.decode("csv", "id,,id\n1,2,3\n").values, equals: [#"{"id":"1","column_2":"2","id_2":"3"}"#])
    try expect(Self.decode("csv", "\u{feff}id\n1\n").values, equals: [#"{"id":"1"}"#])
    try expect(
      Self.decode("{ csv: { header: false } }", "1,2\n").values, equals: [#"{"column_1":"1","column_2":"2"}"#]
    )
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

  @Test("no format but those of markup reads a text that is not UTF-8", arguments: names)
  func notUTF8(_ name: String) throws {
    // Markup has an encoding of its own, which the next tests try.
    if ["xml", "html", "feed"].contains(name) { return }
    for example in try format(name).variant.examples where example.yaml == name {
      var bytes = Array(example.input.utf8)
      let letter = try #require(
        bytes.lastIndex { Character(UnicodeScalar($0)).isLetter || (0x30...0x39).contains($0) })
      bytes[letter] = 0xe9
      let found = try Self.decode(name, bytes, sizes: [1 << 20])
      #expect(found.flaws.count == 1, "\(name), \(example.title): \(found)")
      #expect(!found.values.contains { $0.contains("\u{fffd}") }, "\(name), \(example.title): \(found)")
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
        expect(
          found.values.first?.contains(value.replacing("*", with: "€1’é\u{81}")), equals: true,
          "\(found.values)")
      }
    }
    func page(_ text: [UInt8]) throws -> [String] { try Self.decode("html", text, sizes: [1 << 20]).values }
    try expect(page(Array("<p>It".utf8) + [0x92] + Array("s".utf8)), equals: ["\"It’s\""])
    // The name counts, as in browsers, although the text is UTF-8.
    try expect(page(Array("<meta charset=iso-8859-1><p>é".utf8)), equals: ["\"Ã©\""])
    try expect(page(Array("<p>é".utf8)), equals: ["\"é\""])
    try expect(page(Array("<meta charset=windows-1251><p>".utf8) + [0xe9]), equals: ["\"й\""])
    let ascii = Array("<?xml version='1.0' encoding='us-ascii'?><n>é</n>".utf8)
    try expect(Self.decode("xml", ascii, sizes: [1 << 20]).values, equals: [#"{"n":"é"}"#])
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
      expect(found.flaws.first?.hasPrefix(start), equals: true, "\(found.flaws)")
    }
    let laughs =
      "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
      + (1...8).map {
        "k\($0): &\($0) [\(Array(repeating: $0 == 1 ? "*a" : "*\($0 - 1)", count: 10).joined(separator: ","))]\n"
      }.joined()
    try expect(Self.decode("yaml", laughs).reasons.first?.contains("more than 1000000 values"), equals: true)
  }

  @Test("decoding a text as a whole has a time, and ends without a report when the source stops")
  func budget() throws {
    for (name, text) in [
      ("feed", "<rss><channel/></rss>"), ("xml", "<a/>"), ("html", "<p>"), ("yaml", "a: 1"),
    ] {
      var decoding = Decoding(try format(name))
      decoding.budget.time = .zero
      let late = #expect(throws: Sentence.self) { try decoding.values(of: Array(text.utf8)) }
      expect(
        late?.description.contains("decoding took longer than 0s: \(text)"), equals: true,
        "\(late?.description ?? "")")
      let stop = StopSign()
      stop.set()
      decoding.budget.stop = stop
      #expect(throws: Sentence("\(name): the run was stopped")) {
        try decoding.values(of: Array(text.utf8))
      }
      let reader = ValueReader(Pieces(Array(text.utf8), [10]), path: "in", decoding) { Issue.record("\($0)") }
      #expect(try reader.nextBatch().isEmpty)
    }
  }
}
