import Pipeline

/// A table that stands at the end of a terminal and shows the last poll of each source.
struct LiveTable {
  private let headers: [String]
  private let maxRows: Int?
  private let paint: Paint
  private var region = LiveRegion()
  /// Rows by source, in the order in which the sources first had any.
  private var polls: [(source: String, rows: [TableRow])] = []

  init(headers: [String], maxRows: Int?, paint: Paint) {
    self.headers = headers
    self.maxRows = maxRows
    self.paint = paint
  }

  /// What to write when a poll of a source has brought these rows.
  mutating func draw(_ new: [TableRow], of source: String, rows: Int, columns: Int) -> String {
    if let index = polls.firstIndex(where: { $0.source == source }) {
      polls[index].rows = new
    } else if new.isEmpty {
      return ""
    } else {
      polls.append((source, new))
    }
    return redraw(rows: rows, columns: columns)
  }

  mutating func redraw(rows: Int, columns: Int) -> String {
    if polls.isEmpty { return "" }
    return region.redraw(lines(rows: rows, columns: columns), rows: rows, columns: columns)
  }

  mutating func erase(rows: Int) -> String { region.erase(rows: rows) }

  private func lines(rows: Int, columns: Int) -> [String] {
    let all = polls.flatMap(\.rows)
    // A line is the cursor's, and one may be needed to say how many rows are missing.
    let room = max(1, rows - 1 - (headers.isEmpty ? 0 : 1))
    var shown = min(all.count, maxRows ?? .max)
    if shown + (shown < all.count ? 1 : 0) > room { shown = room - 1 }
    var table = TextTable(headers: headers)
    for row in all.prefix(shown) { table.add(row.cells, style: row.style) }
    let more = all.count - shown
    return table.lines(width: columns, paint: paint) + (more > 0 ? [paint("… and \(more) more", .dim)] : [])
  }
}
