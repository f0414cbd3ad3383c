import Engine
import Language

/// Prints rows below each other as they come, under headers that are printed once.
///
/// The columns of a terminal are as wide as what has been in them; they grow, and never shrink.
struct RowPrinter {
  /// A column grows no wider than this for a row that comes later, lest one row pushes all others out.
  static let widest = 40

  private let headers: [String]
  private let paint: Paint
  private var widths: [Int]
  private var hasBegun = false

  init(headers: [String], paint: Paint) {
    self.headers = headers
    self.paint = paint
    widths = headers.map(\.columns)
  }

  /// For another program: whole cells with a tab between them.
  mutating func plain(_ rows: [TableRow]) -> String {
    var table = TextTable(headers: hasBegun ? [] : headers)
    hasBegun = true
    for row in rows { table.add(row.cells) }
    return table.plainLines.reduce(into: "") { $0 += $1 + "\n" }
  }

  /// For a terminal of that width.
  mutating func lines(_ rows: [TableRow], width: Int) -> String {
    let rows = rows.map { TableRow(cells: $0.cells.map(printable), style: $0.style) }
    for row in rows {
      for (column, cell) in row.cells.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], min(cell.columns, Self.widest))
      }
    }
    var text = ""
    if !hasBegun, !headers.isEmpty { text += paint(line(headers, width), .bold) + "\n" }
    hasBegun = true
    for row in rows { text += paint(line(row.cells, width), row.style) + "\n" }
    return text
  }

  private func line(_ cells: [String], _ width: Int) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      // The last cell has all the room that is left.
      let isLast = column == cells.count - 1
      text += isLast ? cell : cell.clipped(to: widths[column]).padded(to: widths[column]) + "  "
    }
    return text.clipped(to: width)
  }
}
