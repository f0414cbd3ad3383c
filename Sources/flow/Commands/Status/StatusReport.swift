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
  /// When the state was written last.
  private var changed: Double?
  /// The time of its world: under a sky another than ours.
  private var now = World.real.wallClock()

  var problems: [String] { status.problems + others }

  /// Whether its process is there.
  var isLive: Bool { process != nil }
  /// The time by which reports are ordered: its start where it runs, or else its end.
  private var time: Double { isLive ? status.started : status.ended ?? max(changed ?? 0, status.started) }
  /// Whether it has ended lately with something wrong, which may concern more than an old experiment; or cannot be read.
  var isRecentFailure: Bool { !others.isEmpty || !problems.isEmpty && now - time < Self.recently }

  private static let recently = 86400.0

  /// The order of pipelines: running ones first, then the latest; a simulated run has no time of ours, and
  /// counts as new.
  func comesBefore(_ other: StatusReport) -> Bool {
    if isLive != other.isLive { return isLive }
    if (status.simulation == nil) != (other.status.simulation == nil) { return status.simulation != nil }
    return time == other.time ? status.name < other.status.name : time > other.time
  }

  /// A pipeline that runs, or has ended in a process that runs others.
  init(_ status: PipelineStatus, of process: RunStatus) {
    self.status = status
    self.process = process.process
    (budgets, now) = (process.budgets, process.at)
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
      let missing = summary.nodes.filter { node in !status.nodes.contains { $0.name == node.name } }
      status.nodes += missing.map {
        NodeStatus(name: $0.name, kind: "", role: $0.sink == nil ? .step : .sink)
      }
      for index in status.nodes.indices {
        let node = summary.nodes.first { $0.name == status.nodes[index].name }
        status.nodes[index].keys = node.flatMap { $0.tables.isEmpty ? nil : $0.keys }
        guard node?.sink != nil || status.nodes[index].deadLetters != nil else { continue }
        (status.nodes[index].queue, status.nodes[index].deadLetters) =
          (node?.sink?.waiting ?? 0, node?.sink?.dead ?? 0)
      }
      if status.path.isEmpty { status.path = summary.pipeline ?? "" }
      changed = summary.changed
      if last == nil { status.ended = summary.changed }
    } catch {
      others.append("\(error)")
    }
    if isNamed, status.phase == .stopped { others.append("it does not run") }
  }

  /// For other programs: the status, with the process and all problems.
  var json: Value {
    var json = status.jsonValue
    json.setMember("process", process.map { .number($0) } ?? .null)
    json.setMember("budgets", .array(budgets.map(\.jsonValue)))
    json.setMember("problems", .array(problems.map { .string($0) }))
    json.setMember("ok", .bool(problems.isEmpty))
    return json
  }

  // MARK: - For people

  /// - Parameter listsEntries: Whether to list the entries of a source that fail.
  func lines(width: Int, listsEntries: Bool = false) -> [String] {
    let paint = Terminal.paint
    var lines = [paint(printable(status.name), .bold) + "  " + summary(paint)]
    if !status.path.isEmpty {
      lines.append("  " + StateText.end(of: status.path, columns: max(12, width - 2)))
    }
    lines += (sources.lines(width: width - 2, paint: paint) + streams.lines(width: width - 2, paint: paint))
      .map { "  " + $0 }
    for source in status.sources {
      guard let entries = source.entries else { continue }
      lines.append("  " + printable("\(source.name): \(entries.counts)"))
      if listsEntries { lines += failing(entries).lines(width: width - 4, paint: paint).map { "    " + $0 } }
    }
    for source in status.sources {
      guard let hint = source.lastPoll?.hint else { continue }
      lines.append("  " + printable("\(source.name): \(hint)"))
    }
    for source in status.sources {
      guard let wait = source.wait, !source.hasEnded, !status.phase.isOver else { continue }
      lines.append(
        "  " + printable("\(source.name): \(wait.reason) \(times.at(wait.until))").clipped(to: width - 2))
    }
    for source in status.sources where source.wait == nil && !status.phase.isOver {
      guard let since = source.asking, now - since >= SourceStatus.longAnswer else { continue }
      lines.append(
        "  " + printable("\(source.name): no answer yet, asked \(StatusText.span(now - since)) ago"))
    }
    for node in status.nodes {
      guard let wait = node.wait, !wait.isFailing else { continue }
      let text = "\(node.name): \(wait.text(isOver: status.phase.isOver, times))"
      lines.append("  " + printable(text).clipped(to: width - 2))
    }
    for node in status.nodes {
      guard let failing = node.failing, !failing.isLoss else { continue }
      lines.append("  " + printable("\(node.name) \(failing.text)"))
    }
    for phrases in [counts, status.holdings] where !phrases.isEmpty {
      lines.append("  " + printable(phrases.joined(separator: ", ")))
    }
    let lost = status.phase.isOver ? status.losses : status.lostEvents
    if !lost.isEmpty {
      lines.append("  lost: " + printable(lost.shortened(by: ", ")))
    }
    for problem in status.problems(times) + others {
      lines.append("  " + paint("! \(printable(problem))", .red))
    }
    return lines
  }

  /// As in “running for 3 days, process 4711”.
  private func summary(_ paint: Paint) -> String {
    var parts: [String] = []
    switch status.phase {
    case .waiting, .running, .stopping:
      let style: Style = status.phase == .running ? .green : .yellow
      let since = status.started > 0 ? " \(times.since(status.started))" : ""
      parts.append(paint(status.phase.rawValue, style) + since)
    case .completed, .stopped, .failed:
      if process == nil { parts.append("not running") }
      parts.append(paint(end, status.phase == .failed ? .red : .plain))
    }
    if let process { parts.append("process \(process)") }
    if let end = status.mutedUntil { parts.append("muted until \(StateText.time(end))") }
    if let simulation = status.simulation { parts.append("simulated in \(printable(simulation))") }
    return parts.joined(separator: ", ")
  }

  private var times: StatusTimes { .relative(to: now) }

  /// As in “failed 21m ago”.
  private var end: String {
    status.phase.rawValue + (status.ended.map { " \(StateText.age(now - $0))" } ?? "")
  }

  /// As in “stations (stopped 21m ago)”.
  var mention: String { "\(printable(status.name)) (\(end))" }

  /// The counts of this run, or of the last one.
  private var counts: [String] {
    func sum(_ role: NodeStatus.Role) -> Int {
      status.nodes.reduce(0) { $0 + ($1.role == role ? $1.eventsOut ?? 0 : 0) }
    }
    let (events, outputs) = (sum(.source), sum(.sink))
    var parts =
      events + outputs > 0 ? [StateText.count(events, "event"), StateText.count(outputs, "output")] : []
    parts += status.nodes.filter { $0.dropped > 0 }.map { "\($0.name) has dropped \($0.dropped)" }
    // A failed poll counts in its source's line.
    parts += status.nodes.filter { $0.errors > 0 && $0.role != .source }.map {
      "\(StateText.count($0.errors, "error")) in \($0.name)"
    }
    return parts
  }

  private var sources: TextTable {
    var table = TextTable(headers: [
      "source", "last poll", "rows", "coverage", "next poll", "polls", "failed",
    ])
    let isOver = status.phase.isOver
    for source in status.sources where source.isPolled {
      let next = isOver ? "" : source.nextPoll.map(times.at) ?? ""
      table.add([
        source.name, source.lastPoll.map { ago($0.at) } ?? "none",
        source.lastPoll.map { "\($0.rows)" } ?? "", source.lastPoll?.coverage ?? "",
        next, "\(source.polls)", "\(source.failedPolls)",
      ])
    }
    return table.isEmpty ? TextTable() : table
  }

  private func ago(_ time: Double) -> String { "\(StatusText.span(now - time)) ago" }

  /// The sources that are not polled.
  private var streams: TextTable {
    let sources = status.sources.filter { !$0.isPolled }.map { source in
      (source, status.nodes.first { $0.role == .source && $0.name == source.name })
    }
    let (areRefused, haveQueue) = (
      sources.contains { $0.0.refused > 0 }, sources.contains { $0.1?.queue != nil }
    )
    let connect = sources.contains { $0.0.polls > 0 }
    var table = TextTable(
      headers: ["source", "last event", "events"] + (connect ? ["connected for", "connections"] : [])
        + (areRefused ? ["refused"] : [])
        + (haveQueue ? ["unread"] : []))
    for (source, node) in sources {
      table.add(
        [source.name, source.lastEvent.map(ago) ?? "none", "\(node?.eventsOut ?? 0)"]
          + (connect
            ? [
              source.connectedSince.map { StatusText.span(now - $0) } ?? "",
              source.polls > 0 ? "\(source.polls - source.failedPolls)" : "",
            ] : [])
          + (areRefused ? ["\(source.refused)"] : []) + (haveQueue ? ["\(node?.queue ?? 0)"] : []))
    }
    return table.isEmpty ? TextTable() : table
  }

  private func failing(_ entries: SourceStatus.Entries) -> TextTable {
    var table = TextTable(headers: ["entry", "failing for", "reason"])
    for entry in entries.failing { table.add([entry.id, StatusText.span(now - entry.since), entry.reason]) }
    return table.isEmpty ? TextTable() : table
  }

  /// The budgets of all processes, which share them.
  static func budgets(_ processes: [RunStatus], width: Int) -> [String] {
    var table = TextTable(headers: ["budget of", "left", "of", "in", "next call"])
    var seen: Set<String> = []
    for process in processes {
      for budget in process.budgets {
        let period = DurationText.format(.seconds(Int(budget.period)))
        guard seen.insert("\(budget.host) \(period)").inserted else { continue }
        table.add([
          budget.host, "\(budget.remaining)", "\(budget.limit)", period,
          budget.next.map(StatusTimes.relative(to: process.at).at) ?? "",
        ])
      }
    }
    return table.isEmpty ? [] : table.lines(width: width, paint: Terminal.paint)
  }
}
