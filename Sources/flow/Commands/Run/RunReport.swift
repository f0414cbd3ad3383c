import Engine
import JSON
import Language

/// The report at the end of a run: a line for each pipeline, and the statistics of nodes.
struct RunReport: Sendable {
  let log: Log
  let screen: Screen
  /// Whether the log is JSON, and nothing else may be written to standard error.
  let isJSON: Bool
  /// Whether a person waits for the end at a terminal: where there is none, silence means that all is well.
  let isForPerson: Bool

  // MARK: - The last line

  /// Reports a pipeline that was stopped, with what it has done, or that has failed by itself, with the command that
  /// shows more; one that has completed only to a person.
  ///
  /// - Parameter former: What the pipeline has done before it was reloaded.
  func end(_ status: PipelineStatus, after former: RunTotals? = nil, hasState: Bool) {
    let log = NodeLog(log: log, pipeline: status.name, node: "")
    let totals = RunTotals(status, after: former)
    switch status.phase {
    case .stopped:
      let unanswered = status.unanswered
      let reason = unanswered.isEmpty ? "" : "; " + unanswered.shortened(by: "; ")
      log.notice("stopped after \(totals)\(reason)")
    case .failed:
      let losses = status.losses
      let reason = losses.isEmpty ? "" : ": " + losses.shortened(by: ", ")
      let isGivenUp = status.nodes.contains { $0.givenUp > 0 }
      let command = isGivenUp ? "flow state dead ls \(status.name)" : "flow status \(status.name)"
      log.error("failed after \(totals)\(reason)\(hasState ? "; see \(command)" : "")")
    case .completed: if isForPerson { log.notice("completed after \(totals)") }
    case .waiting, .running, .stopping: break
    }
  }

  // MARK: - Statistics

  /// Shows what each node has done so far, for `--stats` and SIGUSR1.
  func statistics(_ runs: [PipelineRun]) {
    let text =
      isJSON
      ? runs.map { run in
        Value.record([
          ("at", .string(timestamp(World.real.wallClock()))), ("level", .string("notice")),
          ("pipeline", .string(run.plan.name)), ("node", .string("")), ("message", .string("statistics")),
          ("nodes", .array(run.statistics.map(\.jsonValue))),
        ]).description + "\n"
      }.joined() : runs.map(table).joined(separator: "\n")
    Terminal.complain(text, beside: screen)
  }

  private func table(_ run: PipelineRun) -> String {
    var table = TextTable(headers: ["node", "kind", "in", "out", "dropped", "errors", "time"])
    for row in run.statistics {
      table.add([
        row.name, row.kind, count(row.eventsIn), count(row.eventsOut), count(row.dropped),
        count(row.errors), time(row.seconds),
      ])
    }
    let width = Terminal.columns(2) ?? 120
    return (["\(printable(run.plan.name)):"] + table.lines(width: width)).joined(separator: "\n") + "\n"
  }

  private func count(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }

  private func time(_ seconds: Double?) -> String {
    guard let seconds else { return "" }
    if seconds < 0.001 { return "\(Int(seconds * 1e6)) µs" }
    if seconds < 10 { return "\(Int(seconds * 1000)) ms" }
    return "\(Int(seconds)) s"
  }
}

/// The totals of a pipeline, also before it was reloaded: “3d 4h: 80 polls (2 failed), 240 events, 12 outputs”.
struct RunTotals: CustomStringConvertible {
  private let started, ended: Double
  private let polls, failedPolls, events, outputs, dropped, errors, givenUp: Int
  private let isPolled: Bool

  init(_ status: PipelineStatus, after former: RunTotals? = nil) {
    func sum(_ role: NodeStatus.Role?, _ count: (NodeStatus) -> Int) -> Int {
      status.nodes.reduce(0) { $0 + (role == nil || $1.role == role ? count($1) : 0) }
    }
    started = former?.started ?? status.started
    ended = status.ended ?? status.started
    isPolled = status.sources.contains(where: \.isPolled)
    polls = status.sources.reduce(former?.polls ?? 0) { $0 + $1.polls }
    failedPolls = status.sources.reduce(former?.failedPolls ?? 0) { $0 + $1.failedPolls }
    events = sum(.source) { $0.eventsOut ?? 0 } + (former?.events ?? 0)
    outputs = sum(.sink) { $0.eventsOut ?? 0 } + (former?.outputs ?? 0)
    // What a sink drops is what it was asked not to send.
    dropped = sum(.source, \.dropped) + sum(.step, \.dropped) + (former?.dropped ?? 0)
    errors = sum(nil) { $0.errors } + (former?.errors ?? 0)
    givenUp = sum(.sink) { $0.givenUp } + (former?.givenUp ?? 0)
  }

  var description: String {
    var parts: [String] = []
    if isPolled || polls > 0 {
      parts.append(StateText.count(polls, "poll") + (failedPolls > 0 ? " (\(failedPolls) failed)" : ""))
    }
    parts += [StateText.count(events, "event"), StateText.count(outputs, "output")]
    if dropped > 0 { parts.append("\(dropped) dropped") }
    if errors > 0 { parts.append(StateText.count(errors, "error")) }
    if givenUp > 0 { parts.append("\(givenUp) given up") }
    return "\(StatusText.span(ended - started)): \(parts.joined(separator: ", "))"
  }
}
