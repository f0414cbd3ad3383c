import Expectations
import Testing

@testable import System

@Suite("Escapes of markup")
struct MarkupEscapesTests {
  @Test("text cannot become markup, neither as content nor as the value of an attribute")
  func all() {
    #expect(markup("") == "" && markup("plain, ü 🚀") == "plain, ü 🚀")
    expect(markup("<a href=\"x\" b='y'>&amp;"), equals: "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;")
  }

  @Test("below a combining character too")
  func combining() {
    expect(Array(markup("<\u{338}&\u{301}").utf8), equals: Array("&lt;\u{338}&amp;\u{301}".utf8))
  }

  @Test("what XML cannot hold is replaced, and no more")
  func forbidden() {
    for code in 0...UInt32(0x10_ffff) {
      guard code < 0x3000 || (0xfe00...0x1_0100).contains(code) || code > 0x10_ff00,
        let scalar = UnicodeScalar(code), !"&<>\"'".unicodeScalars.contains(scalar)
      else { continue }
      // Char of XML 1.0.
      let isAllowed =
        [0x9, 0xa, 0xd].contains(code) || (0x20...0xd7ff).contains(code) || (0xe000...0xfffd).contains(code)
        || code >= 0x1_0000
      let text = "a\(Character(scalar))b"
      expect(Array(markup(text).utf8), equals: Array((isAllowed ? text : "a\u{fffd}b").utf8), "U+\(code)")
    }
  }

  @Test("fewer escapes leave the rest as it is")
  func fewer() {
    let text = "<\"'&\u{1}\u{ffff}>"
    expect(markup(text, escaping: .brackets), equals: "&lt;\"'&amp;\u{1}\u{ffff}&gt;")
    expect(markup(text, escaping: .quotes), equals: "&lt;&quot;'&amp;\u{1}\u{ffff}&gt;")
  }

  @Test("a document is appended to")
  func appending() {
    var document = Array("<p>".utf8)
    appendMarkup("a & b", to: &document)
    expect(document, equals: Array("<p>a &amp; b".utf8))
  }
}
