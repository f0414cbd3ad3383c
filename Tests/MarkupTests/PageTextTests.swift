import Expectations
import System
import Testing

@testable import Markup

/// Pages of bytes, and what is read of them.
@Suite("Encodings of pages") struct PageTextTests {
  /// The text of each element that a selector finds.
  private func texts(_ page: [UInt8], _ selector: String, charset: String? = nil) throws -> [String] {
    let tree = try page.withUnsafeBufferPointer { try MarkupTree.html($0, charset: charset) }
    return try Selector(selector).matches(in: tree.document).map { $0.visibleText() }
  }

  private func flaws(_ page: [UInt8], charset: String? = nil) throws -> PageFlaws? {
    try page.withUnsafeBufferPointer { try MarkupTree.html($0, charset: charset) }.flaws
  }

  private func bytes(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  @Test(
    "a byte without a meaning becomes U+FFFD, and the page goes on behind it",
    arguments: [
      "shift_jis", "gb2312", "gbk", "gb18030", "big5", "euc-jp", "euc-kr", "utf-8", "iso-8859-8",
      "windows-874",
    ])
  func meaningless(_ name: String) throws {
    let page = bytes(
      Array("<!DOCTYPE html><meta charset=\(name)><ul><li>1</li>\n<!-- ".utf8), [0xff, 0xff],
      Array(" --><li>".utf8), [0xff], Array("</li><li>2</li></ul>".utf8))
    let plain = Array(
      String(decoding: page, as: UTF8.self).replacing("<meta charset=\(name)>", with: "").utf8)
    try expect(texts(page, "li"), equals: ["1", "\u{fffd}", "2"])
    let found = try #require(try flaws(page))
    #expect(found.line == 2 && found.encoding == name.replacing("gb2312", with: "gbk"))
    #expect(found.description.contains("no meaning in \(found.encoding), and became U+FFFD"))
    try expect(flaws(plain), equals: nil)
  }

  @Test("a lead byte before a letter of ASCII does not take it along")
  func cutCharacter() throws {
    try expect(
      texts(bytes([0x3c, 0x70, 0x3e, 0x82], Array("<b>x</b>".utf8)), "b", charset: "shift_jis"),
      equals: ["x"])
    try expect(texts([0x3c, 0x70, 0x3e, 0x61, 0x82], "p", charset: "shift_jis"), equals: ["a\u{fffd}"])
    #expect(
      try flaws([0x3c, 0x70, 0x3e, 0x61, 0x82], charset: "shift_jis")
        == PageFlaws(count: 1, encoding: "shift_jis", line: 1))
  }

  @Test("a byte of windows-1250 without a letter is the control character of its number")
  func controls() throws {
    try expect(texts([0x3c, 0x70, 0x3e, 0x81, 0xb9], "p", charset: "windows-1250"), equals: ["\u{81}ą"])
    try expect(flaws([0x3c, 0x70, 0x3e, 0x81, 0xb9], charset: "windows-1250"), equals: nil)
  }

  @Test("a NUL loses no text")
  func zeros() throws {
    for page in [
      "<ul><li>1</li><script>\0</script><li>2</li></ul>", "<ul><li a='\0'>1</li><li>2</li></ul>",
      "<ul><li>1</li>\0<li>2</li></ul>", "<ul><li>1</li><style>\0</style><li>2\0</li></ul>",
    ] { try expect(texts(Array(page.utf8), "li"), equals: ["1", "2"]) }
  }

  @Test(
    "a late name of the encoding counts for the whole page",
    arguments: [
      "<title>*</title><meta charset='windows-1251'><p>*</p>", "<!-- * --><meta charset=windows-1251><p>*",
      "<title>*</title><meta http-equiv=content-type content='text/html; charset=windows-1251'><p>*</p>",
      "<script>/* \(String(repeating: "x", count: 3000)) */</script><meta charset=windows-1251><p>*",
      "<?xml version='1.0' encoding='windows-1251'?><p>*</p>",
    ])
  func late(_ page: String) throws {
    let parts = page.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
    try expect(texts(Array(parts.joined(separator: [0xef, 0xf0, 0xe8])), "p"), equals: ["при"])
  }

  @Test("behind the first bytes a name in a script or a comment is none")
  func hidden() throws {
    let far = String(repeating: " ", count: 1024)
    for text in ["<script>'<meta charset=windows-1251>'</script>", "<!-- <meta charset=windows-1251> -->"] {
      try expect(texts(bytes(Array("\(far)\(text)<p>".utf8), [0xe9]), "p"), equals: ["é"])
      try expect(texts(Array("\(far)\(text)<p>é".utf8), "p"), equals: ["é"])
    }
  }

  @Test("one bad byte in a page of UTF-8 does not change the rest")
  func mostlyUTF8() throws {
    let start = Array("<!DOCTYPE html><meta charset=utf-8><p>Grüße 1</p><!-- ".utf8)
    let page = bytes(start, [0xe4], Array(" --><p>Grüße \u{fffd}</p>".utf8))
    try expect(texts(page, "p"), equals: ["Grüße 1", "Grüße \u{fffd}"])
    try expect(flaws(page), equals: PageFlaws(count: 1, encoding: "utf-8", line: 1))
  }

  @Test(
    "a mark counts more than the server, the server more than the page, and what no browser knows is ignored")
  func order() throws {
    let letter = Array("é".utf8)
    let western = Array("<meta charset=windows-1252><p>".utf8)
    try expect(texts(bytes([0xef, 0xbb, 0xbf], western, letter), "p", charset: "koi8-r"), equals: ["é"])
    try expect(texts(bytes(western, letter), "p", charset: "utf-8"), equals: ["é"])
    try expect(texts(bytes(western, letter), "p"), equals: ["Ã©"])
    try expect(texts(bytes(western, letter), "p", charset: "nosuch"), equals: ["Ã©"])
    try expect(texts(bytes(Array("<meta charset=nosuch><p>".utf8), letter), "p"), equals: ["é"])
    try expect(texts(bytes(Array(#"<meta charset=\"utf-8\"><p>"#.utf8), letter), "p"), equals: ["é"])
    try expect(texts(bytes(Array("<meta charset=utf-16><p>".utf8), letter), "p"), equals: ["é"])
    try expect(texts(bytes(Array("<p>".utf8), [0xe9]), "p"), equals: ["é"])
    try expect(texts(bytes(Array("<p>".utf8), [0x80]), "p", charset: "latin1"), equals: ["€"])
  }

  @Test("a page in UTF-16 is read by its mark, or by its first bracket", arguments: [true, false])
  func wide(_ isMarked: Bool) throws {
    for bigEndian in [true, false] {
      let units = "\(isMarked ? "\u{feff}" : "")<meta charset=windows-1251><p>é€𝄞".utf16.map {
        bigEndian ? $0.bigEndian : $0.littleEndian
      }
      let page = units.flatMap { withUnsafeBytes(of: $0, Array.init) }
      try expect(texts(page, "p"), equals: ["é€𝄞"])
      try expect(texts(page + [0x61], "p"), equals: ["é€𝄞\u{fffd}"])
      try expect(flaws(page), equals: nil)
    }
  }
}
