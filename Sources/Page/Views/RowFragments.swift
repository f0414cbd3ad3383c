import JSON
import Language

/// The fragments of a view: each row as one element, for whole pages and for live updates alike.
package struct RowFragments: Sendable {
  let view: PageView
  let units: PageForm.Units?
  let hasPictures: Bool
  /// The server that has the pictures of a simulated world; nil for the real one.
  let pictureOrigin: String?
  let now: Double

  package init(
    _ view: PageView, units: PageForm.Units?, hasPictures: Bool, pictureOrigin: String? = nil, now: Double
  ) {
    self.view = view
    self.units = units ?? view.form.units
    self.hasPictures = hasPictures
    self.pictureOrigin = pictureOrigin
    self.now = now
  }

  /// The columns of a table: the names of the details of the first 200 rows, in the order of the one that has them first.
  package static func columns(_ snapshot: PageView.Snapshot) -> [String] {
    names(snapshot.rows.keys.sorted().prefix(200).compactMap { snapshot.rows[$0]?.content.member("detail") })
  }

  /// The headings of a table, whose columns are those that its sink fills.
  static func headings(_ form: PageForm, _ columns: [String]) -> [String] {
    [PageForm.name] + [form.spark].compactMap(\.self) + (form.hasTime ? [PageForm.time] : [])
      + (form.hasStatus ? [PageForm.status] : []) + columns
  }

  /// The names of the members of objects, in the order of the one that has them first.
  static func names(_ objects: [Value]) -> [String] {
    var names: [String] = []
    var known: Set<String> = []
    for object in objects {
      object.forEachMember { key, _ in
        if let name = key.string, known.insert(name).inserted { names.append(name) }
      }
    }
    return names
  }

  package func html(_ item: PageSelection.Item, columns: [String] = []) -> HTML {
    var html = HTML()
    switch (item, view.form.layout) {
    case (.group(let name), .table):
      html.tag("tr", .id(item.id), .class("group")) {
        $0.tag(
          "th", .set(.scope, "rowgroup"),
          .set(.colspan, String(Self.headings(view.form, columns).count))
        ) { $0.text(name) }
      }
    case (.group(let name), _):
      html.tag("li", .id(item.id), .class("group")) { $0.tag("h2") { $0.text(name) } }
    case (.row(let row), .table): tableRow(row, columns, &html)
    case (.row(let row), .log): logEntry(row, &html)
    case (.row(let row), .list): listRow(row, &html)
    case (.row(let row), .cards), (.row(let row), .board), (.row(let row), .album): card(row, &html)
    }
    return html
  }

  func address(_ row: PageRow) -> Link { Link(path: ["v"] + view.path + [row.id]) }

  // MARK: - Layouts

  private func listRow(_ row: PageRow, _ html: inout HTML) {
    html.tag("li", .id("r-\(row.id)"), .class("row"), .rowCommit(row.commit)) { html in
      picture(row, "56", &html)
      html.tag("div", .class("what")) { html in
        title(row, heading(row), &html)
        if let subtitle = row.subtitle { html.tag("p", .class("sub")) { $0.text(subtitle) } }
      }
      spark(row, &html)
      if row.status != nil || row.time != nil || row.lastRead != nil {
        html.tag("div", .class("side")) { html in
          age(row, &html)
          status(row, &html)
          time(row, &html)
        }
      }
    }
  }

  private func card(_ row: PageRow, _ html: inout HTML) {
    html.tag("li", .id("r-\(row.id)"), .class("card"), .rowCommit(row.commit)) { html in
      if view.form.layout == .album || hasPictures && row.picture != nil {
        picture(row, "320", &html)
      }
      html.tag("div", .class("what")) { html in
        title(row, heading(row), &html)
        if let subtitle = row.subtitle { html.tag("p", .class("sub")) { $0.text(subtitle) } }
        html.tag("div", .class("side")) { html in
          age(row, &html)
          status(row, &html)
          time(row, &html, isLarge: view.form.layout == .board)
        }
        spark(row, &html)
        // The first card of a board has room for them.
        if view.form.layout == .board {
          let time = row.time?.text ?? ""
          // But for the time, or its date, which stands above.
          let others = row.members("detail").filter { _, value in
            isShort(value) && !(value.shown.utf8.count >= 7 && time.hasPrefix(value.shown))
          }
          facts(Array(others.prefix(6)), &html)
        }
      }
    }
  }

  private func tableRow(_ row: PageRow, _ columns: [String], _ html: inout HTML) {
    html.tag("tr", .id("r-\(row.id)"), .rowCommit(row.commit)) { html in
      html.tag("th", .set(.scope, "row")) { html in
        title(row, nil, &html)
        age(row, &html)
      }
      if view.form.spark != nil { html.tag("td") { spark(row, &$0) } }
      if view.form.hasTime { html.tag("td") { time(row, &$0) } }
      if view.form.hasStatus { html.tag("td") { status(row, &$0) } }
      let details = row.content.member("detail")
      for column in columns {
        let value = details?.member(column) ?? .null
        html.tag("td", isNumber(value) ? .class("number") : nil) { detail(value, most: 3, &$0) }
      }
    }
  }

  private func logEntry(_ row: PageRow, _ html: inout HTML) {
    html.tag("li", .id("r-\(row.id)"), .class("entry"), .rowCommit(row.commit)) { html in
      html.tag("div", .class("side")) { html in
        time(row, &html)
        status(row, &html)
        age(row, &html)
      }
      html.tag("div", .class("what")) { html in
        title(row, heading(row), &html)
        if let subtitle = row.subtitle { html.tag("p", .class("sub")) { $0.text(subtitle) } }
        changes(row, &html)
      }
    }
  }

  // MARK: - Parts

  /// Rows below the heading of a group have a smaller one.
  private func heading(_ row: PageRow) -> StaticString {
    row.group != nil || view.form.layout == .log ? "h3" : "h2"
  }

  private func title(_ row: PageRow, _ heading: StaticString?, _ html: inout HTML) {
    let link: (inout HTML) -> Void = { html in
      html.tag("a", .class("title"), .href(address(row))) { $0.text(row.title) }
    }
    if let heading { html.tag(heading, content: link) } else { link(&html) }
  }

  func status(_ row: PageRow, _ html: inout HTML) {
    guard let status = row.status else { return }
    html.tag("span", .class("status \(status.tone.rawValue)")) { html in
      html.tag("span", .set(.ariaHidden, "true")) { $0.text(status.symbol) }
      html.text(" \(status.word)")
    }
  }

  /// The age of a row that the last poll should have had and does not.
  func age(_ row: PageRow, _ html: inout HTML) {
    guard let time = row.lastRead else { return }
    html.tag("span", .class("status warn old")) { html in
      html.tag("span", .set(.ariaHidden, "true")) { $0.text("!") }
      html.text(" read ")
      html.tag("time", .set(.datetime, PageTime.machine(time)), .age(PageTime.machine(time))) {
        $0.text(PageTime.words(min(0, time - now) - 0.001, units: 1))
      }
    }
  }

  func time(_ row: PageRow, _ html: inout HTML, isLarge: Bool = false) {
    guard let time = row.time else { return }
    let machine = time.machine
    func distance(_ html: inout HTML) {
      guard let words = time.distance(from: now) else { return }
      html.tag(
        "span", .class(isLarge ? "count" : "away"), .until(machine), time.countsBy.map { .by($0) }
      ) { $0.text(words) }
    }
    if isLarge { distance(&html) }
    html.tag("time", .set(.datetime, machine)) { $0.text(time.text) }
    if !isLarge, view.form.layout != .log { distance(&html) }
  }

  /// A picture where they are allowed, else a placeholder of the same size.
  func picture(_ row: PageRow, _ size: String, _ html: inout HTML) {
    if let picture = shownPicture(row) {
      html.void(
        "img", .class("pic"), .src(picture), .set(.alt, ""), .set(.width, size), .set(.height, size),
        .set(.loading, "lazy"), .set(.decoding, "async"))
    } else {
      html.tag("span", .class("pic none"), .set(.ariaHidden, "true")) {
        $0.text(String(row.title.prefix(1)).uppercased())
      }
    }
  }

  func shownPicture(_ row: PageRow) -> Link? {
    guard hasPictures, let picture = row.picture else { return nil }
    return pictureOrigin.map { picture.served(by: $0) } ?? picture
  }

  /// Old and new of each changed field.
  func changes(_ row: PageRow, _ html: inout HTML) {
    guard let changes = row.content.member("changes")?.items, !changes.isEmpty else { return }
    html.tag("dl", .class("changes")) { html in
      for change in changes {
        let path = change.member("path")?.string ?? ""
        let (before, after) = Self.sides(change, row.content.member("precisions"))
        html.tag("div") { html in
          html.tag("dt") { $0.text(path.hasPrefix("/") ? String(path.dropFirst()) : path) }
          if let lines = change.member("lines")?.string.flatMap(DifferenceLine.lines) {
            return html.tag("dd") { Self.show(lines, &$0) }
          }
          html.tag("dd") { html in
            html.tag("del") { $0.text(before) }
            html.text(" → ")
            html.tag("ins") { $0.text(after) }
          }
        }
      }
    }
  }

  /// The most lines that a page shows of the difference of two texts.
  private static let mostLines = 200

  /// The lines in which two texts differ.
  private static func show(_ lines: [DifferenceLine], _ html: inout HTML) {
    html.tag("pre", .class("scroll")) { html in
      for line in lines.prefix(mostLines) {
        switch line.part {
        case .removed: html.tag("del") { $0.text(line.text) }
        case .added: html.tag("ins") { $0.text(line.text) }
        case .outside, .hunk, .same: html.text(line.text)
        }
        html.text("\n")
      }
      if lines.count > mostLines { html.text("… and \(lines.count - mostLines) more lines") }
    }
  }

  /// The sides of a change, times as precisely as they are known, or more if that is all that has moved.
  private static func sides(_ change: Value, _ precisions: Value?) -> (String, String) {
    let (before, after) = (change.member("before"), change.member("after"))
    let known = (
      side(before, precisions?.member("before")?.string), side(after, precisions?.member("after")?.string)
    )
    return known.0 == known.1 ? (side(before, nil), side(after, nil)) : known
  }

  /// A side of a change; a time as people read it.
  private static func side(_ value: Value?, _ precision: String?) -> String {
    guard let text = value?.shown, !text.isEmpty else { return "–" }
    guard text.utf8.count >= 20, text.hasSuffix("Z"), let time = PageTime(.string(text), precision: precision)
    else {
      return text
    }
    // To the second where that is all that has moved.
    return !time.isExact || time.seconds.truncatingRemainder(dividingBy: 60) == 0
      ? time.text : PageTime(.string(text), precision: "second")?.text ?? text
  }

  // MARK: - Details

  /// Whether a detail is a few words, so that it has room beside others.
  func isShort(_ value: Value) -> Bool { value.items == nil && value.shown.count <= 60 }

  /// Whether a value is a number, or a figure in two units, which stand below each other by their last digits.
  func isNumber(_ value: Value) -> Bool { value.kind == .number || figure(value) != nil }

  func facts(_ details: [(name: String, value: Value)], _ html: inout HTML) {
    if details.isEmpty { return }
    html.tag("dl", .class("facts")) { html in
      for (name, value) in details {
        html.tag("div", isShort(value) ? nil : .class("long")) { html in
          html.tag("dt") { $0.text(name) }
          html.tag("dd") { detail(value, &$0) }
        }
      }
    }
  }

  /// A value of the details: text, a link, a figure in the reader's units, a list or a table.
  func detail(_ value: Value, most: Int = 500, _ html: inout HTML) {
    if let figure = figure(value) { return html.text(figure) }
    if let items = value.items {
      if items.isEmpty { return html.text("–") }
      return html.tag("ul", .class("values")) { html in
        for item in items.prefix(most) { html.tag("li") { detail(item, &$0) } }
        if items.count > most { html.tag("li") { $0.text("… \(items.count - most) more") } }
      }
    }
    if value.kind == .object {
      // The members of a small object one behind the other, as those of a launch in a list of launches.
      var isFirst = true
      value.forEachMember { _, member in
        if member.isNull { return }
        if !isFirst { html.text("  ") }
        isFirst = false
        detail(member, &html)
      }
      return
    }
    let text = value.shown
    if let link = Link(web: text) {
      return html.tag("a", .href(link), .set(.rel, "noreferrer noopener")) { $0.text(link.host) }
    }
    html.text(text.isEmpty ? "–" : text)
  }

  /// A figure that is given in two units: `{m, ft}` or `{kg, lb}`.
  func figure(_ value: Value) -> String? {
    for (metric, imperial) in [("m", "ft"), ("kg", "lb"), ("km", "mi")] {
      guard value.count == 2, let first = value.member(metric), let second = value.member(imperial) else {
        continue
      }
      let (number, unit) = units == .imperial ? (second, imperial) : (first, metric)
      return number.isNull ? "–" : "\(grouped(number.shown))\u{A0}\(unit)"
    }
    return nil
  }

  /// Thousands apart, by narrow spaces.
  private func grouped(_ digits: String) -> String {
    let whole = digits.prefix { $0 != "." }
    guard whole.count > 4, whole.allSatisfy(\.isNumber) else { return digits }
    var text = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index).isMultiple(of: 3) { text += "\u{202F}" }
      text.append(digit)
    }
    return text + digits.dropFirst(whole.count)
  }
}
