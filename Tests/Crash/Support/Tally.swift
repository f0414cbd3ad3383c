/// What a scenario has gone through.
struct Tally {
  let name: String
  /// Lives that were ended by SIGKILL, and how many of them at a named point.
  var kills = 0
  var killsAtPoints = 0
  /// Lives that were stopped gracefully.
  var stops = 0
  var verdict = Verdict()
  /// Each a sentence that says how to have it again.
  var failures: [String] = []

  private static let columns = [
    "scenario", "kills", "at points", "stops", "events", "lost", "doubled", "torn", "told again", "failures",
  ]

  private var cells: [String] {
    [name]
      + [
        kills, killsAtPoints, stops, verdict.count, verdict.lost, verdict.doubled, verdict.torn,
        verdict.repeated,
        failures.count,
      ].map { "\($0)" }
  }

  /// A table with a line each, and one for all.
  static func table(_ tallies: [Tally]) -> String {
    var total = Tally(name: "total")
    for tally in tallies {
      total.kills += tally.kills
      total.killsAtPoints += tally.killsAtPoints
      total.stops += tally.stops
      total.verdict.add(tally.verdict)
      total.failures += tally.failures
    }
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
