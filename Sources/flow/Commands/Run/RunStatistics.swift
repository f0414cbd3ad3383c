import Engine
import Language

/// The table of what each node has done, for `--stats` and SIGUSR1.
enum RunStatistics {
  static func text(_ runs: [PipelineRun]) -> String {
    runs.map { run in
      var table = TextTable(headers: ["node", "kind", "in", "out", "dropped", "errors", "time"])
      for row in run.statistics {
        table.add([
          row.name, row.kind, count(row.eventsIn), count(row.eventsOut), count(row.dropped),
          count(row.errors), time(row.seconds),
        ])
      }
      let width = Terminal.columns(2) ?? 120
      return (["\(printable(run.plan.name)):"] + table.lines(width: width)).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private static func count(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }

  private static func time(_ seconds: Double?) -> String {
    guard let seconds else { return "" }
    if seconds < 0.001 { return "\(Int(seconds * 1e6)) µs" }
    if seconds < 10 { return "\(Int(seconds * 1000)) ms" }
    return "\(Int(seconds)) s"
  }
}
