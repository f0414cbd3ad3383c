import Expectations
import Testing

@testable import Fetch

@Suite struct LinkHeaderTests {
  @Test(
    "the link of a relation, in every way to write it",
    arguments: [
      (#"</items?page=2>; rel="next", </items?page=9>; rel="last""#, "/items?page=2"),
      (#"</a>;rel=prev,</b>;rel=next"#, "/b"),
      (
        #"</a>; title="a, b; rel=\"next\""; rel=prev, <https://a.org/b,c;d>; x; REL = "Last NEXT""#,
        "https://a.org/b,c;d"
      ),
      (#"</a>; rel=last; rel=next"#, nil), (#"</a>; rel="nextish""#, nil), (#"</a>"#, nil), ("", nil),
      (#"/a; rel=next"#, nil), (#"</a; rel=next"#, nil), (#"</a>; rel="next"#, "/a"),
    ] as [(String, String?)])
  func links(_ header: String, _ target: String?) {
    expect(Headers([("Link", header)]).link("next"), equals: target)
  }

  @Test("several headers are as one")
  func several() {
    let headers = Headers([("Link", "</a>; rel=prev"), ("link", "</b>; rel=next")])
    expect(headers.link("next"), equals: "/b")
    expect(headers.link("prev"), equals: "/a")
    expectNil(Headers().link("next"))
  }
}
