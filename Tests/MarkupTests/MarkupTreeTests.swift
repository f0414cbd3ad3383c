import Expectations
import JSON
import Synchronization
import TestScale
import Testing
import System

@testable import Markup

func xml(_ text: String, limits: MarkupLimits = MarkupLimits()) throws -> MarkupTree {
  try Array(text.utf8).withUnsafeBufferPointer { try MarkupTree.xml($0, limits: limits) }
}

func html(_ text: String) throws -> MarkupTree {
  try Array(text.utf8).withUnsafeBufferPointer { try MarkupTree.html($0) }
}

/// What is wrong with a document; an empty text for one that can be read.
func flaw(_ read: () throws -> MarkupTree) -> String {
  do { _ = try read() } catch let error as TextFlaw {
    return "\(error.line):\(error.column.map { "\($0)" } ?? "-"): \(error.reason)"
  } catch { return "\(error)" }
  return ""
}

private final class Asked: Sendable {
  let count = Atomic<Int>(0)
}

@Suite struct MarkupTreeTests {
  @Test("an error names its line and what is wrong")
  func errors() {
    expect(flaw { try xml("") }, equals: "1:-: the text is empty")
    #expect(flaw { try xml("<a>\n<b>\n\n</a>x") }.hasPrefix("4:5:"))
    #expect(flaw { try xml("<a>\n<b>\n</a>") }.contains("tag mismatch: b line 2 and a"))
    #expect(flaw { try xml("<a><b>") } != "")
    #expect(flaw { try xml("<a>&nosuch;</a>") }.contains("nosuch"))
    #expect(flaw { try xml("no markup") } != "")
    #expect(flaw { try xml("<a></a><b/>") } != "")
    #expect(flaw { try xml("<a b=1/>") }.contains("expected"))
    for (text, words) in [
      ("<a>\u{1}</a>", "there is a control character, which XML does not allow"),
      ("<a>&#1;</a>", "there is a control character, which XML does not allow"),
      (" <?xml version='1.0'?><a/>", "the XML declaration is not at the beginning of the document"),
      ("<a>x & y</a>", "there is a bare &, which XML writes as &amp;"),
      ("<a>x &y z</a>", "there is a bare &, which XML writes as &amp;"), ("<1/>", "invalid element name"),
      ("<!DOCTYPE a", "DOCTYPE improperly terminated"), ("<a><![CDATA[x</a>", "CData section not finished"),
    ] {
      #expect(flaw { try xml(text) }.hasSuffix(": \(words)"), "\(text)")
    }
    let latin = Array("<a>".utf8) + [0xe9] + Array("</a>".utf8)
    expect(
      flaw { try latin.withUnsafeBufferPointer { try MarkupTree.xml($0) } },
      equals: "1:4: the text is not UTF-8: byte 0xe9")
  }

  @Test("entities are neither loaded nor expanded, and depth and nodes are bounded")
  func hostile() throws {
    let file = "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>"
    try expect(xml(file).document.rawText, equals: "&e;")
    let parameter = "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a>x</a>"
    expect((try? xml(parameter).document.rawText) ?? "x", equals: "x")
    expect(
      (try? xml("<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/x.dtd'><a>x</a>").document.rawText) ?? "x",
      equals: "x")
    var laughs = "<!DOCTYPE a [<!ENTITY l0 'lol'>"
    for level in 1...9 {
      let entity = "&l\(level - 1);"
      laughs += "<!ENTITY l\(level) '\(String(repeating: entity, count: 10))'>"
    }
    #expect(((try? xml(laughs + "]><a>&l9;</a>").document.rawText) ?? "").utf8.count < 100)
    #expect(flaw { try xml(laughs + "]><a b='&l9;'/>") } != "")
    #expect(flaw { try xml(String(repeating: "<a>", count: 100_000)) } != "")
    #expect(flaw { try html(String(repeating: "<div>", count: 1000)) }.hasSuffix("nested more than 512 deep"))
    var few = MarkupLimits()
    few.nodes = 10
    expect(
      flaw { try xml("<a>" + String(repeating: "<b/>", count: 20) + "</a>", limits: few) },
      equals: "1:-: the document has more than 10 nodes")
  }

