import Engine
import Language

/// Reports values of `--set` with which a pipeline found nothing, as in `--set provider=Relays`.
struct UnmatchedSettings {
  /// The text of each setting, `NAME=VALUE`.
  private let settings: [String]

  init(_ arguments: Arguments) { settings = arguments.texts(PipelineFiles.set) }

  /// Reports them once the run is over.
  func report(_ run: PipelineRun, to log: Log) {
    let counters = run.statistics
    // Of a source that has not answered yet nothing is known.
    let silent = Set(run.status().sources.filter { $0.isPolled && $0.lastPoll == nil }.map(\.name))
    for setting in settings {
      guard let name = setting.split(separator: "=").first.map(String.init) else { continue }
      for node in Self.nodes(reading: name, in: run.plan) {
        guard !silent.contains(node), let found = counters.first(where: { $0.name == node }),
          found.errors == 0,
          found.eventsOut ?? 0 == 0, (found.eventsIn ?? 1) > 0
        else { continue }
        NodeLog(log: log, pipeline: run.plan.name, node: node).warning("nothing matches --set \(setting)")
        break
      }
    }
  }

  /// The sources and filters whose options read a var, in the order of the events.
  private static func nodes(reading name: String, in plan: Plan) -> [String] {
    let steps = plan.streams.flatMap(\.steps).filter { $0.spec.kind == "filter" }
    return plan.sources.filter { reads(name, $0.shown) }.map(\.name)
      + steps.filter { reads(name, $0.shown) }.map(\.name)
  }

  private static func reads(_ name: String, _ options: String) -> Bool {
    guard let range = options.place(of: "$vars.\(name)") else { return false }
    return options[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
  }
}
