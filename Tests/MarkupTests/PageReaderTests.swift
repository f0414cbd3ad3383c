import Expectations
import System
import Testing

@testable import Markup

/// The trees of pages, where browsers and other readers differ.
@Suite("Pages as browsers read them") struct PageReaderTests {
  private func texts(_ page: String, _ selector: String) throws -> [String] {
    try Selector(selector).matches(in: html(page).document).map { $0.visibleText() }
  }

  @Test("numbers of characters from 128 to 159 are those of windows-1252, and names need no small letters")
  func characters() throws {
    try expect(texts("<p>&#128;5 &#150; &#146;", "p"), equals: ["€5 – ’"])
    try expect(texts("<p>&AMP; &copy 1 &notit; &euro;", "p"), equals: ["& © 1 ¬it; €"])
  }

  @Test("what is within elements of text is no element")
  func textElements() throws {
    for name in ["textarea", "title", "iframe", "xmp", "noembed", "noframes", "style", "script"] {
      try expect(texts("<\(name)><li>x</li></\(name)><li>y</li>", "li"), equals: ["y"])
    }
    #expect(
      try html("a<iframe>b</iframe><noembed>c</noembed>d<textarea>e</textarea>").document.visibleText()
        == "ade")
  }

  @Test("a slash closes no element, and a comment may end at once")
  func corners() throws {
    try expect(texts("<li/>1<li>2", "li"), equals: ["1", "2"])
    try expect(texts("<!--><li>1</li><!-- x --><li>2</li>", "li"), equals: ["1", "2"])
    try expect(texts("<!-- a --!><li>1</li>", "li"), equals: ["1"])
  }

  @Test("tables have bodies, what is no cell comes before them, and formatting is opened again")
  func structure() throws {
    try expect(texts("<table><tr><td>1<tr><td>2</table>", "table > tbody > tr > td"), equals: ["1", "2"])
    try expect(texts("<div><table>a<tr><td>1</table></div>", "div"), equals: ["a 1"])
    try expect(texts("<b>1<p>2</b>3</p>", "p > b"), equals: ["2"])
  }

  @Test("names and attributes of SVG are as they are written there, those of others small")
  func foreign() throws {
    let page = "<svg><linearGradient ID=g xlink:href='#a' viewbox=x /></svg><X-Y A=1>z</X-Y>"
    let gradient = try #require(try html(page).nodes.first { $0.name == "linearGradient" })
    expect(gradient.attributes.map(\.name), equals: ["id", "xlink:href", "viewBox"])
    expect(gradient.namespace, equals: "http://www.w3.org/2000/svg")
    try expect(texts(page, "x-y[a]"), equals: ["z"])
  }

  @Test("a page takes bounded memory, and time in proportion to its length")
  func bounds() throws {
    // Each paragraph opens all formatting before it again.
    let fonts = (0..<3000).map { "<p><font size=\($0)>" }.joined()
    #expect(flaw { try html(fonts) } != "")
    #expect(
      flaw { try html(String(repeating: "<div>", count: 100_000)) }.hasSuffix("nested more than 512 deep"))
    let attributes = (0..<30_000).map { "a\($0)" }.joined(separator: " ")
    #expect(flaw { try html("<p \(attributes)>") }.hasSuffix("an element has more than 1000 attributes"))
    var few = MarkupLimits()
    few.nodes = 1000
    let many = String(repeating: "<i></i>", count: 2000)
    #expect(
      flaw { try Array(many.utf8).withUnsafeBufferPointer { try MarkupTree.html($0, limits: few) } }
        == "1:-: the document has more than 1000 nodes")
    few.nodes = 1_000_000
    few.refusal = { nil }
    try expect(html(String(repeating: "<p>x", count: 20_000)).nodes.count, equals: 40_004)
  }
}