  @Test("more attributes of one element than the limit are refused with the line, wherever they hide")
  func attributes() throws {
    func list(_ count: Int, _ value: String = "=''") -> String {
      (0..<count).map { "a\($0)\(value)" }.joined(separator: " ")
    }
    let refusal = "2:-: an element has more than 1000 attributes"
    try expect(xml("<a\n \(list(1000))/>").document.children[0].node.attributes.count, equals: 1000)
    try expect(html("<a\n \(list(1000, ""))>").nodes.last?.attributes.count, equals: 1000)
    let many = list(1001)
    for text in ["\n<a \(many)/>", "<a>\n<b \(many)></b></a>", "<!-- ' -->\n<a><b c='\"' \(many)/></a>"] {
      expect(flaw { try xml(text) }, equals: refusal)
      expect(flaw { try html(text) }, equals: refusal)
      let wide = Array("\u{feff}\(text)".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      expect(flaw { try wide.withUnsafeBufferPointer { try MarkupTree.xml($0) } }, equals: refusal)
    }
    for start in [
      "<p", "<p \"", "<p =\"", "<p a=\"\"=\"", "<!--><p", "<!---><p", "<!-- --!><p",
      "<script>x</SCRIPT><p", "<style>x</style><p", "</a <style><p", "</a <!-- ><p", "<!x <script><p",
      "<p a=> <p",
      "</p", "<svg><![CDATA[<p>]]><p", "<svg><title><p", "<title>x</title><p",
    ] {
      expect(flaw { try html("\n\(start) \(list(1001, ""))>") }, equals: refusal, "\(start)")
    }
    // None of these are attributes.
    let words = list(3000, "")
    for text in [
      "<!-- <a \(words) --><p>", "<a b='\(words)'/>", "<a b = \"\(words)\"/>", "<a>\(words)</a>",
      "<script>x<y \(words)</script>",
      "<STYLE a>x<y \(words)</style>", "<title><a \(words)></title>", "<script/><p \(words)></script>",
      "<![CDATA[<p \(words)>", "<? <p \(words)>", "<!x <p \(words)>",
    ] { expect(flaw { try html(text) }, equals: "", "\(text.prefix(20))") }
    for text in ["<a><!-- <b \(words) --></a>", "<a><![CDATA[<b \(words)]]></a>", "<a><?b <b \(words)?></a>"]
    {
      expect(flaw { try xml(text) }, equals: "", "\(text.prefix(20))")
    }
  }

  @Test("an encoding in which markup could hide is refused, wherever it is named")
  func encodings() throws {
    func isRefused(_ text: String) -> Bool {
      flaw { try (Array(text.utf8) + [0xff]).withUnsafeBufferPointer { try MarkupTree.xml($0) } }.contains(
        "which is not read here; convert it to UTF-8")
    }
    for name in ["UTF-7", "ISO-2022-JP", "IBM037"] {
      #expect(isRefused("<?xml version='1.0'  encoding = '\(name)'?><a/>"))
    }
    for name in ["Shift_JIS", "windows-1252", "ISO-8859-2", "GBK", "", "a.b"] {
      #expect(!isRefused("<?xml version='1.0' encoding='\(name)'?><a/>"))
    }
    // The letters of an XML declaration in EBCDIC, and four bytes for each character.
    for start: [UInt8] in [[0x4c, 0x6f, 0xa7, 0x94], [0, 0, 0, 0x3c]] {
      expect(
        flaw { try start.withUnsafeBufferPointer { try MarkupTree.xml($0) } },
        equals: "1:-: the text does not begin with a tag")
    }
  }

  @Test("whatever the text, no element that is read has more attributes than the limit")
  func anyText() throws {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "<", "<p", "<script", "</script>", "<style>", "</style", ">", "/>", "/", " ", "\n", "=", "\"", "'",
      "!--", "<!--", "-->", "--!>",
      "-", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE a [", "]", "é", "1", "@", "<b ", " x='", "\" ", "</p>",
      "\0", "&amp;", "<a>",
    ]
    var limits = MarkupLimits()
    limits.attributes = 3
    for _ in 0..<TestScale.count(2000) {
      var text = "<a>"
      for number in 0..<Int.random(in: 1...40, using: &random) {
        text += parts.randomElement(using: &random) ?? ""
        if Bool.random(using: &random) { text += "a\(number)" }
      }
      for isHTML in [true, false] {
        let tree = try? Array(text.utf8).withUnsafeBufferPointer { text in
          isHTML ? try MarkupTree.html(text, limits: limits) : try MarkupTree.xml(text, limits: limits)
        }
        for node in tree?.nodes ?? [] where node.attributes.count > 3 {
          Issue.record("\(isHTML): \(text.debugDescription)")
        }
      }
    }
  }

