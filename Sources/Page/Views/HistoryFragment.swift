/// The history of a key below the entry of a log: step charts, the pictures of its page before and after its last change side by side, and a table of all entries about it.
extension RowFragments {
  static let historyID = "history"

  /// The pictures of a page: the one that an entry was read from, and the one before.
  static let screenshots = (after: "screenshot", before: "screenshot_before")

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
    let (new, old) = (Self.screenshots.after, Self.screenshots.before)
    guard let last = history.entries.firstIndex(where: { $0.text(new) != nil }) else { return }
    let after = history.entries[last]
    let before: (PageRow, String)
    if let path = after.text(old), path != after.text(new) {
      before = (after, old)
    } else {
      // An entry of a version that knew of no picture before.
      guard
        let entry = history.entries[last...].first(where: {
          $0.text(new).map { $0 != after.text(new) } ?? false
        })
      else { return }
      before = (entry, new)
    }
    html.tag("div", .class("shots")) { html in
      for (name, (entry, picture)) in [("Before", before), ("After", (after, new))] {
        let label = picture == old ? name : "\(name), \(entry.time?.text ?? entry.title)"
        html.tag("figure") { html in
          html.void(
            "img", .src(Link(path: ["v"] + view.path + [entry.id, picture])),
            .set(.alt, "The page: \(label)"),
            .set(.decoding, "async"))
          html.tag("figcaption") { $0.text(label) }
        }
      }
    }
  }
}
