import JSON
import Engine
import Language

/// The table of a console: redrawn in place with each poll on a terminal, or printed as rows below each other.
final class ConsoleTable: Sink {
  struct Form {
    var columns: [ConsoleColumn]
    var hasHeader: Bool
    var isLive: Bool
    var maxRows: Int?
  }

  private let columns: [Evaluation]
  private let headers: [String]
  private let painter: ConsolePainter
  private let screen: Screen
  private var live: LiveTable?
  private var printer: RowPrinter
  /// The rows of this turn, until it is clear whether the turn ends their poll.
  private var rows: [(row: TableRow, poll: Poll)] = []
  private var output = ""
  private var isChanged = false

  init(_ form: Form, _ painter: ConsolePainter, _ context: SinkContext) {
    columns = form.columns.map { context.evaluation($0.expression) }
    headers = form.hasHeader ? form.columns.map { printable($0.header) } : []
    self.painter = painter
    screen = context.screen
    if form.isLive, screen.isTerminal {
      live = LiveTable(headers: headers, maxRows: form.maxRows, paint: painter.paint)
    }
    printer = RowPrinter(headers: headers, paint: painter.paint)
  }

  func take(_ event: Event) throws {
    let cells = try columns.map { column in try column.first(event).map(Self.text) ?? "" }
    rows.append((TableRow(cells: cells, style: painter.style(of: event)), event.poll))
    // Rows without a poll need not wait for its end.
    if live == nil || event.poll.number == 0, rows.count >= 1000 { try endTurn() }
  }

  /// A value as a cell: empty for null, strings as they are, anything else as JSON.
  private static func text(_ value: Value) -> String {
    value.isNull ? "" : value.string ?? value.description
  }

  func endPoll(_ poll: Poll) {
    guard live != nil, poll.number > 0 else { return }
    let whole = rows.filter { $0.poll === poll }.map(\.row)
    rows.removeAll { $0.poll === poll }
    printRows()
    if live?.show(whole, of: poll.source) == true { isChanged = true }
  }

  func endTurn() throws {
    printRows()
    // Emptied first, so that a failed write is not repeated.
    let bytes = Array(output.utf8)
    output = ""
    if !bytes.isEmpty { try screen.write(bytes) }
    guard isChanged, let live else { return }
    isChanged = false
    let size = screen.size()
    try screen.draw(live.lines(rows: size.rows, columns: size.columns), by: self)
  }

  /// Prints rows below each other.
  private func printRows() {
    if rows.isEmpty { return }
    defer { rows.removeAll(keepingCapacity: true) }
    let batch = rows.map(\.row)
    output += screen.isTerminal ? printer.lines(batch, width: screen.size().columns) : printer.plain(batch)
  }
}

/// A row of a table, its control characters not yet escaped.
struct TableRow: Sendable {
  var cells: [String]
  var style = Style.plain
}

/// The table that is redrawn in place on a terminal: the rows of the last poll of each source.
struct LiveTable {
  private let headers: [String]
  private let maxRows: Int?
  private let paint: Paint
  /// The rows by source, in the order in which the sources first had rows.
  private var polls: [(source: String, rows: [TableRow])] = []

  init(headers: [String], maxRows: Int?, paint: Paint) {
    self.headers = headers
    self.maxRows = maxRows
    self.paint = paint
  }

  /// Replaces the rows of a source; returns false as long as no source has had any.
  mutating func show(_ rows: [TableRow], of source: String) -> Bool {
    if let index = polls.firstIndex(where: { $0.source == source }) {
      polls[index].rows = rows
    } else if !rows.isEmpty {
      polls.append((source, rows))
    }
    return !polls.isEmpty
  }

  /// The lines for a terminal of the given size.
  func lines(rows: Int, columns: Int) -> [String] {
    let all = polls.flatMap(\.rows)
    // One line is for the cursor, and one may be needed for the number of rows left out.
    let room = max(1, rows - 1 - (headers.isEmpty ? 0 : 1))
    var shown = min(all.count, maxRows ?? .max)
    if shown + (shown < all.count ? 1 : 0) > room { shown = room - 1 }
    var table = TextTable(headers: headers)
    for row in all.prefix(shown) { table.add(row.cells, style: row.style) }
    let more = all.count - shown
    return table.lines(width: columns, paint: paint) + (more > 0 ? [paint("… and \(more) more", .dim)] : [])
  }
}

/// Rows printed below each other as they arrive, under headers that are printed once.
///
/// On a terminal a column is as wide as its widest cell so far; it never shrinks.
struct RowPrinter {
  /// The width up to which a column grows, so that one row cannot push the other columns out.
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

  /// The text for another program: whole cells separated by tabs.
  mutating func plain(_ rows: [TableRow]) -> String {
    var table = TextTable(headers: hasBegun ? [] : headers)
    hasBegun = true
    for row in rows { table.add(row.cells) }
    return table.plainLines.reduce(into: "") { $0 += $1 + "\n" }
  }

  /// The text for a terminal of the given width.
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
      // The last cell takes the rest of the line.
      let isLast = column == cells.count - 1
      text += isLast ? cell : cell.clipped(to: widths[column]).padded(to: widths[column]) + "  "
    }
    return text.clipped(to: width)
  }
}
