import JSON

/// A reader's query of a view: a search, facets, a column to sort by, a page, units.
package struct PageQuery: Sendable, Equatable {
  package static let facetPrefix = "f."

  package var search = ""
  package var facets: [String: String] = [:]
  /// The heading of the column of a table that its rows are sorted by; nil for the order of the view.
  package var column: String?
  package var isDescending = false
  package var page = 1
  package var units: PageForm.Units?

  package init() {}

  package init(_ pairs: [(name: String, value: String)]) {
    for (name, value) in pairs where !value.isEmpty && value.utf8.count <= 1000 {
      if name == "q" {
        search = value
      } else if name == "sort" {
        isDescending = value.hasPrefix("-")
        column = String(value.drop { $0 == "-" })
      } else if name == "page" {
        page = max(1, min(Int(value) ?? 1, 1_000_000))
      } else if name.hasPrefix(Self.facetPrefix), facets.count < 20 {
        facets[String(name.dropFirst(Self.facetPrefix.count))] = value
      }
    }
  }

  var isFiltered: Bool { !search.isEmpty || !facets.isEmpty }

  /// The query of another page with the same filters.
  package func pairs(page: Int? = nil) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = search.isEmpty ? [] : [("q", search)]
    for (name, value) in facets.sorted(by: { $0.key < $1.key }) {
      pairs.append((Self.facetPrefix + name, value))
    }
    if let column { pairs.append(("sort", (isDescending ? "-" : "") + column)) }
    let page = page ?? self.page
    if page > 1 { pairs.append(("page", String(page))) }
    return pairs
  }

  /// The same query, sorted by a column: descending where it is sorted by that already, and then ascending again.
  func sorted(by column: String) -> PageQuery {
    var query = self
    (query.column, query.page) = (column, 1)
    query.isDescending = self.column == column && !isDescending
    return query
  }

  private var words: [String] { search.lowercased().split(separator: " ").map(String.init) }

  /// The rows that match, in the order of the view.
  package func rows(of snapshot: PageView.Snapshot, _ form: PageForm) -> [PageRow] {
    let words = words
    let found = snapshot.rows.values.filter { row in
      facets.allSatisfy { row.facet($0.key).contains($0.value) } && (words.isEmpty || row.contains(words))
    }
    guard let column else { return RowSorting(isDescending: form.isDescending).sorted(found) { $0.ownPlace } }
    return RowSorting(isDescending: isDescending).sorted(found) { $0.value(in: column, form) }
  }

  /// The values of each facet with the number of their rows, the most frequent first.
  package static func counts(
    of snapshot: PageView.Snapshot
  ) -> [(name: String, values: [(value: String, count: Int)])] {
    var names: [String] = []
    var counts: [String: [String: Int]] = [:]
    for row in snapshot.rows.values {
      for (name, _) in row.members("facets") {
        if counts[name] == nil { names.append(name) }
        for value in row.facet(name) { counts[name, default: [:]][value, default: 0] += 1 }
      }
    }
    return names.sorted().map { name in
      let values = (counts[name] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return (name, values.prefix(200).map { ($0.key, $0.value) })
    }
  }
}

extension PageRow {
  /// The place in the order of the view: by the sink's `sort`, else by time.
  fileprivate var ownPlace: Value { content.member("sort") ?? time.map { .number($0.seconds) } ?? .null }

  /// The value in a column of a table; of a figure in two units the first.
  fileprivate func value(in column: String, _ form: PageForm) -> Value {
    if let value = content.member("detail")?.member(column) {
      var first: Value?
      if value.kind == .object { value.forEachMember { first = first ?? $1 } }
      return first ?? value
    }
    switch column {
    case PageForm.name: return .string(title.lowercased())
    case PageForm.time: return time.map { .number($0.seconds) } ?? .null
    case PageForm.status: return status.map { .string($0.word.lowercased()) } ?? .null
    default:
      guard column == form.spark, let field = spark(column) else { return .null }
      return (field.steps.last?.to ?? field.first).number.map { .number($0) } ?? .null
    }
  }
}

/// The order of rows by a value of each, else by title; rows without one come last.
private struct RowSorting {
  let isDescending: Bool

  /// The place of a row in the order, read once for each row.
  private struct Place {
    let key: Value
    let title: String
    /// The key of the row; those of a log are in the order of its events, of one thing at one instant.
    let rowKey: Value
    let index: Int
  }

  func sorted(_ rows: [PageRow], by key: (PageRow) -> Value) -> [PageRow] {
    var places = rows.indices.map { index in
      let row = rows[index]
      return Place(key: key(row), title: row.title, rowKey: row.key, index: index)
    }
    places.sort(by: isBefore)
    return places.map { rows[$0.index] }
  }

  private func isBefore(_ place: Place, _ other: Place) -> Bool {
    if place.key.isNull != other.key.isNull { return other.key.isNull }
    let order = Value.order(place.key, other.key)
    if order != 0 { return isDescending ? order > 0 : order < 0 }
    if place.title != other.title { return place.title < other.title }
    let later = Value.order(place.rowKey, other.rowKey)
    return isDescending ? later > 0 : later < 0
  }
}

/// The part of a view that one page shows.
package struct PageSelection: Sendable {
  /// An item of a page, one below the other: a heading of a group, or a row.
  package enum Item: Sendable {
    case group(String)
    case row(PageRow)

    package var id: String {
      switch self {
      case .group(let name): "g-\(PageRow.id(of: .string(name)))"
      case .row(let row): "r-\(row.id)"
      }
    }

    package var commit: Int {
      switch self {
      case .group: 0
      case .row(let row): row.commit
      }
    }
  }

  package let items: [Item]
  package let rowCount: Int
  package let page: Int
  package let pageCount: Int

  package init(_ snapshot: PageView.Snapshot, _ form: PageForm, _ query: PageQuery) {
    let rows = query.rows(of: snapshot, form)
    rowCount = rows.count
    pageCount = max(1, (rows.count + form.perPage - 1) / form.perPage)
    page = min(query.page, pageCount)
    var items: [Item] = []
    var group: String?
    for row in rows.dropFirst((page - 1) * form.perPage).prefix(form.perPage) {
      let own = query.column != nil ? nil : row.group ?? (form.layout == .log ? row.time?.day : nil)
      if let own, own != group { items.append(.group(own)) }
      group = own
      items.append(.row(row))
    }
    self.items = items
  }
}
