import Expectations
import JSON
import Testing

@testable import Markup

@Suite struct HTMLRowsTests {
  @Test("fields take texts, attributes, lists and markup below a row, and addresses become absolute")
  func fields() throws {
    let form = HTMLForm(
      select: try Selector("div, ul"),
      fields: [
        ("t", try HTMLField("h2")), ("link", try HTMLField("a@href")), ("id", try HTMLField("@id")),
        ("all", try HTMLField("p, li[]")), ("markup", try HTMLField(".two@html")),
        ("own", try HTMLField(".")), ("lines", try HTMLField("@text")),
      ])
    let rows = try form.rows(of: try html(SelectorTests.page)) { "http://h" + $0 }
    expect(
      rows.map(\.description),
      equals: [
        #"{"t":"Title","link":"http://h/k.pdf","id":"a","all":["1","2 i"],"markup":"2 <i>i</i>","own":"Title 1 2 i k","lines":"Title\n1\n2 i\nk"}"#,
        #"{"t":null,"link":null,"id":"b","all":["1","2","3","4","5"],"markup":null,"own":"1 2 3 4 5","lines":"1\n2\n3\n4\n5"}"#,
      ])
  }
}
