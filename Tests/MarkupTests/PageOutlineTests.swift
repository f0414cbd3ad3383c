import Expectations
import Testing

@testable import Markup

/// What is repeated in pages, and the selectors that find it again.
@Suite struct PageOutlineTests {
  /// The outline of a page in which each element of `body` is shown, in one size.
  private func outline(_ body: String) throws -> PageOutline {
    var number = 0
    let parts = body.split(separator: "<", omittingEmptySubsequences: false)
    let page = parts.dropFirst().map { part -> String in
      guard let first = part.first, first.isLetter else { return "<\(part)" }
      defer { number += 1 }
      let name = part.prefix { $0.isLetter || $0.isNumber }
      return "<\(name) data-n=\(number) \(part.dropFirst(name.count))"
    }.joined()
    return PageOutline(
      try html("<body>\(page)</body>"), mark: "data-n", areas: Array(repeating: 100, count: number))
  }

  private func card(_ number: Int, _ attributes: String = "class=card") -> String {
    "<div \(attributes)><h2>Name \(number)</h2><span class=price>\(number) €</span><a href=/\(number)>more</a></div>"
  }

  private func cards(_ attributes: String) -> String { (1...4).map { card($0, attributes) }.joined() }

  @Test(
    "entries are found by what stays: data attributes, roles, classes, then the list that they are in",
    arguments: [
      ("class='css-1q2w3e card'", ".card"), ("class='sc-bdVaJa' data-product-id=7", "[data-product-id]"),
      ("data-testid=offer class=card", #"[data-testid="offer"]"#), ("role=listitem", #"[role="listitem"]"#),
      ("class='Tile_tile__x7K2p'", #"div[class*="Tile_tile__"]"#),
      ("class='css-1q2w3e'", "#list > div"), ("class='p-4 active'", ".p-4"), ("id=item4711", "#list > div"),
    ])
  func selectors(_ attributes: String, _ selector: String) throws {
    let found = try outline(
      "<nav><a href=/>Home</a><a href=/b>About</a></nav><div id=list>\(cards(attributes))</div>")
    let kind = try #require(found.kinds(atMost: 3).first)
    expect(kind.selector, equals: selector)
    expect(kind.elements.count, equals: 4)
    #expect(kind.label.hasPrefix("Name 1"))
  }

  @Test("without any name the place in the page has to do")
  func positions() throws {
    let found = try outline("<p>x</p><div><div><p>y</p></div></div><div>\(cards(""))</div>")
    expect(found.kinds(atMost: 1).first?.selector, equals: "body > div:nth-child(3) > div")
  }

  @Test("cards in rows are one list, and the rows are none")
  func rows() throws {
    let row = "<div class=row>\(cards("class=card"))</div>"
    let kinds = try outline("<main>\(row)\(row)\(row)</main>").kinds(atMost: 3)
    expect(kinds.map(\.selector), equals: [".card"])
    expect(kinds.first?.elements.count, equals: 12)
  }

  @Test("a table has rows with cells, and not those with headings")
  func table() throws {
    let found = try outline(
      "<table><tbody><tr><th>Name</th></tr><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></tbody></table>"
    )
    let kind = try #require(found.kinds(atMost: 1).first)
    expect(kind.selector, equals: "tbody > tr:has(td)")
    expect(found.parts(of: kind).map(\.field), equals: ["td", "td:nth-child(2)"])
  }

  @Test("the parts of entries are what differs, with names by what the page calls them")
  func parts() throws {
    let found = try outline("<main>\(cards("class=card"))</main>")
    let kind = try #require(found.kinds(atMost: 1).first)
    let parts = found.parts(of: kind)
    expect(parts.map(\.name), equals: ["title", "price", "link"])
    expect(parts.map(\.field), equals: ["h2", ".price", "a@href"])
    expect(parts.first?.values, equals: ["Name 1", "Name 2", "Name 3", "Name 4"])
  }

  @Test("pointing at a part of an entry means the entry, and its part")
  func pointing() throws {
    let found = try outline("<main>\(cards("class=card"))</main><p>end</p>")
    // The price of the second card.
    let kind = try #require(found.kind(at: 7))
    expect(kind.selector, equals: ".card")
    expect(kind.elements, equals: [1, 5, 9, 13])
    let part = try #require(found.part(at: 7, of: kind))
    expect(part.field, equals: ".price")
    try expect(found.elements(of: ".price", in: kind), equals: [3, 7, 11, 15])
    #expect(found.part(at: 17, of: kind) == nil)
    expect(found.parents[7], equals: 5)
    #expect(throws: (any Error).self) { try found.kind("..") }
  }

  @Test("a name that is taken gets a number")
  func names() {
    expect(PageOutline.unused("a", among: ["a", "a_2"]), equals: "a_3")
    expect(PageOutline.unused("b", among: ["a"]), equals: "b")
  }
}
