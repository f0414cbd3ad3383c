import Delivery
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
  /// Each change as a JSON Patch, without the rows.
  case patches

  init(of plan: Plan, sink name: String) {
    let sink = plan.sinks.first { $0.name == name }
    let steps = plan.streams.first { sink?.from.contains($0.name) == true }?.steps ?? []
    if steps.contains(where: \.sendsPatches) {
      self = .patches
      return
    }
    let hasSeveral = plan.sources.count > 1
    self = .part(
      reason: hasSeveral
        ? "rows of several sources, which may have one key" : "only some of the changes of its rows")
    guard !hasSeveral, let sink, sink.when == nil, sink.from.count == 1,
      let place = steps.lastIndex(where: \.reportsEachChange),
      // The changes of a row that are taken together lead from the first to the last.
      steps[(place + 1)...].allSatisfy({ $0.spec.kind == "settle" })
    else { return }
    self = steps[place].reportsWholeRows ? .whole : .fields
  }

  /// Whether the lines that a pipeline writes have the order of their times: those of one list, as they come.
  static func isOrdered(_ plan: Plan, sink name: String) -> Bool {
    guard LogExtent(of: plan, sink: name).isFollowed, let source = plan.sources.first,
      !source.options.isGiven(EachOptions.each)
    else { return false }
    let from = plan.sinks.first { $0.name == name }?.from ?? []
    return plan.streams.first { from.contains($0.name) }?.steps.last?.reportsEachChange == true
  }

  /// Whether each row in the log is as the change before has left it.
  var isFollowed: Bool { self == .whole || self == .fields }

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
