/// Rows of texts under headers, as lines for a terminal or for another program.
///
///     var table = TextTable(headers: ["name", "size"])
///     table.add(["launches", "12"])
///     table.lines(width: 80)  // ["name      size", "launches    12"]
///
/// Cells need not be printable: here they become so. A row may have fewer cells than there are headers, or
/// more.
public struct TextTable: Sendable {
  /// What stands between two columns on a terminal.
  static let gap = 2
  /// A column is made no narrower than this to make others fit.
  static let narrowest = 4

  private let headers: [String]
  private var rows: [(cells: [String], style: Style)] = []

  /// Without headers the table has none.
  public init(headers: [String] = []) { self.headers = headers.map(printable) }

  public var isEmpty: Bool { rows.isEmpty }

  public mutating func add(_ cells: [String], style: Style = .plain) {
    rows.append((cells.map(printable), style))
  }

  /// Lines for a terminal of that width.
  ///
  /// Columns are as wide as what is in them; where they do not fit together the widest are clipped. Those that
  /// hold nothing but numbers are aligned to the right.
  public func lines(width: Int, paint: Paint = .off) -> [String] {
    let all = (headers.isEmpty ? [] : [headers]) + rows.map(\.cells)
    let count = all.map(\.count).max() ?? 0
    var natural = Array(repeating: 0, count: count)
    for cells in all {
      for (column, cell) in cells.enumerated() { natural[column] = max(natural[column], cell.columns) }
    }
    let widths = TextTable.fitted(natural, to: width - TextTable.gap * max(0, count - 1))
    let right = (0..<count).map(isNumeric)
    func line(_ cells: [String], _ style: Style) -> String {
      var text = ""
      for (column, cell) in cells.enumerated() {
        if column > 0 { text += String(repeating: " ", count: TextTable.gap) }
        text += cell.clipped(to: widths[column]).padded(to: widths[column], right: right[column])
      }
      while text.last == " " { text.removeLast() }
      return paint(text.clipped(to: width), style)
    }
    return (headers.isEmpty ? [] : [line(headers, .bold)]) + rows.map { line($0.cells, $0.style) }
  }

  /// Lines for another program: whole cells with one tab between them, the headers first.
  ///
  /// A tab or line break in a cell is `\t` or `\n` there, so that `cut -f 2` and `awk -F '\t'` do what is
  /// expected.
  public var plainLines: [String] {
    ((headers.isEmpty ? [] : [headers]) + rows.map(\.cells)).map { $0.joined(separator: "\t") }
  }

  private func isNumeric(_ column: Int) -> Bool {
    var found = false
    for row in rows where column < row.cells.count && !row.cells[column].isEmpty {
      let cell = row.cells[column]
      guard cell.utf8.first.map({ $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x2E }) == true, Double(cell) != nil
      else { return false }
      found = true
    }
    return found
  }

  /// Widths that together fit: all wider than some limit are cut to it, so that the narrow ones stay whole.
  static func fitted(_ natural: [Int], to room: Int) -> [Int] {
    guard natural.reduce(0, +) > room else { return natural }
    var low = narrowest
    var high = max(narrowest, room)
    while low < high {
      let middle = (low + high + 1) / 2
      if natural.reduce(0, { $0 + min($1, middle) }) <= room { low = middle } else { high = middle - 1 }
    }
    var widths = natural.map { min($0, low) }
    // What is left over goes to those that were cut, a column each.
    var left = room - widths.reduce(0, +)
    for column in widths.indices where left > 0 && widths[column] < natural[column] {
      widths[column] += 1
      left -= 1
    }
    return widths
  }
}
