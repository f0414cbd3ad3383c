import Engine
import Glibc
import JSON
import Language
import Store

/// The report of `flow status` on one pipeline, from its process or, where it does not run, from its state.
struct StatusReport {
  var status: PipelineStatus
  /// The process that runs it.
  let process: Int?
  private let budgets: [BudgetStatus]
  private var others: [String] = []

  var problems: [String] { status.problems + others }

  /// A pipeline that runs, or has ended in a process that runs others.
  init(_ status: PipelineStatus, of process: RunStatus) {
    self.status = status
    self.process = process.process
    budgets = process.budgets
  }

  /// A process that does not answer.
  init(silent process: Int) {
    status = PipelineStatus(name: "process \(process)", path: "", phase: .running, started: 0)
    status.isResponsive = false
    self.process = process
    budgets = []
  }

  /// A pipeline that does not run, from its state and the status that its last run has left.
  init(_ name: String, in files: StateFiles, isNamed: Bool) {
    (process, budgets) = (nil, [])
    let last = StatusFile(of: name, in: files.folder).read()
    status = last?.status ?? PipelineStatus(name: name, path: "", phase: .stopped, started: 0)
    if let last, !last.status.phase.isOver {
      let isAlive = kill(Int32(truncatingIfNeeded: last.process), 0) == 0 || errno == EPERM
      if isAlive {
        others.append("process \(last.process) runs it, and has no socket in \(files.folder)")
      } else {
        status.phase = .failed
        status.error = "process \(last.process) was killed, or crashed"
      }
    }
    do {
      let summary = try StateSummary(name, StateReader(path: files.path(of: name)))
      status.nodes = summary.nodes.map { node in
        var known =
          last?.status.nodes.first { $0.name == node.name }
          ?? NodeStatus(name: node.name, kind: "", role: node.sink == nil ? .step : .sink)
        if !node.tables.isEmpty { known.keys = node.keys }
        if let sink = node.sink { (known.queue, known.deadLetters) = (sink.waiting, sink.dead) }
        return known
      }
      if status.path.isEmpty { status.path = summary.pipeline ?? "" }
      if last == nil { status.ended = summary.changed }
    } catch {
      others.append("\(error)")
    }
    if isNamed, status.phase == .stopped { others.append("it does not run") }
  }

  /// For other programs: the status, with the process and all problems.
  var json: Value {
    var json = status.json
    json.setMember("process", process.map { .number($0) } ?? .null)
    json.setMember("budgets", .array(budgets.map(\.json)))
    json.setMember("problems", .array(problems.map { .string($0) }))
    json.setMember("ok", .bool(problems.isEmpty))
    return json
  }

  // MARK: - For people

  /// - Parameter listsEntries: Whether to list the entries of a source that fail.
  func lines(width: Int, listsEntries: Bool = false) -> [String] {
    let paint = Terminal.paint
    var lines = [paint(printable(status.name), .bold) + "  " + printable(summary)]
    if !status.path.isEmpty {
      lines.append("  " + StateText.end(of: status.path, columns: max(12, width - 2)))
    }
    lines += sources.lines(width: width - 2, paint: paint).map { "  " + $0 }
    for source in status.sources {
      guard let entries = source.entries else { continue }
      lines.append("  " + printable("\(source.name): \(entries.counts)"))
      if listsEntries { lines += failing(entries).lines(width: width - 4, paint: paint).map { "    " + $0 } }
    }
    for source in status.sources {
      guard let wait = source.wait, !status.phase.isOver else { continue }
      let left = StatusReport.span(wait.until - World.real.wallClock())
      lines.append("  " + printable("\(source.name): \(wait.reason) in \(left)").clipped(to: width - 2))
    }
    for node in status.nodes {
      guard let wait = node.wait, !wait.isFailing else { continue }
      let text = "\(node.name): \(wait.text(isOver: status.phase.isOver))"
      lines.append("  " + printable(text).clipped(to: width - 2))
    }
    let holdings = status.holdings.map(printable)
    if !holdings.isEmpty { lines.append("  " + holdings.joined(separator: ", ")) }
    let lost = status.phase.isOver ? status.losses : status.lostEvents
    if !lost.isEmpty {
      lines.append("  lost: " + printable(lost.joined(separator: ", ")))
    }
    for problem in problems { lines.append("  " + paint("! \(printable(problem))", .red)) }
    return lines
  }

  /// As in “running for 3 days, process 4711”.
  private var summary: String {
    let now = World.real.wallClock()
    var parts: [String] = []
    switch status.phase {
    case .waiting, .running, .stopping:
      let since =
        status.started > 0 && status.world == nil ? " for \(StatusReport.span(now - status.started))" : ""
      parts.append("\(status.phase.rawValue)\(since)")
    case .completed, .stopped, .failed:
      if process == nil { parts.append("not running") }
      parts.append(status.phase.rawValue + (status.ended.map { " \(StateText.age(now - $0))" } ?? ""))
    }
    if let process { parts.append("process \(process)") }
    if let world = status.world { parts.append("in \(world)") }
    return parts.joined(separator: ", ")
  }

  private var sources: TextTable {
    var table = TextTable(headers: [
      "source", "last poll", "rows", "coverage", "next poll", "polls", "failed",
    ])
    let isOver = status.phase.isOver
    for source in status.sources where source.isPolled {
      let next = isOver ? "" : source.nextPoll.map { StateText.time($0) } ?? ""
      table.add([
        source.name, source.lastPoll.map { StateText.time($0.at) } ?? "none",
        source.lastPoll.map { "\($0.rows)" } ?? "", source.lastPoll?.coverage ?? "",
        next, "\(source.polls)", "\(source.failedPolls)",
      ])
    }
    return table.isEmpty ? TextTable() : table
  }

  private func failing(_ entries: SourceStatus.Entries) -> TextTable {
    var table = TextTable(headers: ["entry", "failing since", "reason"])
    for entry in entries.failing { table.add([entry.id, StateText.time(entry.since), entry.reason]) }
    return table.isEmpty ? TextTable() : table
  }

  /// The budgets of all processes, which share them.
  static func budgets(_ processes: [RunStatus], width: Int) -> [String] {
    var table = TextTable(headers: ["budget of", "left", "of", "in", "next call"])
    var seen: Set<String> = []
    for budget in processes.flatMap(\.budgets) {
      let period = DurationText.format(.seconds(Int(budget.period)))
      guard seen.insert("\(budget.host) \(period)").inserted else { continue }
      table.add([
        budget.host, "\(budget.remaining)", "\(budget.limit)", period,
        budget.next.map { StateText.time($0) } ?? "",
      ])
    }
    return table.isEmpty ? [] : [""] + table.lines(width: width, paint: Terminal.paint)
  }

  /// A length of time, in its two largest units: “3d 4h”.
  static func span(_ seconds: Double) -> String {
    var rest = max(0, Int(seconds))
    var parts: [String] = []
    for (unit, size) in [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)] where parts.count < 2 {
      if rest >= size || unit == "s" && parts.isEmpty {
        parts.append("\(rest / size)\(unit)")
        rest %= size
      } else if !parts.isEmpty {
        break
      }
    }
    return parts.joined(separator: " ")
  }
}
