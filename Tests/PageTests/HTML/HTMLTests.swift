import Expectations
import JSON
import Testing

@testable import Page

@Suite("HTML of pages")
struct HTMLTests {
  @Test("text and values are escaped, whatever they contain")
  func escaping() {
    var html = HTML()
    html.tag("p", .class("\"><script>"), .set(.title, "a'b&c")) {
      $0.text("<img src=x onerror=alert(1)>\u{1}\u{0}")
    }
    expect(
      html.string,
      equals:
        "<p class=\"&quot;&gt;&lt;script&gt;\" title=\"a&#39;b&amp;c\">&lt;img src=x onerror=alert(1)&gt;\u{FFFD}\u{FFFD}</p>"
    )
  }

  @Test(
    "only addresses of the web are links",
    arguments: [
      ("https://a.example/b?c#d", true), ("HTTP://a", true), ("javascript:alert(1)", false), ("//a", false),
      ("data:text/html,x", false), ("https:/a", false), ("https://", false), ("https://a b", false),
      ("https://a\n", false), ("\u{1}https://a", false), ("https:\\\\a", false),
      ("file:///etc/passwd", false),
    ])
  func links(_ text: String, _ isLink: Bool) { expect((Link(web: text) != nil), equals: isLink) }

  @Test("paths and queries are escaped")
  func paths() {
    let link = Link(path: ["v", "a/b", "ü"], query: [("f.Größe", "1&2"), ("q", "\"")])
    expect(link.text, equals: "/v/a%2Fb/%C3%BC?f.Gr%C3%B6%C3%9Fe=1%262&q=%22")
    expect(Link(path: []).text, equals: "/")
    expect(Link(web: "https://user@host.example:1/x")?.host, equals: "host.example:1")
    expect(
      Link(web: "https://h/x/y?z")?.served(by: "http://127.0.0.1:1").text, equals: "http://127.0.0.1:1/x/y?z")
  }

  @Test("the script and the style sheet are small, and named for what they contain")
  func assets() {
    #expect(PageAsset.script.size < 15_000 && PageAsset.style.size < 10_000)
    for asset in PageAsset.all {
      #expect(asset.answer.headers.contains { $0.name == "Cache-Control" && $0.value.hasSuffix("immutable") })
      #expect(asset.name.contains("-"))
    }
  }
}
