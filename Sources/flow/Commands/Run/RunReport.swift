import Engine
import JSON
import Language

/// What a run reports at its end: a line for each pipeline that was stopped or has failed, and the statistics of nodes.
struct RunReport: Sendable {
  let log: Log
  let screen: Screen
  /// Whether the log is JSON, and nothing else may be written to standard error.
  let isJSON: Bool

  // MARK: - The last line

  /// Reports a pipeline that was stopped, with what it has done, or that has failed by itself, with the command that
  /// shows more; nothing where it has completed.
  func end(_ status: PipelineStatus, hasState: Bool) {
    let log = NodeLog(log: log, pipeline: status.name, node: "")
    switch status.phase {
    case .stopped: log.notice("stopped after \(summary(status))")
    case .failed:
      let losses = status.losses
      let reason = losses.isEmpty ? "" : ": " + losses.joined(separator: ", ")
      let isGivenUp = status.nodes.contains { $0.givenUp > 0 }
      let command = isGivenUp ? "flow state dead ls \(status.name)" : "flow status \(status.name)"
      log.error("failed after \(summary(status))\(reason)\(hasState ? "; see \(command)" : "")")
    case .waiting, .running, .stopping, .completed: break
    }
  }

  private func summary(_ status: PipelineStatus) -> String {
    let polls = status.sources.reduce(0) { $0 + $1.polls }
    let failed = status.sources.reduce(0) { $0 + $1.failedPolls }
    func sum(_ role: NodeStatus.Role?, _ count: (NodeStatus) -> Int) -> Int {
      status.nodes.reduce(0) { $0 + (role == nil || $1.role == role ? count($1) : 0) }
    }
    var parts: [String] = []
    if polls > 0 {
      parts.append(StateText.count(polls, "poll") + (failed > 0 ? " (\(failed) failed)" : ""))
    }
    parts.append(StateText.count(sum(.source) { $0.eventsOut ?? 0 }, "event"))
    parts.append(StateText.count(sum(.sink) { $0.eventsOut ?? 0 }, "output"))
    let (errors, givenUp) = (sum(nil) { $0.errors }, sum(.sink) { $0.givenUp })
    if errors > 0 { parts.append(StateText.count(errors, "error")) }
    if givenUp > 0 { parts.append("\(givenUp) given up") }
    let span = StatusReport.span((status.ended ?? status.started) - status.started)
    return "\(span): \(parts.joined(separator: ", "))"
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
          ("nodes", .array(run.statistics.map(\.json))),
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
