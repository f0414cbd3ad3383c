import JSON
import Engine
import Language

/// Prints events as rows: in place on a terminal, with each poll anew, or below each other.
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
  /// What has come in this turn, while it is not known whether its poll ends with it.
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
    // Of what has no polls nothing need be held back.
    if live == nil || event.poll.number == 0, rows.count >= 1000 { try endTurn() }
  }

  /// Where an event is shown in a cell: nothing for null, texts as they are, and all else as JSON.
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
    // Taken first: what could not be written once is not written twice.
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

/// A row of a table, not yet fit for a terminal.
struct TableRow: Sendable {
  var cells: [String]
  var style = Style.plain
}
