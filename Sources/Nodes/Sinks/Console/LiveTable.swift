import Engine
import Language

/// The table of the last poll of each source, as it is drawn in place on a terminal.
struct LiveTable {
  private let headers: [String]
  private let maxRows: Int?
  private let paint: Paint
  /// Rows by source, in the order in which the sources first had any.
  private var polls: [(source: String, rows: [TableRow])] = []

  init(headers: [String], maxRows: Int?, paint: Paint) {
    self.headers = headers
    self.maxRows = maxRows
    self.paint = paint
  }

  /// Takes the rows of a poll of a source; false when there is nothing to draw, and never was.
  mutating func show(_ rows: [TableRow], of source: String) -> Bool {
    if let index = polls.firstIndex(where: { $0.source == source }) {
      polls[index].rows = rows
    } else if !rows.isEmpty {
      polls.append((source, rows))
    }
    return !polls.isEmpty
  }

  /// The lines for a terminal of that size.
  func lines(rows: Int, columns: Int) -> [String] {
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
