import Expectations
import JSON
import Testing

@testable import Page

@Suite("Documents of pages")
struct PageDocumentsTests {
  private static let nasty =
    #"{"title": "<script>alert(1)</script>", "link": "javascript:alert(2)", "#
    + #""picture": "https://h/p.png", "status": {"word": "Go", "color": "good"}, "detail": {"Site": "https://s.example/x", "Bad": "javascript:x"}}"#

  @Test("every page is complete, and data in it is text", arguments: PageForm.Layout.allCases)
  func layouts(_ layout: PageForm.Layout) throws {
    let page = PageFixture(layout)
    page.show(1, try PageFixture.row("a", Self.nasty), try PageFixture.row("b", #"{"title": "B"}"#))
    let (status, text) = page.get("/v/p/s")
    expect(status, equals: 200)
    #expect(
      text.contains("&lt;script&gt;alert(1)") && !text.contains("<script>alert")
        && !text.contains("href=\"javascript"))
    #expect(text.contains(">B</a>") && text.contains("Go"))
    #expect(!text.contains("<img"))
    let detail = page.get("/v/p/s/\(PageRow.id(of: "a"))")
    #expect(detail.status == 200 && !detail.text.contains("href=\"javascript"))
    #expect(detail.text.contains("href=\"https://s.example/x\"") && detail.text.contains("javascript:x</dd>"))
    #expect(detail.text.contains("rel=\"noreferrer noopener\""))
  }

  @Test("remote pictures are loaded only where that is allowed")
  func pictures() throws {
    let page = PageFixture(.album)
    page.show(1, try PageFixture.row("a", Self.nasty))
    #expect(page.get("/v/p/s", hasPictures: true).text.contains("<img class=\"pic\" src=\"https://h/p.png\""))
    #expect(!page.get("/v/p/s").text.contains("<img"))
    let address = "/v/p/s/\(PageRow.id(of: "a"))"
    #expect(page.get(address).text.contains("href=\"https://h/p.png\""))
  }

  @Test("equal keys have one id, however they are written")
  func ids() throws {
    func id(_ text: String) throws -> String { PageRow.id(of: try Value.parse(text)) }
    try expect(id(#"{"a": 1, "b": [2]}"#), equals: id(#"{"b":[2],"a":1}"#))
    #expect(try id("1") == id("1.0") && id("1") != id(#""1""#))
    try expect(id(#""a""#).count, equals: 16)
  }

  @Test("facets, search and pages select rows, and say how many there are")
  func selection() throws {
    let page = PageFixture(perPage: 2)
    for index in 1...5 {
      page.show(
        index,
        try PageFixture.row(
          "k\(index)",
          #"{"title": "Row \#(index)", "facets": {"Kind": "\#(index.isMultiple(of: 2) ? "even" : "odd")"}}"#,
          commit: index))
    }
    #expect(page.get("/v/p/s").text.contains("5 rows, page 1 of 3"))
    #expect(page.get("/v/p/s", [("page", "3")]).text.contains("Row 5"))
    #expect(page.get("/v/p/s", [("page", "99")]).text.contains("page 3 of 3"))
    let even = page.get("/v/p/s", [("f.Kind", "even")]).text
    #expect(even.contains("2 of 5") && even.contains("Row 4") && !even.contains("Row 3"))
    #expect(even.contains("<option value=\"even\" selected>"))
    let found = page.get("/v/p/s", [("q", "ROW 3")]).text
    #expect(found.contains("1 of 5") && found.contains("Row 3") && !found.contains("Row 1<"))
    #expect(page.get("/v/p/s", [("q", "nothing")]).text.contains("No row matches."))
  }

  @Test("rows are sorted by time, those without one last, under headings")
  func order() throws {
    let page = PageFixture()
    page.show(
      1, try PageFixture.row("c", #"{"title": "Last"}"#),
      try PageFixture.row("b", #"{"title": "Second", "time": "2026-03-02", "group": "2026"}"#),
      try PageFixture.row("a", #"{"title": "First", "time": "2025-03-02", "group": "2025"}"#))
    let items = PageSelection(page.view.snapshot, page.view.form, PageQuery()).items
    let texts = items.map { item in
      switch item {
      case .group(let name): "# \(name)"
      case .row(let row): row.title
      }
    }
    expect(texts, equals: ["# 2025", "First", "# 2026", "Second", "Last"])
  }

  @Test("the reader chooses units, which a cookie keeps")
  func units() throws {
    let page = PageFixture(units: .metric)
    page.show(
      1, try PageFixture.row("a", #"{"title": "A", "detail": {"Mass": {"kg": 549054, "lb": 1207920}}}"#))
    let address = "/v/p/s/\(PageRow.id(of: "a"))"
    #expect(page.get(address).text.contains("549\u{202F}054\u{A0}kg"))
    #expect(
      page.get(address, headers: ["cookie": "a=b; flow_units=imperial"]).text.contains(
        "1\u{202F}207\u{202F}920\u{A0}lb"))
    // The list shows no figures; the page of the row does.
    #expect(!page.get("/v/p/s").text.contains("Use imperial units"))
    #expect(page.get(address).text.contains("Use imperial units"))
    let request = PageRequest(
      method: "POST", path: "/settings", headers: ["host": "localhost"],
      body: Array("units=imperial&back=p%2Fs%2F\(PageRow.id(of: "a"))".utf8))
    let answer = page.router().answer(request)
    #expect(answer.status == 303 && answer.header("Location") == address)
    expect(answer.header("Set-Cookie")?.hasPrefix("flow_units=imperial; "), equals: true)
  }

  @Test("a change shows old and new of each field")
  func changes() throws {
    let page = PageFixture(.log)
    page.show(
      1,
      try PageFixture.row(
        "a",
        #"{"title": "Relay", "time": 1767225600, "changes": [{"path": "/net", "before": "<a>", "after": null}]}"#
      ))
    let text = page.get("/v/p/s").text
    #expect(text.contains("<dt>net</dt><dd><del>&lt;a&gt;</del> → <ins>–</ins></dd>"))
    #expect(text.contains("<h2>2026-01-01</h2>"))
  }

  @Test("a change of a text shows the lines that differ, as far as a page has room")
  func texts() throws {
    func shown(_ lines: String) throws -> String {
      let page = PageFixture(.log)
      let change = #"{"path": "/t", "before": "a\nb", "after": "a\n<c>", "lines": "\#(lines)"}"#
      page.show(1, try PageFixture.row("a", #"{"title": "R", "time": 0, "changes": [\#(change)]}"#))
      return page.get("/v/p/s").text
    }
    #expect(
      try shown(#"@@ -1,2 +1,2 @@\n a\n-b\n+<c>"#).contains(
        "<dd><pre class=\"scroll\">@@ -1,2 +1,2 @@\n a\n<del>-b</del>\n<ins>+&lt;c&gt;</ins>\n</pre></dd>"))
    let long = try shown("@@ -0,0 +1,300 @@" + String(repeating: #"\n+x"#, count: 300))
    #expect(long.contains("\n<ins>+x</ins>\n… and 101 more lines</pre>"))
    #expect(try shown("odd").contains("<del>a\nb</del>"))
  }

  @Test(
    "times of a change are as precise as they are known",
    arguments: [
      ("2026-12-31T00:00:00Z", "half", "2026-09-30T00:00:00Z", "quarter", "2026 H2", "2026 Q3"),
      (
        "2026-01-02T00:00:00Z", "day", "2026-01-17T00:21:05Z", "minute", "2026-01-02",
        "2026-01-17 00:21:05 UTC"
      ),
      (
        "2026-09-30T00:00:00Z", "quarter", "2026-08-31T00:00:00Z", "quarter", "2026-09-30 00:00 UTC",
        "2026-08-31 00:00 UTC"
      ),
    ])
  func precisions(
    _ before: String, _ from: String, _ after: String, _ to: String, _ old: String, _ new: String
  ) throws {
    let page = PageFixture(.log)
    let change = #"{"path": "/net", "before": "\#(before)", "after": "\#(after)"}"#
    let content =
      #"{"title": "R", "time": 0, "precisions": {"before": "\#(from)", "after": "\#(to)"}, "changes": [\#(change)]}"#
    page.show(1, try PageFixture.row("a", content))
    #expect(page.get("/v/p/s").text.contains("<dd><del>\(old)</del> → <ins>\(new)</ins></dd>"))
  }

  @Test("the same rows as JSON, JSON lines, CSV and Atom")
  func exports() throws {
    let page = PageFixture()
    page.show(
      1, try PageFixture.row("a", #"{"title": "=1+1", "time": "2026-03-02", "detail": {"N": "x, \"y\""}}"#))
    expect(
      page.get("/v/p/s.json").text,
      equals: #"[{"key":"a","title":"=1+1","time":"2026-03-02","detail":{"N":"x, \"y\""}}]"# + "\n")
    #expect(page.get("/v/p/s.jsonl").text.hasPrefix(#"{"key":"a""#))
    expect(
      page.get("/v/p/s.csv").text,
      equals: "key,title,subtitle,time,status,link,N\r\na,'=1+1,,2026-03-02,,,\"x, \"\"y\"\"\"\r\n")
    let feed = page.get("/v/p/s.atom").text
    #expect(feed.hasPrefix("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns="))
    #expect(feed.contains("<id>tag:flow,2026:p/s/\(PageRow.id(of: "a"))</id>"))
    expect(page.get("/v/p/s.xml").status, equals: 404)
    #expect(page.get("/v/p/s").text.contains(#"Download: <a href="/v/p/s.json">JSON</a> · <a "#))
  }

  @Test("a list of objects is a table of ten lines below the facts; the others are one click away")
  func lists() throws {
    let page = PageFixture()
    func article(_ count: Int) throws -> String {
      let items = (1...count).map { #"{"Name": "N\#($0)", "Site": "https://s.example/\#($0)", "Won": null}"# }
      page.show(
        1,
        try PageFixture.row(
          "a",
          #"{"title": "A", "detail": {"Mass": 5, "Flights": [\#(items.joined(separator: ","))], "Tags": ["x"]}}"#
        ))
      return page.get("/v/p/s/\(PageRow.id(of: "a"))").text
    }
    let long = try article(600)
    let parts = long.components(separatedBy: "<h2 class=\"part\">Flights (600)</h2>")
    #expect(parts.count == 2 && parts[0].contains("<dt>Tags</dt>") && !parts[0].contains("N1"))
    let halves = parts[1].components(separatedBy: "<details><summary>500 more</summary>")
    #expect(halves.count == 2 && halves[0].components(separatedBy: "<tr>").count == 12)
    #expect(
      halves[0].contains(#"<th scope="col">Name</th><th scope="col">Site</th><th scope="col">Won</th>"#))
    #expect(halves[0].contains(#"<th scope="row">N10</th><td><a href="https://s.example/10""#))
    #expect(halves[1].contains("N510<") && !halves[1].contains("N511<"))
    #expect(halves[1].contains(#"All of them, 90 more, are in the <a href="/v/p/s.json">JSON</a>"#))
    let short = try article(10)
    #expect(short.contains("Flights (10)") && !short.contains("<details>"))
  }

  @Test("a list of figures is in the reader's units, and one of too many different members is no table")
  func noTables() throws {
    let page = PageFixture(units: .metric)
    func article(_ list: String) throws -> String {
      page.show(1, try PageFixture.row("a", #"{"title": "A", "detail": {"List": \#(list)}}"#))
      return page.get("/v/p/s/\(PageRow.id(of: "a"))").text
    }
    let figures = try article(#"[{"km": 1, "mi": 2}]"#)
    #expect(figures.contains("1\u{A0}km") && !figures.contains("<th scope=\"col\">km"))
    #expect(figures.contains("Use imperial units"))
    let links = try article(#"[{"Site": "https://s.example/1", "Mass": {"kg": 1, "lb": 2}}]"#)
    #expect(links.contains(#"<th scope="row"><a href="https://s.example/1""#))
    #expect(links.contains("Use imperial units"))
    let members = (0..<40).map { #"{"a\#($0)": 1}"# }
    #expect(try !article("[\(members.joined(separator: ","))]").contains("<table"))
    #expect(try article("[\(members.prefix(30).joined(separator: ","))]").contains("<table"))
  }

  @Test("a list is cut in the cell of a table, and says by how much")
  func cells() throws {
    let page = PageFixture(.table)
    page.show(1, try PageFixture.row("a", #"{"title": "A", "detail": {"Tags": ["x", "y", "z", "v", "w"]}}"#))
    let text = page.get("/v/p/s").text
    #expect(
      text.contains(#"<td><ul class="values"><li>x</li><li>y</li><li>z</li><li>… 2 more</li></ul></td>"#))
  }

  @Test(
    "a table is sorted by the heading that is clicked, numbers as numbers and what is missing last, in updates too"
  )
  func sorting() throws {
    let page = PageFixture(.table, units: .metric)
    func row(_ key: String, _ detail: String) throws -> PageRow {
      try PageFixture.row(key, #"{"title": "\#(key)", "group": "G", "detail": \#(detail)}"#)
    }
    page.show(
      1, try row("a", #"{"Price": 9, "Size": {"m": 2, "ft": 7}}"#), try row("b", #"{"Price": 82.28}"#),
      try row("c", "{}"), try row("d", #"{"Price": 100, "Size": {"m": 11, "ft": 36}}"#))
    func order(_ sort: String) -> String {
      let parts = page.get("/v/p/s", [("sort", sort), ("q", "")]).text.components(
        separatedBy: #"class="title" href="#)
      return parts.dropFirst().compactMap { $0.components(separatedBy: ">").dropFirst().first?.first }
        .map { String($0) }.joined()
    }
    expect(order("Price"), equals: "abdc")
    expect(order("-Price"), equals: "dbac")
    expect(order("-Size"), equals: "dabc")
    expect(order("-Name"), equals: "dcba")
    expect(order("Nothing"), equals: "abcd")
    let text = page.get("/v/p/s", [("sort", "Price"), ("page", "1")]).text
    #expect(
      text.contains(
        #"<th scope="col" class="number" aria-sort="ascending"><a href="/v/p/s?sort=-Price">Price<span aria-hidden="true"> ▲</span></a></th>"#
      ), "\(text)")
    #expect(text.contains(#"<th scope="col"><a href="/v/p/s?sort=Name">Name</a></th>"#))
    #expect(
      text.contains(#"<td class="number">82.28</td>"#) && text.contains("<td class=\"number\">11\u{A0}m</td>")
    )
    #expect(text.contains(#"data-stream="/live/p/s?sort=Price""#) && !text.contains(#"class="group""#))
    #expect(text.contains(#"<input type="hidden" name="sort" value="Price">"#))
    var tab = page.updates(since: "a-0", [("sort", "-Price")])
    let ids = ["d", "b", "a", "c"].map { "\"r-\(PageRow.id(of: .string($0)))\"" }.joined(separator: ",")
    #expect(String(decoding: tab.next(), as: UTF8.self).contains("[\(ids)]"))
  }

  @Test("where pictures are not loaded the view says how they would be")
  func unpictured() throws {
    let page = PageFixture(hasPicture: true)
    page.show(1, try PageFixture.row("a", Self.nasty))
    let note = "Pictures of other hosts are not loaded: --page-pictures allows it."
    #expect(
      page.get("/v/p/s").text.contains(note) && !page.get("/v/p/s", hasPictures: true).text.contains(note))
    #expect(!PageFixture().get("/v/p/s").text.contains(note))
  }

  @Test("the picture of a row is beside its facts; one that is not loaded leaves no room")
  func picture() throws {
    let page = PageFixture()
    page.show(1, try PageFixture.row("a", Self.nasty))
    let address = "/v/p/s/\(PageRow.id(of: "a"))"
    let shown = page.get(address, hasPictures: true).text
    #expect(shown.contains(#"class="detail pictured""#))
    #expect(shown.contains(#"</div><img class="large" src="https://h/p.png""#))
    #expect(page.get(address).text.contains(#"class="detail""#))
  }

  @Test("a card of a board has facts for the room of the first one: short ones that its time does not say")
  func board() throws {
    let page = PageFixture(.board)
    let detail =
      #"{"When": "2026-01-02 09:00", "Pad": "39A", "Crew": 2, "About": "\#(String(repeating: "x", count: 61))"}"#
    page.show(
      1, try PageFixture.row("a", #"{"title": "A", "time": "2026-01-02T09:00:00Z", "detail": \#(detail)}"#))
    let text = page.get("/v/p/s").text
    #expect(
      text.contains(
        #"<dl class="facts"><div><dt>Pad</dt><dd>39A</dd></div><div><dt>Crew</dt><dd>2</dd></div></dl>"#))
    #expect(text.contains(#"<span class="count" data-until="2026-01-02T09:00:00Z">in 1 d 9 h</span>"#))
  }

  @Test("a distance is counted on as exactly as the time is known")
  func counting() throws {
    let page = PageFixture()
    func row(_ precision: String) throws -> String {
      let content = #"{"title": "A", "time": "2026-01-02T09:00:00Z", "precision": "\#(precision)"}"#
      page.show(1, try PageFixture.row("a", content))
      return page.get("/v/p/s").text
    }
    #expect(try row("hour").contains(#"data-until="2026-01-02T09:00:00Z" data-by="h">in 1 d 9 h<"#))
    #expect(try row("day").contains(#"data-until="2026-01-02" data-by="d">in 1 d<"#))
    #expect(try !row("month").contains("data-until"))
  }

  @Test("a menu of many views has those of the pipeline, and leads to all")
  func menu() {
    let page = PageFixture()
    for number in 1...13 {
      _ = page.hub.add(
        pipeline: "p\(number)", sink: "s", PageForm(layout: .list, name: "View \(number)"), stateID: "a")
    }
    let text = page.get("/v/p2/s").text
    #expect(text.contains("View 2</a>") && !text.contains("View 3</a>"))
    #expect(text.contains(#"<li><a href="/">All 14 views</a></li>"#))
  }

  @Test("a row that the last poll misses is marked with its age, in each view and on its own page")
  func oldRows() throws {
    for layout in PageForm.Layout.allCases {
      let page = PageFixture(layout)
      let content = try Value.parse(#"{"title": "Fjord"}"#)
      let (read, now) = (1_767_225_600.0 - 720, "A" as Value)
      page.show(
        1, PageRow(key: "B", commit: 1, lastRead: read, content: content),
        PageRow(key: now, commit: 1, content: content))
      let mark =
        #" read <time datetime="2025-12-31T23:48:00Z" data-age="2025-12-31T23:48:00Z">12 min ago</time>"#
      let text = page.get("/v/p/s").text
      expect(text.ranges(of: mark).count, equals: 1, "\(layout)")
      #expect(page.get("/v/p/s/\(PageRow.id(of: "B"))").text.contains(mark))
      #expect(!page.get("/v/p/s/\(PageRow.id(of: now))").text.contains(mark))
    }
  }

  @Test("the age of the data, and that a source does not answer")
  func age() throws {
    let page = PageFixture()
    page.view.notePoll(at: 1_767_225_600 - 720, staleness: 7200)
    let text = page.get("/v/p/s").text
    #expect(
      text.contains("12 min ago")
        && text.contains("the source fails; shown: the answer of 2 h ago"))
    #expect(page.get("/").text.contains("Things"))
  }
}
