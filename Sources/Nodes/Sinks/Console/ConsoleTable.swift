import JSON
import Engine
import Language

/// The table of a console: redrawn in place with each poll on a terminal, or printed as rows below each other.
final class ConsoleTable: Sink {
  struct Form {
    var columns: [ConsoleColumn]
    var hasHeader: Bool
    /// Whether a poll replaces the one before.
    var showsPolls: Bool
    var maxRows: Int?
  }

  private let columns: [Evaluation]
  private let names: [String]
  private let painter: ConsolePainter
  private let screen: Screen
  private let footer: TableFooter
  private let lists: PolledLists
  private var live: LiveTable?
  /// With `--once`: a poll is printed as one table, all of it.
  private var whole: LiveTable?
  private var printer: RowPrinter
  /// The rows of this turn, until it is clear whether the turn ends their poll.
  private var rows: [(row: TableRow, poll: Poll)] = []
  private var output = ""
  /// The events in it.
  private var count = 0
  private var isChanged = false

  init(_ form: Form, _ painter: ConsolePainter, _ context: SinkContext) {
    columns = form.columns.map { context.evaluation($0.expression) }
    names = form.columns.map { printable($0.header) }
    let headers = form.hasHeader ? names : []
    self.painter = painter
    screen = context.screen
    footer = TableFooter(context)
    if form.showsPolls, screen.isTerminal {
      let table = LiveTable(headers: headers, maxRows: form.maxRows, paint: painter.paint)
      if context.isOnce { whole = table } else { live = table }
    }
    printer = RowPrinter(headers: headers, paint: painter.paint)
    lists = context.lane.lists
    if live != nil { lists.watch { [alarm = context.alarm] in alarm.ring() } }
  }

  func take(_ event: Event) throws {
    let values = try columns.map { column in try column.first(event) ?? .null }
    var row = TableRow(cells: values.map(Self.text), style: painter.style(of: event))
    (row.key, row.readAt) = (event.key, event.poll.at)
    if screen.isTerminal, painter.paint.isOn { shorten(&row) }
    rows.append((row, event.poll))
    // Rows without a poll need not wait for its end.
    if live == nil && whole == nil || event.poll.number == 0, rows.count >= 1000 { try endTurn() }
  }

  /// A value as a cell: empty for null, strings as they are, anything else as JSON.
  private static func text(_ value: Value) -> String {
    value.isNull ? "" : value.string ?? value.description
  }

  /// Shows addresses as links on a short word: the header of their column.
  private func shorten(_ row: inout TableRow) {
    for (column, cell) in row.cells.enumerated() where cell.hasPrefix("https://") || cell.hasPrefix("http://")
    {
      row.links[column] = cell
      row.cells[column] = names[column].count <= 10 ? names[column].lowercased() : "link"
    }
  }

  func endPoll(_ poll: Poll) {
    // With `--once` the entries of a list come below each other, under one heading.
    guard live != nil || whole != nil && poll.entry == nil, poll.number > 0 else { return }
    let ended = rows.filter { $0.poll.isPart(of: poll) }.map(\.row)
    rows.removeAll { $0.poll.isPart(of: poll) }
    printRows()
    footer.note(poll)
    if var table = whole {
      if !table.show(ended, of: poll.list) { return }
      let lines = table.lines(rows: .max, columns: screen.size().columns)
      output += lines.reduce(into: "") { $0 += $1 + "\n" }
      count += ended.count
      return
    }
    // A row that a step has failed on stays, as old as it is.
    let (known, seen) = (Set(poll.keys ?? []), Set(ended.compactMap(\.key)))
    let isShown = live?.show(ended, of: poll.list, isLast: poll.gone != nil) { row in
      guard poll.isMissingEvents else { return false }
      return row.key.map { known.contains($0) && !seen.contains($0) } ?? ended.isEmpty
    }
    if isShown == true { isChanged = true }
  }

  /// Polls of a list fail, or do so no longer.
  func wake() {
    if live?.age(lists.failing) == true { isChanged = true }
  }

  func endTurn() throws {
    printRows()
    // Emptied first, so that a failed write is not repeated.
    let (bytes, events) = (Array(output.utf8), count)
    (output, count) = ("", 0)
    if !bytes.isEmpty { try screen.write(bytes, of: events) }
    guard isChanged, let live else { return }
    isChanged = false
    let size = screen.size()
    // On a small terminal each line is for a row.
    let text = size.rows < 10 ? nil : footer.text(live.old)
    let lines = live.lines(rows: size.rows - (text == nil ? 0 : 1), columns: size.columns)
    try screen.draw(lines + (text.map { [painter.paint($0, .dim)] } ?? []), by: self)
  }

