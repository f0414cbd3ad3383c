import Engine
import Language

/// The state of `flow top`: the order, the selected node, and the lines on a screen.
struct TopView {
  enum Press: Equatable {
    case quit, next, previous, reverse, up, down, open, close

    /// The keys in what a terminal has sent.
    static func all(in bytes: [UInt8]) -> [Press] {
      var presses: [Press] = []
      var rest = bytes[...]
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "q"), 3, 4: presses.append(.quit)
        case UInt8(ascii: "s"): presses.append(.next)
        case UInt8(ascii: "S"): presses.append(.previous)
        case UInt8(ascii: "r"): presses.append(.reverse)
        case UInt8(ascii: "k"): presses.append(.up)
        case UInt8(ascii: "j"): presses.append(.down)
        case 0x0a, 0x0d: presses.append(.open)
        case 0x7f, 8: presses.append(.close)
        case 0x1b:
          guard let second = rest.first, second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else {
            presses.append(.close)
            continue
          }
          rest = rest.dropFirst()
          // Parameters, as of keys with Shift.
          while let next = rest.first, next < 0x40 { rest = rest.dropFirst() }
          switch rest.popFirst() {
          case UInt8(ascii: "A"): presses.append(.up)
          case UInt8(ascii: "B"): presses.append(.down)
          case UInt8(ascii: "C"): presses.append(.next)
          case UInt8(ascii: "D"): presses.append(.previous)
          default: break
          }
        default: break
        }
      }
      return presses
    }
  }

  var sort = TopTable.Key.order
  var isReversed = false
  var isDetail = false
  private(set) var selected: TopTable.ID?
  private let folder: String

  init(folder: String) { self.folder = folder }

  /// Changes what is shown; false to quit.
  mutating func press(_ press: Press, _ table: TopTable) -> Bool {
    let keys = TopTable.Key.allCases
    let place = keys.firstIndex(of: sort) ?? 0
    switch press {
    case .quit: return false
    case .next: sort = keys[(place + 1) % keys.count]
    case .previous: sort = keys[(place + keys.count - 1) % keys.count]
    case .reverse: isReversed.toggle()
    case .up: move(by: -1, table)
    case .down: move(by: 1, table)
    case .open:
      if selected == nil { move(by: 1, table) }
      isDetail = selected != nil
    case .close: isDetail = false
    }
    return true
  }

  private mutating func move(by step: Int, _ table: TopTable) {
    let rows = table.sorted(by: sort, isReversed: isReversed)
    if rows.isEmpty { return }
    let place = rows.firstIndex { $0.id == selected }.map { $0 + step } ?? 0
    selected = rows[min(max(0, place), rows.count - 1)].id
  }

  // MARK: - Lines

  /// The whole screen; at most as many lines as it has rows.
  func screen(_ table: TopTable, _ size: (columns: Int, rows: Int), now: Double, _ paint: Paint) -> [String] {
    let width = size.columns
    let help =
      isDetail
      ? "q quit  Esc back  ↑↓ node" : "q quit  ←→ sort  r reverse  ↑↓ select  Enter details"
    var top = [paint(headline(table, now).clipped(to: width), .bold)]
    let wrong = problems(table)
    if !wrong.isEmpty { top.append(paint(wrong.clipped(to: width), .red)) }
    let room = max(1, size.rows - top.count - 1)
    var body: [String]
    if isDetail, let row = table.rows.first(where: { $0.id == selected }) {
      body = detail(row, table, width: width, paint)
    } else {
      let rows = table.sorted(by: sort, isReversed: isReversed)
      let place = rows.firstIndex { $0.id == selected } ?? 0
      // A line for the headers; the selected row stays in sight.
      let first = max(0, min(place - (room - 2) / 2, rows.count - (room - 1)))
      body = lines(Array(rows.dropFirst(first).prefix(max(0, room - 1))), table, width: width, paint)
      if rows.isEmpty { body = ["no pipeline runs with state in \(printable(folder))".clipped(to: width)] }
    }
    body = Array(body.prefix(room))
    body += Array(repeating: "", count: max(0, room - body.count))
    return top + body + [paint(help.clipped(to: width), .dim)]
  }

  /// The table by itself.
  func lines(_ table: TopTable, width: Int, _ paint: Paint) -> [String] {
    lines(table.sorted(by: sort, isReversed: isReversed), table, width: width, paint)
  }

  private func headline(_ table: TopTable, _ now: Double) -> String {
    let count = Set(table.rows.map { [$0.id.pipeline, "\($0.id.process)"] }).count
    let processes = Set(table.rows.map(\.id.process)).count
    let many = processes > 1 ? " in \(processes) processes" : ""
    let order = sort == .order ? "" : ", by \(sort.title)\(isReversed ? " reversed" : "")"
    return "flow top  \(StateText.time(now).suffix(8))  \(StateText.count(count, "pipeline"))\(many)\(order)"
  }

  private func problems(_ table: TopTable) -> String {
    let problems =
      table.silent.map { "process \($0) does not answer" }
      + table.processes.flatMap { process in
        process.pipelines.flatMap { pipeline in pipeline.problems.map { "\(pipeline.name): \($0)" } }
      }
    guard let first = problems.first else { return "" }
    return "! \(printable(first))" + (problems.count > 1 ? " (+\(problems.count - 1))" : "")
  }

  private static let numbers: [(key: TopTable.Key, width: Int)] = [
    (.in, 6), (.out, 6), (.dropped, 7), (.errors, 6), (.time, 6), (.queue, 5), (.keys, 6),
  ]

  /// Headers and rows.
  ///
  /// What is left beside names and numbers belongs to the sparklines; the kinds are shown where there is room.
  private func lines(_ rows: [TopTable.Row], _ table: TopTable, width: Int, _ paint: Paint) -> [String] {
    let areMany = Set(table.rows.map(\.id.pipeline)).count > 1
    let names = rows.map { printable((areMany ? "\($0.id.pipeline):" : "") + $0.id.node) }
    let numbers = Self.numbers.reduce(0) { $0 + $1.width + 1 }
    let kinds = width >= 100 ? min(14, (rows.map { $0.status.kind.columns }.max() ?? 0) + 2) : 0
    let spare = width - numbers - kinds
    let name = max(8, min(max(4, names.map(\.columns).max() ?? 0), spare - 12))
    let spark = min(TopTable.historySize, spare - name - 2)
    func line(_ cells: [TopTable.Key: String], _ name_: String, _ kind: String, _ history: String) -> String {
      var text = name_.clipped(to: name).padded(to: name)
      if kinds > 0 { text += "  " + kind.clipped(to: kinds - 2).padded(to: kinds - 2) }
      for (key, width) in Self.numbers {
        text += " " + (cells[key] ?? "").clipped(to: width).padded(to: width, right: true)
      }
      if spark > 3, !history.isEmpty { text += "  " + history }
      return text.clipped(to: width)
    }
    let titles = Dictionary(uniqueKeysWithValues: Self.numbers.map { ($0.key, $0.key.title) })
    var lines = [paint(line(titles, "node", "kind", "rate".clipped(to: max(0, spark))), .bold)]
    for (row, shown) in zip(rows, names) {
      let node = row.status
      let cells: [TopTable.Key: String] = [
        .in: StatusText.rate(row.eventsIn), .out: node.role == .sink ? "" : StatusText.rate(row.eventsOut),
        .dropped: "\(node.dropped)", .errors: "\(node.errors)", .time: StatusText.time(row.time),
        .queue: node.queue.map { "\($0)" } ?? "", .keys: node.keys.map { "\($0)" } ?? "",
      ]
      let text = line(cells, shown, printable(node.kind), StatusText.sparkline(row.history, width: spark))
      let isFailing = node.errors > 0 || node.givenUp > 0 || node.deadLetters ?? 0 > 0
      if row.id == selected {
        lines.append(paint.isOn ? "\u{1B}[7m\(text.padded(to: width))\u{1B}[0m" : text)
      } else {
        lines.append(isFailing ? paint(text, .red) : text)
      }
    }
    return lines
  }

  /// A node with all of its numbers, and what its source does.
  private func detail(_ row: TopTable.Row, _ table: TopTable, width: Int, _ paint: Paint) -> [String] {
    let node = row.status
    var pairs: [(String, String)] = [
      ("pipeline", "\(row.id.pipeline), process \(row.id.process)"), ("kind", "\(node.kind), a \(node.role)"),
    ]
    func add(_ title: String, _ count: Int?, _ rate: Double? = nil) {
      guard let count else { return }
      pairs.append((title, "\(count)" + (rate.map { ", \(StatusText.rate($0)) a second" } ?? "")))
    }
    add("events in", node.eventsIn, row.eventsIn)
    if node.role != .sink { add("events out", node.eventsOut, row.eventsOut) }
    add("dropped", node.dropped)
    add("errors", node.errors)
    if node.role == .sink { add("given up", node.givenUp) }
    add("dead letters", node.deadLetters)
    add("queue", node.queue)
    add("keys", node.keys)
    if let time = row.time { pairs.append(("time", "\(StatusText.time(time)) for each event")) }
    if let seconds = node.seconds { pairs.append(("", "\(StatusText.time(seconds)) since the start")) }
    let pipeline = table.pipeline(of: row.id)
    if let source = pipeline?.sources.first(where: { $0.name == node.name }), node.role == .source {
      if let poll = source.lastPoll {
        pairs.append(
          ("last poll", "\(StateText.time(poll.at)), \(StateText.count(poll.rows, "row")), \(poll.coverage)"))
      }
      if let next = source.nextPoll { pairs.append(("next poll", StateText.time(next))) }
      if let failure = source.failure {
        pairs.append(("failing", "since \(StateText.time(failure.since)): \(failure.reason)"))
      }
      if let error = source.error { pairs.append(("ended", error)) }
    }
    pairs.append(("rate", StatusText.sparkline(row.history, width: max(4, width - 14))))
    pairs.append(("", "flow tap \(row.id.pipeline):\(node.name) shows its events"))
    let lines = pairs.map { title, text in
      "  \(title.padded(to: 12))" + printable(text).clipped(to: max(1, width - 14))
    }
    return [paint(printable(node.name).clipped(to: width), .bold)] + lines
  }
}
