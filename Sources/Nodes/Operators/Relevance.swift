import JSON
import Engine
import Language

/// Which differences between two values are reported: those at some places, or all but those, and what counts in texts.
struct Relevance {
  /// Their outputs are paths.
  private let watch: [Evaluation]?
  private let ignore: [Evaluation]?
  private let noise: TextNoise?

  init(watch: [Expression]?, ignore: [Expression]?, text: Options?, _ context: StepContext) {
    self.watch = watch.map { $0.map { context.evaluation($0) } }
    self.ignore = ignore.map { $0.map { context.evaluation($0) } }
    noise = text.map { TextNoise($0, context) }
  }

  /// Whether all differences are.
  var isEverything: Bool { watch == nil && ignore == nil && noise == nil }

  /// The differences to report; none when the values differ nowhere else.
  func differences(from before: Value, to after: Event, by key: Key?) throws -> [Difference] {
    let all = Value.differences(from: before, to: after.value, key: key)
    if isEverything { return all }
    let watched = try watch.map { try Self.paths($0, before, after) }
    let ignored = try ignore.map { try Self.paths($0, before, after) }
    return try all.filter { difference in
      if let noise, try noise.covers(difference, of: after) { return false }
      if let ignored, ignored.contains(where: { difference.path.isWithin($0) }) { return false }
      guard let watched else { return true }
      return watched.contains { difference.path.isWithin($0) || $0.isWithin(difference.path) }
    }
  }

  /// The places in either value that the expressions name.
  static func paths(_ expressions: [Evaluation], _ before: Value, _ after: Event) throws -> [Pointer] {
    var found: [Pointer] = []
    for expression in expressions {
      for event in [after.with(before), after] {
        try expression.each(event) { found.append(Pointer(path: $0)) }
      }
    }
    return found
  }
}

extension Pointer {
  /// The pointer of a path as jq writes it, an array of names and numbers.
  init(path: Value) {
    var steps: [String] = []
    path.forEachElement { steps.append($0.string ?? $0.description) }
    self.init(steps: steps)
  }
}
