/// The history of a key below the entry of a log: step charts, and a table of all entries about it.
extension RowFragments {
  static let historyID = "history"

  /// The most charts: a field that rarely moves is in the table.
  private static let mostCharts = 3
  /// The chart's part up to now, and its whole width: as that of marbles.
  private static let (columns, width) = (120.0, 132)
  /// Where the lowest and the highest value are.
  private static let (bottom, top) = (88.0, 12.0)

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

  private func chart(_ field: SteppedField, since start: Double, _ html: inout HTML) {
    guard let (low, high) = field.range, let last = field.steps.last else { return }
    let name = field.path.hasPrefix("/") ? String(field.path.dropFirst()) : field.path
    let count = field.steps.count
    html.tag("div", .class("lanes")) { html in
      html.tag("div") { html in
        html.tag("p", .class("sub")) { $0.text(high.text) }
        html.tag("p") { $0.text(name) }
        html.tag("p", .class("sub")) { $0.text(low.text) }
      }
      let label =
        "\(name): \(count) \(count == 1 ? "change" : "changes"), from \(field.first.text) to \(last.to.text)"
      html.tag(
        "svg", .class("steps"), .set(.viewBox, "0 0 \(Self.width) 100"), .set(.preserveAspectRatio, "none"),
        .set(.role, "img"), .set(.ariaLabel, label)
      ) { html in
        let paths = paths(field, low.number ?? 0, high.number ?? 0, since: start)
        html.tag("path", .set(.d, paths.line))
        html.tag("path", .class("one"), .set(.d, paths.dots))
      }
      html.tag("span")
      html.tag("p", .class("axis")) { html in
        for time in [start, now] {
          html.tag("span") { $0.text(PageTime(.number(time), precision: "day")?.text ?? "") }
        }
      }
    }
  }

  /// A line that steps at each change, and a dot for each; a value that is missing is a gap.
  private func paths(
    _ field: SteppedField, _ low: Double, _ high: Double, since start: Double
  ) -> (line: String, dots: String) {
    let span = max(now - start, 1)
    func x(_ time: Double) -> Double {
      // The value before the first change has room of its own.
      let part = min(max((time - start) / span, 0), 1)
      return ((Self.columns * (0.04 + 0.96 * part)) * 10).rounded() / 10
    }
    func y(_ value: Double) -> Double {
      let part = high > low ? (value - low) / (high - low) : 0.5
      return ((Self.bottom + (Self.top - Self.bottom) * part) * 10).rounded() / 10
    }
    var (line, dots) = ("", "")
    var height = field.first.number.map(y)
    if let height { line = "M0 \(height)" }
    for step in field.steps {
      let x = x(step.at)
      if height != nil { line += "H\(x)" }
      let next = step.to.number.map(y)
      if let next {
        line += height == nil ? "M\(x) \(next)" : "V\(next)"
        dots += "M\(x) \(next)h.01"
      }
      height = next
    }
    if height != nil { line += "H\(Self.columns)" }
    return (line, dots)
  }
}
