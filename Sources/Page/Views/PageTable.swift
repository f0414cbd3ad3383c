/// A table of figures, which scrolls by itself where a screen is narrow.
enum PageTable {
  /// Writes the content of a cell.
  typealias Cell = (inout HTML) -> Void

  static func write(
    _ label: String, _ headings: [String], _ html: inout HTML, rows: (inout HTML) -> Void
  ) {
    html.tag(
      "div", .class("scroll"), .set(.role, "region"), .set(.tabindex, "0"), .set(.ariaLabel, label)
    ) { html in
      html.tag("table", .class("figures")) { html in
        html.tag("thead") { html in
          html.tag("tr") { html in
            for heading in headings {
              // A column of buttons has no heading, and no cell of a heading may be empty.
              if heading.isEmpty {
                html.tag("td")
              } else {
                html.tag("th", .set(.scope, "col")) { $0.text(heading) }
              }
            }
          }
        }
        html.tag("tbody", content: rows)
      }
    }
  }

  /// A row of a name, which may be a link, and cells.
  static func row(
    _ name: String, _ link: Link?, _ cells: [Cell], _ html: inout HTML
  ) {
    row(
      { html in
        if let link { html.tag("a", .class("title"), .href(link)) { $0.text(name) } } else { html.text(name) }
      }, cells, &html)
  }

  /// A row of a heading and cells.
  static func row(_ heading: Cell, _ cells: [Cell], _ html: inout HTML) {
    html.tag("tr") { html in
      html.tag("th", .set(.scope, "row"), content: heading)
      for cell in cells { html.tag("td", content: cell) }
    }
  }
}