  /// Prints rows below each other.
  private func printRows() {
    if rows.isEmpty { return }
    defer { rows.removeAll(keepingCapacity: true) }
    let batch = rows.map(\.row)
    count += batch.count
    output += screen.isTerminal ? printer.lines(batch, width: screen.size().columns) : printer.plain(batch)
  }
}

/// A row of a table, its control characters not yet escaped.
struct TableRow: Sendable {
  var cells: [String]
  /// The addresses that cells lead to, by column.
  var links: [Int: String] = [:]
  var style = Style.plain
  /// The key by which its source names it, and when it was read.
  var key: Value?
  var readAt = 0.0
  /// Whether the last poll should have had it and does not.
  var isOld = false
}

/// The line below a live table: when the rows were polled, how old those are that are older, and when the next poll is due.
///
///     as of 14:03 CET, 2 rows of 08:03, next poll at 20:03
final class TableFooter {
  /// Seconds between polls below which the next one is not worth mentioning.
  private static let oftenBelow = 120.0

  private let schedules: [String: Schedule]
  private let second: Evaluation?
  private let time: Evaluation?
  private let date: Evaluation?
  private let zone: Evaluation?
  /// The last poll of each source.
  private var polls: [String: Poll] = [:]

  init(_ context: SinkContext) {
    let sources = context.plan?.sources ?? []
    var schedules: [String: Schedule] = [:]
    for source in sources { schedules[source.name] = source.schedule }
    self.schedules = schedules
    func format(_ text: String) -> Evaluation? {
      guard let scope = context.plan?.scope else { return nil }
      return (try? Expression(text, scope: scope)).map { context.evaluation($0) }
    }
    second = format(#"strflocaltime("%H:%M:%S")"#)
    time = format(#"strflocaltime("%H:%M")"#)
    date = format(#"strflocaltime("%Y-%m-%d %H:%M")"#)
    zone = format(#"strflocaltime("%Z")"#)
  }

  func note(_ poll: Poll) { polls[poll.source] = poll }

  /// Nil where no poll has ended, and without a pipeline.
  func text(_ old: [TableRow]) -> String? {
    guard let latest = polls.values.max(by: { $0.at < $1.at }), let zone = shown(latest.at, zone, latest)
    else { return nil }
    let next = polls.values.compactMap { self.next(after: $0) }.min()
    let wait = next.map { $0 - latest.at }
    let isOften = wait.map { $0 < Self.oftenBelow } ?? false
    guard let at = shown(latest.at, isOften ? second : time, latest) else { return nil }
    var text = "as of \(at) \(zone)"
    if let oldest = old.map(\.readAt).min() {
      let format = latest.at - oldest >= 86_400 ? date : isOften ? second : time
      text += ", \(old.count) row\(old.count == 1 ? "" : "s") of \(shown(oldest, format, latest) ?? "")"
    }
    if isOften { return text }
    guard let next, let wait, let due = shown(next, wait < 86_400 ? time : date, latest) else { return text }
    return text + ", next poll at \(due)"
  }

  private func next(after poll: Poll) -> Double? {
    switch schedules[poll.source]?.rhythm {
    case .every(let period)?:
      let (seconds, attoseconds) = period.components
      return poll.at + Double(seconds) + Double(attoseconds) / 1e18
    case .cron(let cron, let zone)?:
      guard let next = cron.next(after: Int(poll.at), in: zone) else { return nil }
      return Double(next)
    default: return nil
    }
  }

  private func shown(_ time: Double, _ format: Evaluation?, _ poll: Poll) -> String? {
    guard let format else { return nil }
    let text = try? format.first(Event(.number(time), poll))
    return text?.string
  }
}

/// The table that is redrawn in place on a terminal: the rows of the last poll of each source, or entry of one.
struct LiveTable {
  private let headers: [String]
  private let maxRows: Int?
  private let paint: Paint
  /// The rows by list, in the order in which the lists first had rows.
  private var polls: [(list: String, rows: [TableRow])] = []

  init(headers: [String], maxRows: Int?, paint: Paint) {
    self.headers = headers
    self.maxRows = maxRows
    self.paint = paint
  }

  /// The rows that the last polls should have had and do not.
  var old: [TableRow] { polls.flatMap { $0.rows.filter(\.isOld) } }

  /// Marks the rows of lists that fail as old; returns whether there are any that were not.
  mutating func age(_ failing: Set<String>) -> Bool {
    var hasChanged = false
    for index in polls.indices where failing.contains(polls[index].list) {
      for row in polls[index].rows.indices where !polls[index].rows[row].isOld {
        polls[index].rows[row].isOld = true
        hasChanged = true
      }
    }
    return hasChanged
  }

  /// Replaces the rows of a list but for those to keep, which are old now; the list leaves with its last poll.
  ///
  /// Returns false as long as no list has had any rows.
  mutating func show(
    _ rows: [TableRow], of list: String, isLast: Bool = false, keeping: (TableRow) -> Bool = { _ in false }
  ) -> Bool {
    let index = polls.firstIndex { $0.list == list }
    if let index {
      polls[index].rows =
        rows
        + polls[index].rows.filter(keeping).map { row in
          var row = row
          row.isOld = true
          return row
        }
      if isLast { polls.remove(at: index) }
    } else if !rows.isEmpty {
      polls.append((list, rows))
    }
    return index != nil || !polls.isEmpty
  }

  /// The lines for a terminal of the given size.
  func lines(rows: Int, columns: Int) -> [String] {
    let all = polls.flatMap(\.rows)
    // One line is for the cursor, and one may be needed for the number of rows left out.
    let room = rows == .max ? .max : max(1, rows - 1 - (headers.isEmpty ? 0 : 1))
    var shown = min(all.count, maxRows ?? .max)
    if room < .max, shown + (shown < all.count ? 1 : 0) > room { shown = room - 1 }
    var table = TextTable(headers: headers, fit: .keepLeading)
    for row in all.prefix(shown) {
      table.add(row.cells, links: row.links, style: row.isOld ? .dim : row.style)
    }
    let (lines, hidden) = table.drawn(width: columns, paint: paint)
    var notes = all.count > shown ? ["… and \(all.count - shown) more"] : []
    // Only where a line is free: rows matter more.
    if !hidden.isEmpty, room == .max || lines.count + notes.count < room {
      notes.append("wider terminals also show \(hidden.joined(separator: ", "))")
    }
    return lines + notes.map { paint($0.clipped(to: columns), .dim) }
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
    let rows = rows.map { TableRow(cells: $0.cells.map(printable), links: $0.links, style: $0.style) }
    for row in rows {
      for (column, cell) in row.cells.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], min(cell.columns, Self.widest))
      }
    }
    var text = ""
    if !hasBegun, !headers.isEmpty { text += paint(line(headers, width), .bold) + "\n" }
    hasBegun = true
    for row in rows { text += paint(line(row.cells, width, row.links), row.style) + "\n" }
    return text
  }

  private func line(_ cells: [String], _ width: Int, _ links: [Int: String] = [:]) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      // The last cell takes the rest of the line.
      let isLast = column == cells.count - 1
      let shown = isLast ? cell : cell.clipped(to: widths[column])
      text += links[column].map { paint.link(shown, to: $0) } ?? shown
      if !isLast { text += String(repeating: " ", count: widths[column] - shown.columns + 2) }
    }
    return text.clippedStyled(to: width)
  }
}