  @Test("a document type gives no default attributes, and no entity that could")
  func documentTypes() throws {
    func root(_ type: String) throws -> MarkupTree.Node { try xml(type + "<a b='1'/>").nodes[1] }
    try expect(
      root("<!DOCTYPE a [<!ATTLIST a c CDATA '>'><!-- ' --><!ENTITY e 'x'>]>").attributes.count, equals: 1)
    let xhtml =
      "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">"
    try expect(root(xhtml).attributes.count, equals: 1)
    let entity = "<!DOCTYPE a [<!ENTITY ns 'urn:x'>]><a b='&ns;'/>"
    try expect(xml(entity).nodes[1].attributes.map(\.value), equals: ["urn:x"])
    expect(
      flaw { try xml("<!DOCTYPE a [\n<!ENTITY % p '<!ATTLIST a c CDATA \"x\">'> %p;]><a/>") },
      equals: "2:-: the document type declares a parameter entity, which is not read")
    expect(
      flaw { try xml("<!DOCTYPE a [<!ENTITY e '\(String(repeating: "x", count: 70_000))'>]><a/>") },
      equals: "1:-: the document type is longer than 65536 bytes")
  }

  @Test("a refusal ends reading and searching, in the parser too")
  func refusals() throws {
    let text = "<a>" + String(repeating: "<b></b>", count: 20_000) + "</a>"
    let selector = try Selector(String(repeating: "a:has(b) ", count: 20) + "b")
    for isHTML in [false, true] {
      for allowed in [0, 3, 25, 50] {
        let asked = Asked()
        var limits = MarkupLimits()
        limits.refusal = { asked.count.add(1, ordering: .relaxed).newValue > allowed ? "it is over" : nil }
        let error = #expect(throws: TextFlaw.self) {
          let tree = try Array(text.utf8).withUnsafeBufferPointer { text in
            isHTML ? try MarkupTree.html(text, limits: limits) : try MarkupTree.xml(text, limits: limits)
          }
          _ = try XMLForm(select: selector).values(of: tree)
        }
        #expect(error?.reason == "it is over" && asked.count.load(ordering: .relaxed) <= allowed + 2)
      }
    }
  }

  @Test("inner markup has the text of the document, escaped where it would be markup")
  func innerMarkup() throws {
    let text = #"<i a="&lt;&quot;'&#10;">x &lt;&#x338; &amp; "y" &gt;</i><br />"#
    try expect(
      Array(xml("<d>\(text)</d>").document.children[0].innerMarkup.utf8),
      equals: Array("<i a=\"&lt;&quot;'\n\">x &lt;\u{338} &amp; \"y\" &gt;</i><br />".utf8))
  }

  @Test("a page of any kind has a tree, and its text reads as in a browser")
  func pages() throws {
    try expect(
      html("<p>One<p>Two <b>bold</b><br>x").document.visibleText(separator: "\n"),
      equals: "One\nTwo bold\nx")
    try expect(
      html("a<script>var x = '<p>'</script>b<style>p{}</style>").document.visibleText(), equals: "ab")
    try expect(
      html("<table><td>1</td><td>2</td></table> &eacute;&#8364;").document.visibleText(), equals: "1 2 é€"
    )
    try expect(html("<p>zażółć").document.visibleText(), equals: "zażółć")
    let latin: [UInt8] = Array("<meta charset=iso-8859-2><p>".utf8) + [0xbf]
    try expect(latin.withUnsafeBufferPointer { try MarkupTree.html($0) }.document.visibleText(), equals: "ż")
    let named: [UInt8] = Array("<p>".utf8) + [0xe9]
    try expect(
      named.withUnsafeBufferPointer { try MarkupTree.html($0, charset: "windows-1252") }.document
        .visibleText(), equals: "é")
  }
}
