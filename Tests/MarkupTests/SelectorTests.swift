import Expectations
import JSON
import Testing

@testable import Markup

@Suite struct SelectorTests {
  static let page = """
    <div id=a class="x y"><h2>Title</h2><p class=one>1</p><p class="two last">2 <i>i</i></p><a href="/k.pdf" data-n=5>k</a></div>
    <ul id=b><li>1<li class=z>2<li>3<li>4<li>5</ul><section id=c></section>
    """

  @Test(
    "selectors find what they find in a browser",
    arguments: [
      ("p", "1|2 i"), ("P", "1|2 i"), (".two", "2 i"), ("#a > p", "1|2 i"), ("div i", "i"), ("div > i", ""),
      ("h2 + p", "1"), ("h2 ~ p", "1|2 i"), ("p + p", "2 i"), ("[data-n]", "k"), ("a[href$='.pdf']", "k"),
      ("a[href^=\"/k\"][data-n='5']", "k"), ("[class~=y] h2", "Title"), ("a[href*=K i]", "k"),
      ("a[href*=K]", ""),
      ("li:first-child", "1"), ("li:last-child", "5"), ("li:nth-child(2n+1)", "1|3|5"),
      ("li:nth-child(odd)", "1|3|5"),
      ("li:nth-child(-n+2)", "1|2"), ("li:nth-last-child(2)", "4"), ("p:nth-of-type(2)", "2 i"),
      ("li:not(.z):not(:first-child)", "3|4|5"), ("div:has(i) h2", "Title"), ("div:has(> i) h2", ""),
      ("p:has(+ a)", "2 i"), ("li:is(.z, :last-child)", "2|5"), ("li:contains('3')", "3"),
      ("section:empty", ""),
      ("h2, i", "Title|i"), ("p:first-of-type", "1"), ("#a.x.y > h2:only-child", ""),
      ("body *:contains(\"Title\") > h2", "Title"),
    ])
  func matches(_ selector: String, _ expected: String) throws {
    let found = try Selector(selector).matches(in: try html(Self.page).document)
    expect(found.map { $0.visibleText() }.joined(separator: "|"), equals: expected)
    let tree = try html(Self.page)
    let first = try SelectorMatcher(tree, try Selector(selector)).firstMatch(in: tree.document)
    expect(first?.index, equals: found.first?.index)
  }

  @Test(
    "a selector takes time in proportion to the siblings",
    arguments: [
      "li:nth-of-type(3n)", "li:nth-last-of-type(3n)", "li:has(+ li)", "li:has(~ a)", "li:has(~ li)",
      "a ~ li", "li:has(b)",
      "ul:has(a) > li", "ul:contains(z) > li", "li:not(a ~ *)", "li:not(:has(~ a ~ b))",
      "ul:has(> a) ~ ul > li",
    ])
  func siblings(_ selector: String) throws {
    let selector = try Selector(selector)
    func steps(_ count: Int) throws -> Int {
      let tree = try html("<ul>" + String(repeating: "<li>y</li>", count: count) + "</ul>")
      let matcher = SelectorMatcher(tree, selector)
      _ = try matcher.matches(in: tree.document)
      return matcher.steps
    }
    let (small, large) = (try steps(500), try steps(5000))
    #expect(large < 15 * small + 1000)
  }

  @Test("relations within :has and beside are those of a browser, and alike for each way to ask")
  func relations() throws {
    let tree = try html(
      "<div id=a><p><b><i>1</i></b></p><i>2</i></div><div id=b><p><i>3</i></p><b></b><i>4</i></div><section id=c><i>5</i></section>"
    )
    for (selector, expected) in [
      ("div:has(> p > b)", "a"), ("div:has(> b)", "b"), ("div:has(> b i)", ""), ("div:has(p i)", "a|b"),
      ("div:has(+ div)", "a"), ("div:has(~ section i)", "a|b"), ("div:has(+ div > b)", "a"),
      ("*:has(~ *:has(> b))", "a"),
      ("div:has(body i)", ""), ("div:has(b + i)", "b"), ("div:has(p ~ i)", "a|b"),
      ("div + div ~ section", "c"),
      ("section:not(#a ~ #b + *)", ""), ("div ~ *", "b|c"), ("div:has(:is(b, p) > i):not(:has(> b))", "a"),
    ] {
      let found = try Selector(selector).matches(in: tree.document).compactMap { $0.attribute("id") }
      expect(found.joined(separator: "|"), equals: expected, "\(selector)")
    }
    let rows = HTMLForm(
      select: try Selector("div"),
      fields: [
        ("t", try HTMLField(":scope > i")), ("l", try HTMLField(":scope > p ~ i[]")),
        ("o", try HTMLField("div i")),
      ])
    try expect(
      rows.rows(of: tree).map(\.description),
      equals: [
        #"{"t":"2","l":["2"],"o":"1"}"#, #"{"t":"4","l":["4"],"o":"3"}"#,
      ])
  }

  @Test("what is within a template of a page is not found, as in a browser")
  func templates() throws {
    let page = "<template id=t><p>{{name}}<p><b>x</b></template><p>1"
    let found = try ["p", "b", "template p", "body:has(b)", "#t"].map {
      try Selector($0).matches(in: try html(page).document).count
    }
    expect(found, equals: [1, 0, 0, 0, 1])
    try expect(
      Selector("template a").matches(in: try xml("<template><a/></template>").document).count, equals: 1)
  }

  @Test(
    "what is no selector says where and why",
    arguments: [
      ("", 0), ("p >", 3), ("p:hover", 2), ("p[", 2), ("p[a", 3), ("p[a=", 4), ("p[a='x]", 4),
      ("p:nth-child(x)", 12),
      ("p:not(", 6), ("p::before", 2), ("p,,a", 2), ("p)", 1), (".", 1), ("$", 0),
    ])
  func flaws(_ text: String, _ offset: Int) {
    let error = #expect(throws: SelectorFlaw.self) { try Selector(text) }
    #expect(error?.offset == offset && error?.reason.isEmpty == false, "\(String(describing: error))")
  }
}
