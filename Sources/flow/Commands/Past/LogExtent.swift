import Engine
import JSON
import Language
import Nodes

/// How much of what happens to its rows a log has, as far as the pipeline says that writes it.
enum LogExtent: Equatable {
  /// Each change: a row is as the change before it has left it.
  case whole
  /// Each change of some fields, as with `watch`; others move between the changes.
  case fields
  /// Not each change, or those of other rows with the same key too; `reason` follows “the log has”.
  case part(reason: String)

  init(of plan: Plan, sink name: String) {
    let hasSeveral = plan.sources.count > 1
    self = .part(
      reason: hasSeveral
        ? "rows of several sources, which may have one key" : "only some of the changes of its rows")
    guard !hasSeveral, let sink = plan.sinks.first(where: { $0.name == name }), sink.when == nil,
      sink.from.count == 1,
      let steps = plan.streams.first(where: { sink.from.contains($0.name) })?.steps,
      let place = steps.lastIndex(where: \.reportsEachChange),
      // The changes of a row that are taken together lead from the first to the last.
      steps[(place + 1)...].allSatisfy({ $0.spec.kind == "settle" })
    else { return }
    self = steps[place].reportsWholeRows ? .whole : .fields
  }

  /// The members that the differences of a log name; nil where one is of whole rows.
  static func fields(of log: ChangeLog) throws -> Set<Key>? {
    var names: Set<Key>? = []
    try log.eachChange(other: { _, _ in }) { change, _ in
      for difference in change.differences {
        guard let name = difference.path.steps.first else { return names = nil }
        names?.insert(Key(name))
      }
    }
    return names
  }
}
