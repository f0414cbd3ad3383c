import Engine
import JSON
import Language
import Nodes

/// The reasons why nodes that compare polls have sent nothing, by what they have taken.
struct Comparisons {
  /// A row that the last poll has not had, and which is not reported as removed yet.
  struct Absence {
    let node: String
    /// The last event that the node has taken of it.
    let latest: Int
    /// The time of that poll.
    let at: Double
    let reason: String
  }

  private(set) var absences: [Absence] = []
  /// By the node, and the event that it has taken.
  private var reasons: [String: [Int: String]] = [:]

  init(_ run: TracedRun) {
    for node in run.nodes.values.sorted(by: { $0.name < $1.name }) where node.comparesPolls {
      let step = run.plan.streams.lazy.flatMap(\.steps).first { $0.name == node.name }
      for polls in run.polls(for: node) {
        guard let step, var comparison = ChangesReasons(step, in: .now { 0 }) else { continue }
        var latest: [Value: Int] = [:]
        for rows in polls {
          guard let poll = rows.first.map({ run.passages[$0.index].poll }) else { continue }
          let found = comparison.take(
            rows.map { ($0.key, run.passages[$0.index].event) }, of: poll, isFirst: run.isFirst(poll))
          for (row, reason) in zip(rows, found) {
            latest[row.key] = row.index
            if let reason { reasons[node.name, default: [:]][row.index] = reason }
          }
        }
        guard let last = polls.last?.first.map({ run.passages[$0.index].poll.at }) else { continue }
        for (key, index) in latest.sorted(by: { $0.value < $1.value }) {
          guard let reason = comparison.reasonForAbsence(of: key) else { continue }
          absences.append(Absence(node: node.name, latest: index, at: last, reason: reason))
        }
      }
    }
  }

  /// Nil for other nodes, and where it is not known.
  func reason(for end: TracedRun.End) -> String? {
    guard let node = end.node, let index = end.way.last else { return nil }
    return reasons[node]?[index]
  }
}
