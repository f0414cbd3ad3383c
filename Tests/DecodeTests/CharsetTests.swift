import Expectations
import System
import Testing

@testable import Decode

/// The option `charset` of formats of text.
@Suite("Encodings of texts") struct CharsetTests {
  @Test(
    "charset names the encoding of a text, read in pieces of any size",
    arguments: [
      ("text", "*\n*", #""*""# + "\n" + #""*""#), ("csv", "n\n*\n", #"{"n":"*"}"#),
      ("tsv", "n\n*\n", #"{"n":"*"}"#),
      ("lines", "{\"n\":\"*\"}", #"{"n":"*"}"#),
      ("xml", "<?xml version='1.0' encoding='utf-8'?><n>*</n>", #"{"n":"*"}"#),
      ("html", "<meta charset=utf-8><p>*</p>", #""*""#),
    ])
  func charsets(_ format: String, _ body: String, _ values: String) throws {
    let encodings: [(String, String, [UInt8])] = [
      ("latin1", "ü’", [0xfc, 0x92]), ("WINDOWS-1251", "Да", [0xc4, 0xe0]),
      ("shift_jis", "日本", [0x93, 0xfa, 0x96, 0x7b]),
      ("utf-7", "é", Array("+AOk-".utf8)),
      ("iso-2022-jp", "日", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42]),
    ]
    for (name, letters, bytes) in encodings {
      let parts = body.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
      let text = Array(parts.joined(separator: bytes))
      let expected = values.split(separator: "*", omittingEmptySubsequences: false).joined(separator: letters)
      let yaml = "{ \(format): { charset: \(name) } }"
      for size in [1, 2, 5, 1 << 20] {
        let found = try DecoderTests.decode(yaml, text, sizes: [size])
        #expect(
          found.values.joined(separator: "\n") == expected && found.flaws.isEmpty, "\(yaml) \(found.flaws)")
      }
    }
  }

  @Test("a byte order mark counts more than charset, which counts for UTF-16 too")
  func marks() throws {
    let yaml = "{ text: { charset: latin1 } }"
    try expect(
      DecoderTests.decode(yaml, [0xef, 0xbb, 0xbf, 0xc3, 0xa9], sizes: [1]).values, equals: [#""é""#])
    try expect(
      DecoderTests.decode(yaml, [0xfe, 0xff, 0, 0xe9, 0, 0x0a], sizes: [1]).values, equals: [#""é""#])
    let wide = try DecoderTests.decode(
      "{ text: { charset: utf-16le } }", [0xe9, 0, 0x0a, 0, 0x61, 0], sizes: [1])
    expect(wide.values, equals: [#""é""#, #""a""#])
  }

  @Test(
    "without charset a byte order mark of UTF-16 counts in every format",
    arguments: [
      ("text", "é\nb", [#""é""#, #""b""#]), ("csv", "n\né\n", [#"{"n":"é"}"#]),
      ("tsv", "n\né\n", [#"{"n":"é"}"#]), ("lines", #"{"n":"é"}"#, [#"{"n":"é"}"#]),
      ("json", #"{"n":"é"}"#, [#"{"n":"é"}"#]), ("json", #"["é",1]"#, [#""é""#, "1"]),
      ("array", #"["é",1]"#, [#""é""#, "1"]), ("values", #""é" 1"#, [#""é""#, "1"]),
      ("yaml", "n: é\n", [#"{"n":"é"}"#]), ("form", "n=%C3%A9", [#"{"n":"é"}"#]),
      ("xml", "<?xml version='1.0' encoding='utf-16'?>\n<n>é</n>", [#"{"n":"é"}"#]),
      ("xml", "<n>é</n>", [#"{"n":"é"}"#]), ("html", "<meta charset=koi8-r><p>é</p>", [#""é""#]),
      ("feed", "<?xml version='1.0' encoding='utf-16'?><rss><channel/></rss>", []),
      ("feed", #"{"items":[]}"#, []),
    ])
  func wideMarks(_ format: String, _ text: String, _ values: [String]) throws {
    for bigEndian in [true, false] {
      let units = "\u{feff}\(text)".utf16.map { bigEndian ? $0.bigEndian : $0.littleEndian }
      let bytes = units.flatMap { withUnsafeBytes(of: $0, Array.init) }
      for size in [1, 2, 3, 1 << 20] {
        let found = try DecoderTests.decode(format, bytes, sizes: [size])
        #expect(found.values == values && found.flaws.isEmpty, "\(found)")
      }
    }
    // Half a letter at the end.
    let cut = try DecoderTests.decode("text", [0xff, 0xfe, 0x61, 0, 0x62], sizes: [1])
    expect(cut.flaws.map { $0.prefix(38) }, equals: ["in:1:2: a byte has no meaning in utf-1"])
  }

  @Test("a byte without a meaning is an error of its line")
  func meaningless() throws {
    let text: [UInt8] = [0x61, 0x0a, 0x62, 0xff, 0x0a, 0x63, 0x0a, 0x93]
    for size in [1, 1 << 20] {
      let found = try DecoderTests.decode("{ text: { charset: shift_jis } }", text, sizes: [size])
      expect(found.values, equals: [#""a""#, #""c""#])
      expect(
        found.flaws.map { $0.prefix(44) },
        equals: [
          "in:2:2: a byte has no meaning in shift_jis: ", "in:4:1: a byte has no meaning in shift_jis: ",
        ])
    }
  }
}
