import Expectations
import JSON
import Testing

@testable import Page

@Suite("Charts of rows")
struct ChartFragmentTests {
  private static let now = 1_767_225_600

  private func page(
    _ points: String, _ layout: PageForm.Layout = .table
  ) throws -> (list: String, row: String) {
    let page = PageFixture(layout, spark: "price")
    page.show(1, try PageFixture.row("a", #"{"title": "A", "spark": \#(points)}"#))
    return (page.get("/v/p/s").text, page.get("/v/p/s/\(PageRow.id(of: "a"))").text)
  }

  private var start: Int { Self.now - 100 }

  @Test(
    "a row has a small chart with its last number, and its page a large one",
    arguments: PageForm.Layout.allCases)
  func shown(layout: PageForm.Layout) throws {
    let points = "[[\(start), 12], [\(start + 50), 9.5], [\(start + 75), 14]]"
    let (list, row) = try page(points, layout)
    let label =
      #"role="img" aria-label="price: 2 changes, from 12 to 14, lowest 9.5, highest 14"><path d="M0 "#
    if layout != .log {
      #expect(list.contains(#"<p class="spark"><svg class="steps" "#) && list.contains(label))
      #expect(list.contains("</svg><span>14</span></p>"))
    }
    expect(list.contains(#">price</a></th>"#), equals: (layout == .table))
    #expect(row.contains(label) && row.contains(#"<p class="sub">9.5</p>"#))
    // Less than a day is shown by the minute.
    #expect(row.contains("<span>2025-12-31 23:58</span><span>2026-01-01 00:00</span>"))
  }

  @Test("a table has columns for what its sink fills, and its large chart few dots")
  func columns() throws {
    var form = PageForm(layout: .table, name: "T", spark: "n")
    expect(RowFragments.headings(form, ["A"]), equals: ["Name", "n", "Time", "Status", "A"])
    (form.hasTime, form.hasStatus, form.spark) = (false, false, nil)
    expect(RowFragments.headings(form, ["A"]), equals: ["Name", "A"])
    let points = (0..<40).map { "[\(start + $0), \($0)]" }.joined(separator: ",")
    let (list, row) = try page("[\(points)]")
    #expect(list.components(separatedBy: "h.01").count == 2 && row.components(separatedBy: "h.01").count == 2)
  }

  @Test("a number that was missing is a gap; one that has not moved is a level line")
  func gaps() throws {
    let (list, _) = try page("[[\(start), 1], [\(start + 25), null], [\(start + 50), 3]]")
    #expect(list.contains(#"<path d="M0 88.0H33.6M62.4 12.0H120.0"></path>"#))
    let huge = try page("[[\(start), -1e308], [\(start + 50), 0], [\(start + 75), 1e308]]")
    #expect(huge.list.contains(#"<path d="M0 88.0H62.4V50.0H91.2V12.0H120.0"></path>"#))
    let level = try page("[[\(start), 7]]")
    #expect(
      level.list.contains("price: 0 changes, from 7 to 7") && level.list.contains(#"d="M0 50.0H120.0""#))
  }

  @Test("what is no course is not drawn", arguments: ["[]", "null", #""x""#, "[[1]]", #"[["a", 1]]"#])
  func none(points: String) throws {
    let (list, row) = try page(points)
    #expect(!list.contains("<svg") && !row.contains("<svg"))
  }
}
