import Glibc

/// What a scenario has gone through.
struct Tally {
  let name: String
  /// Lives that were ended by SIGKILL, and how many of them at a named point.
  var kills = 0
  var killsAtPoints = 0
  /// How often each signal was sent, SIGKILL at a named point among them.
  var signals: [Int32: Int] = [:]
  /// How many lives there were.
  var runs = 0
  var verdict = Verdict()
  /// Each a sentence that says how to repeat it.
  var failures: [String] = []

  var allSignals: Int { signals.values.reduce(0, +) }

  private static let shown = [("KILL", SIGKILL), ("TERM", SIGTERM), ("INT", SIGINT), ("STOP", SIGSTOP)]

  private static let columns =
    ["scenario", "runs"] + shown.map(\.0) + [
      "at points", "servers", "events", "lost", "doubled", "torn", "repeated", "failures",
    ]

  private var cells: [String] {
    [name, "\(runs)"] + Self.shown.map { "\(signals[$0.1] ?? 0)" }
      + [
        killsAtPoints, verdict.serverKills, verdict.count, verdict.lost, verdict.doubled, verdict.torn,
        verdict.repeated,
        failures.count,
      ].map { "\($0)" }
  }

  /// Adds what the same scenario has gone through in another place.
  mutating func add(_ other: Tally) {
    kills += other.kills
    killsAtPoints += other.killsAtPoints
    signals.merge(other.signals, uniquingKeysWith: +)
    runs += other.runs
    verdict.add(other.verdict)
    failures += other.failures
  }

  /// A table with a line each, and one for all.
  static func table(_ tallies: [Tally]) -> String {
    let total = tallies.reduce(into: Tally(name: "total")) { $0.add($1) }
    let rows = [columns] + (tallies + [total]).map(\.cells)
    let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
