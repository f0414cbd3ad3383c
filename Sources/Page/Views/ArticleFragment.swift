import JSON

/// The article of a row: everything about it, with its picture beside the facts and its lists as tables below.
extension RowFragments {
  /// So many lines of a list are shown at once, and so many at all.
  private static let (lines, mostLines) = (10, 500)
  /// The most columns of a list: one with more is no table that could be read.
  private static let mostColumns = 30

  package func article(_ row: PageRow) -> HTML {
    var html = HTML()
    let details = row.members("detail")
    let picture = shownPicture(row)
    html.tag(
      "article", .id("r-\(row.id)"), .class(picture == nil ? "detail" : "detail pictured"),
      .rowCommit(row.commit)
    ) { html in
      html.tag("div", .class("top")) { html in
        html.tag("h1") { $0.text(row.title) }
        if let subtitle = row.subtitle { html.tag("p", .class("sub")) { $0.text(subtitle) } }
        html.tag("div", .class("side")) { html in
          age(row, &html)
          status(row, &html)
          time(row, &html, isLarge: view.form.layout == .board)
        }
      }
      if let picture {
        html.void(
          "img", .class("large"), .src(picture), .set(.alt, row.title), .set(.width, "960"),
          .set(.height, "540"), .set(.decoding, "async"))
      }
      html.tag("div", .class("about")) { html in
        changes(row, &html)
        facts(details.filter { !isTable($0.value) }, &html)
        if let field = row.spark(view.form.spark) { chart(field, since: field.start, &html) }
        links(row, &html)
      }
      for (name, value) in details where isTable(value) { list(name, value.items ?? [], &html) }
    }
    return html
  }

  /// Whether a reader of the article can choose units.
  func hasFigures(_ row: PageRow) -> Bool { row.members("detail").contains { hasFigures($0.value) } }

  private func hasFigures(_ value: Value) -> Bool {
    if figure(value) != nil { return true }
    if let items = value.items { return items.contains { hasFigures($0) } }
    return value.kind == .object && value.keys.contains { value.member($0).map { hasFigures($0) } ?? false }
  }

  private func links(_ row: PageRow, _ html: inout HTML) {
    let links = [("Open", row.link), ("Map", row.map), ("Picture", row.picture)]
    if links.allSatisfy({ $0.1 == nil }) { return }
    html.tag("p", .class("links")) { html in
      for (name, link) in links {
        guard let link else { continue }
        html.tag("a", .class("button"), .href(link), .set(.rel, "noreferrer noopener")) {
          $0.text("\(name) (\(link.host))")
        }
      }
    }
  }

  // MARK: - Lists

  private func isTable(_ value: Value) -> Bool {
    guard let items = value.items, !items.isEmpty else { return false }
    return items.allSatisfy { $0.kind == .object && figure($0) == nil }
      && Self.names(Array(items.prefix(Self.mostLines))).count <= Self.mostColumns
  }

  /// A table of the first items of a list, and the others on request.
  private func list(_ name: String, _ items: [Value], _ html: inout HTML) {
    let columns = Self.names(Array(items.prefix(Self.mostLines)))
    html.tag("section") { html in
      html.tag("h2", .class("part")) { $0.text("\(name) (\(items.count))") }
      table(name, columns, items.prefix(Self.lines), &html)
      let others = items.dropFirst(Self.lines).prefix(Self.mostLines)
      if others.isEmpty { return }
      html.tag("details") { html in
        html.tag("summary") { $0.text("\(others.count) more") }
        table(name, columns, others, &html)
      }
      let left = items.count - Self.lines - others.count
      guard left > 0 else { return }
      html.tag("p", .class("sub")) { html in
        html.text("All of them, \(left) more, are in the ")
        html.tag("a", .href(Link(path: ["v", view.path[0], "\(view.path[1]).json"]))) { $0.text("JSON") }
        html.text(" of this view.")
      }
    }
  }

  private func table(_ name: String, _ columns: [String], _ items: ArraySlice<Value>, _ html: inout HTML) {
    PageTable.write(name, columns, &html) { html in
      for item in items {
        PageTable.row(
          { detail(item.member(columns.first ?? "") ?? .null, &$0) },
          columns.dropFirst().map { column in { detail(item.member(column) ?? .null, &$0) } }, &html)
      }
    }
  }
}
