import Language

/// A marble diagram of a run: a lane for each node on a common axis of time, of which the latest columns are kept.
///
///     upcoming  ────●|────────────3|───
///     changes   ───────────────────●───
///
/// Each column is a span of time. `●` is one event, a digit several, `#` more than nine, and `|` the end of a poll
/// without events.
package struct MarbleLanes: Sendable {
  package static let legend = "● one event, 2–9 and # several, | the end of a poll without events"

  /// The events that have passed a node within a column.
  private struct Cell {
    var events = 0

    var symbol: Character {
      switch events {
      case 0: "|"
      case 1: "●"
      case 2...9: Character("\(events)")
      default: "#"
      }
    }
  }

  package let names: [String]
  /// The time of a column, in seconds.
  package let step: Double
  private let columns: Int
  private var cells: [[Int: Cell]]

  package init(_ names: [String], step: Double, columns: Int) {
    (self.names, self.step, self.columns) = (names, step, max(1, columns))
    cells = Array(repeating: [:], count: names.count)
  }

  /// The number of the column of a time, in seconds since 1970.
  package func column(at time: Double) -> Int { Int((time / step).rounded(.down)) }

  /// Notes an event, or the end of a poll, in a lane.
  package mutating func note(_ lane: Int, at time: Double, isEndOfPoll: Bool) {
    guard cells.indices.contains(lane) else { return }
    let column = column(at: time)
    var cell = cells[lane][column] ?? Cell()
    if !isEndOfPoll { cell.events += 1 }
    cells[lane][column] = cell
    if cells[lane].count > 2 * columns {
      cells[lane] = cells[lane].filter { $0.key > column - 2 * columns }
    }
  }

  /// The columns of a lane in which something has passed, with the number of events; zero for the end of a poll alone.
  package func marks(_ lane: Int, in range: ClosedRange<Int>) -> [(column: Int, events: Int)] {
    guard cells.indices.contains(lane) else { return [] }
    return cells[lane].filter { range.contains($0.key) }.map { ($0.key, $0.value.events) }
      .sorted { $0.column < $1.column }
  }

  /// The lanes up to a column, below a line with times: those that `clock` gives for seconds since 1970.
  package func lines(to last: Int, from first: Int? = nil, clock: (Double) -> String) -> [String] {
    let first = max(first ?? Int.min, last - columns + 1)
    let margin = (names.map(\.columns).max() ?? 0) + 2
    var axis = ""
    for column in first...max(first, last) where axis.columns <= column - first {
      let label = clock(Double(column) * step)
      let width = max(label.columns + 2, 15)
      // Labels do not move while columns do.
      guard column % width == 0, column - first + label.columns <= columns else { continue }
      axis += String(repeating: " ", count: column - first - axis.columns) + label
    }
    let lanes = zip(names, cells).map { name, cells in
      let marbles = (first...max(first, last)).map { cells[$0]?.symbol ?? "─" }
      return printable(name).padded(to: margin) + String(marbles)
    }
    return [String(repeating: " ", count: margin) + axis] + lanes
  }
}