/// A column of a table.
struct ConsoleColumn: Sendable {
  let header: String
  let expression: Expression

  /// Columns named after their fields: by the last name, or by the whole path if two have the same one.
  static func named(_ expressions: [Expression]) -> [ConsoleColumn] {
    let short = expressions.map { lastName($0.text) ?? $0.text }
    return zip(expressions, short).map { expression, name in
      let isUnique = short.count { $0 == name } == 1
      return ConsoleColumn(header: isUnique ? name : path(expression.text), expression: expression)
    }
  }

  /// The last name, as `name` of `.after.name` and `$meta.name`; nil for other expressions.
  static func lastName(_ text: String) -> String? {
    let names = path(text).split(separator: ".", omittingEmptySubsequences: false)
    guard text.hasPrefix(".") || text.hasPrefix("$"), let last = names.last,
      names.allSatisfy({ $0.utf8.first.map(isLetter) == true && $0.utf8.allSatisfy(isWord) })
    else { return nil }
    return String(last)
  }

  /// The path without the dot or dollar at its start.
  private static func path(_ text: String) -> String {
    let bare = text.hasPrefix(".") || text.hasPrefix("$") ? text.dropFirst() : text[...]
    return String(bare.hasSuffix("?") ? bare.dropLast() : bare)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }
}

extension OptionType where Value == [ConsoleColumn] {
  /// A list of expressions, or a mapping of headers to expressions.
  static var columns: OptionType {
    let list = OptionType<[Expression]>.list(of: .expression, count: 1...)
    let mapping = OptionType<[Named<Expression>]>.mapping(of: .expression)
    return OptionType(
      "list or mapping of expressions", sample: "[.name, .net]",
      schema: .record([("anyOf", .array([list.schema, mapping.schema]))])
    ) { node, checker in
      guard case .mapping(let named) = checker.resolved(node) else {
        return list.decode(node, checker).map(ConsoleColumn.named)
      }
      if named.entries.isEmpty {
        checker.report("the table has no columns", at: named.place, hint: "for example { Name: .name }")
        return nil
      }
      return mapping.decode(node, checker).map { columns in
        columns.map { ConsoleColumn(header: $0.name, expression: $0.value) }
      }
    }
  }
}
