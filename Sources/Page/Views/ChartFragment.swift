/// Charts of a number or a time that moves in steps: the large one of a history, and the small one of a row.
extension RowFragments {
  /// The chart's part up to now, and its whole width: as that of marbles.
  private static let (columns, width) = (120.0, 132)
  /// Where the lowest and the highest value are.
  private static let (bottom, top) = (88.0, 12.0)

  func chart(_ field: SteppedField, since start: Double, _ html: inout HTML) {
    guard let (low, high) = field.range else { return }
    html.tag("div", .class("lanes")) { html in
      html.tag("div") { html in
        html.tag("p", .class("sub")) { $0.text(high.text) }
        html.tag("p") { $0.text(field.name) }
        if high.text != low.text { html.tag("p", .class("sub")) { $0.text(low.text) } }
      }
      line(field, since: start, dots: field.steps.count > 30 ? 1 : 30, &html)
      html.tag("span")
      html.tag("p", .class("axis")) { html in
        for time in [start, now] {
          html.tag("span") { html in
            // All times are in UTC.
            let text = PageTime(.number(time), precision: now - start < 86400 ? "minute" : "day")?.text ?? ""
            html.text(String(text.prefix(16)))
          }
        }
      }
    }
  }

  /// A small chart of the number of a row, with its last value; nothing where its sink charts none.
  func spark(_ row: PageRow, _ html: inout HTML) {
    guard let field = row.spark(view.form.spark) else { return }
    html.tag("p", .class("spark")) { html in
      line(field, since: field.start, dots: 1, &html)
      html.tag("span") { $0.text((field.steps.last?.to ?? field.first).text) }
    }
  }

  private func line(_ field: SteppedField, since start: Double, dots: Int, _ html: inout HTML) {
    guard let (low, high) = field.range else { return }
    let (count, last) = (field.steps.count, field.steps.last?.to ?? field.first)
    var label = "\(field.name): \(count) \(count == 1 ? "change" : "changes")"
    label += ", from \(field.first.text) to \(last.text), lowest \(low.text), highest \(high.text)"
    html.tag(
      "svg", .class("steps"), .set(.viewBox, "0 0 \(Self.width) 100"), .set(.preserveAspectRatio, "none"),
      .set(.role, "img"), .set(.ariaLabel, label)
    ) { html in
      let paths = paths(field, low.number ?? 0, high.number ?? 0, since: start, dots: dots)
      html.tag("path", .set(.d, paths.line))
      html.tag("path", .class("one"), .set(.d, paths.dots))
    }
  }

  /// A line that steps at each change, and a dot for each of the last ones; a value that is missing is a gap.
  private func paths(
    _ field: SteppedField, _ low: Double, _ high: Double, since start: Double, dots mostDots: Int
  ) -> (line: String, dots: String) {
    let span = max(now - start, 1)
    func x(_ time: Double) -> Double {
      // The value before the first change has room of its own.
      let part = min(max((time - start) / span, 0), 1)
      return ((Self.columns * (0.04 + 0.96 * part)) * 10).rounded() / 10
    }
    func y(_ value: Double) -> Double {
      // Halves, since a difference may be larger than any number.
      let part = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5
      return ((Self.bottom + (Self.top - Self.bottom) * part) * 10).rounded() / 10
    }
    var (line, dots) = ("", "")
    var height = field.first.number.map(y)
    if let height { line = "M0 \(height)" }
    for (index, step) in field.steps.enumerated() {
      let x = x(step.at)
      if height != nil { line += "H\(x)" }
      let next = step.to.number.map(y)
      if let next {
        line += height == nil ? "M\(x) \(next)" : "V\(next)"
        if index >= field.steps.count - mostDots { dots += "M\(x) \(next)h.01" }
      }
      height = next
    }
    if height != nil { line += "H\(Self.columns)" }
    return (line, dots)
  }
}
