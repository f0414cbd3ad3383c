/// The history of a key below the entry of a log: step charts, the last two pictures of its page side by side, and a table of all entries about it.
extension RowFragments {
  static let historyID = "history"

  static let screenshot = "screenshot"

  /// The most charts: a field that rarely moves is in the table.
  private static let mostCharts = 3

  func history(_ history: KeyHistory) -> HTML {
    var html = HTML()
    html.tag("section", .id(Self.historyID), .rowCommit(history.commit)) { html in
      html.tag("h2", .class("part")) { $0.text("History") }
      for field in history.steps.prefix(Self.mostCharts) { chart(field, since: history.start, &html) }
      screenshots(history, &html)
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

  private func screenshots(_ history: KeyHistory, _ html: inout HTML) {
    var pictures: [PageRow] = []
    for entry in history.entries {
      guard let path = entry.text(Self.screenshot), path != pictures.last?.text(Self.screenshot) else {
        continue
      }
      pictures.append(entry)
      if pictures.count == 2 { break }
    }
    guard pictures.count == 2 else { return }
    html.tag("div", .class("shots")) { html in
      for (name, entry) in [("Before", pictures[1]), ("After", pictures[0])] {
        let label = "\(name), \(entry.time?.text ?? entry.title)"
        html.tag("figure") { html in
          html.void(
            "img", .src(Link(path: ["v"] + view.path + [entry.id, Self.screenshot])),
            .set(.alt, "The page: \(label)"),
            .set(.decoding, "async"))
          html.tag("figcaption") { $0.text(label) }
        }
      }
    }
  }
}
