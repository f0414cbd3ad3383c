/// Rows of texts under headers, as lines for a terminal or for another program.
///
///     var table = TextTable(headers: ["name", "size"])
///     table.add(["launches", "12"])
///     table.lines(width: 80)  // ["name      size", "launches    12"]
///
/// Cells need not be printable: here they become so. A row may have fewer cells than there are headers, or
/// more.
public struct TextTable: Sendable {
  /// The number of spaces between two columns on a terminal.
  static let gap = 2
  /// A column is made no narrower than this to make others fit.
  static let narrowest = 4

  /// The width below which a leading column is not shrunk as long as others can be left out.
  static let leading = 32
  /// The width to which the other columns are shrunk before one is left out.
  static let readable = 8

  /// How columns give way where the terminal is narrow.
  public enum Fit: Sendable {
    /// The widest are clipped.
    case clip
    /// Empty columns are hidden. The others are clipped before the two leading ones; then the last ones are hidden.
    case keepLeading
  }

  private let headers: [String]
  private let fit: Fit
  private var rows: [(cells: [String], links: [Int: String], style: Style)] = []

  /// Without headers the table has none.
  public init(headers: [String] = [], fit: Fit = .clip) {
    self.headers = headers.map(printable)
    self.fit = fit
  }

  public var isEmpty: Bool { rows.isEmpty }

  /// Adds a row; `links` are the addresses that cells lead to, by column.
  public mutating func add(_ cells: [String], links: [Int: String] = [:], style: Style = .plain) {
    rows.append((cells.map(printable), links, style))
  }

  /// Lines for a terminal of that width.
  ///
  /// Columns are as wide as what is in them. Those that hold nothing but numbers are aligned to the right.
  public func lines(width: Int, paint: Paint = .off) -> [String] { drawn(width: width, paint: paint).lines }

  /// The same, with the headers of columns for which there is no room.
  public func drawn(width: Int, paint: Paint = .off) -> (lines: [String], hidden: [String]) {
    let all = (headers.isEmpty ? [] : [headers]) + rows.map(\.cells)
    var natural = Array(repeating: 0, count: all.map(\.count).max() ?? 0)
    for cells in all {
      for (column, cell) in cells.enumerated() { natural[column] = max(natural[column], cell.columns) }
    }
    let (columns, widths) = layout(natural, width)
    let right = natural.indices.map(isNumeric)
    func line(_ cells: [String], _ links: [Int: String], _ style: Style) -> String {
      // Behind the last cell there are no blanks.
      let last = columns.lastIndex { $0 < cells.count && !cells[$0].isEmpty } ?? -1
      var text = ""
      var room = width
      for (place, column) in columns.enumerated() where place <= last {
        if place > 0 { text += String(repeating: " ", count: min(room, TextTable.gap)) }
        room = max(0, room - (place > 0 ? TextTable.gap : 0))
        let cell = (column < cells.count ? cells[column] : "").clipped(to: min(room, widths[place]))
        let linked = links[column].map { paint.link(cell, to: $0) } ?? cell
        let blanks = String(repeating: " ", count: max(0, min(room, widths[place]) - cell.columns))
        text += right[column] ? blanks + linked : place < last ? linked + blanks : linked
        room -= min(room, widths[place])
      }
      return paint(text, style)
    }
    let hidden = natural.indices.filter { !columns.contains($0) && !isEmpty($0) && $0 < headers.count }
    return (
      (headers.isEmpty ? [] : [line(headers, [:], .bold)]) + rows.map { line($0.cells, $0.links, $0.style) },
      hidden.map { headers[$0] }
    )
  }

  /// The columns to show, and their widths.
  private func layout(_ natural: [Int], _ width: Int) -> (columns: [Int], widths: [Int]) {
    func room(_ count: Int) -> Int { width - TextTable.gap * max(0, count - 1) }
    var columns = Array(natural.indices)
    if fit == .clip { return (columns, TextTable.fitted(natural, to: room(columns.count))) }
    if !rows.isEmpty { columns.removeAll(where: isEmpty) }
    let leading = Array(columns.prefix(2))
    func needed() -> Int {
      columns.reduce(0) {
        $0 + min(natural[$1], leading.contains($1) ? TextTable.leading : TextTable.readable)
      }
    }
    while columns.count > leading.count, needed() > room(columns.count) {
      // Links are short, and nothing else says what they do.
      let last = columns.lastIndex { !leading.contains($0) && !isLink($0) } ?? columns.count - 1
      columns.remove(at: last)
    }
    let others = columns.filter { !leading.contains($0) }.map { natural[$0] }
    let least = others.reduce(0) { $0 + min($1, TextTable.readable) }
    let first = TextTable.fitted(leading.map { natural[$0] }, to: room(columns.count) - least)
    return (columns, first + TextTable.fitted(others, to: room(columns.count) - first.reduce(0, +)))
  }

  private func isEmpty(_ column: Int) -> Bool {
    rows.allSatisfy { column >= $0.cells.count || $0.cells[column].isEmpty }
  }

  private func isLink(_ column: Int) -> Bool { rows.contains { $0.links[column] != nil } }

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
