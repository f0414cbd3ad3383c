/// The history of a key below the entry of a log: step charts, and a table of all entries about it.
extension RowFragments {
  static let historyID = "history"

  /// The most charts: a field that rarely moves is in the table.
  private static let mostCharts = 3

  func history(_ history: KeyHistory) -> HTML {
    var html = HTML()
    html.tag("section", .id(Self.historyID), .rowCommit(history.commit)) { html in
      html.tag("h2", .class("part")) { $0.text("History") }
      for field in history.steps.prefix(Self.mostCharts) { chart(field, since: history.start, &html) }
      PageTable.write("History", ["When", "Change", "What"], &html) { html in
        for entry in history.entries {
          PageTable.row(
            entry.time?.text ?? entry.title, address(entry),
            [
              { status(entry, &$0) },
              { html in
                changes(entry, &html)
                if let subtitle = entry.subtitle { html.text(subtitle) }
              },
            ], &html)
        }
      }
    }
    return html
  }
}
