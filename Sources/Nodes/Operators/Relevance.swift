import JSON
import Engine
import Language

/// Which differences between two values are reported: those at some places, or all but those.
struct Relevance {
  /// Their outputs are paths.
  private let watch: [Evaluation]?
  private let ignore: [Evaluation]?

  init(watch: [Evaluation]?, ignore: [Evaluation]?) {
    self.watch = watch
    self.ignore = ignore
  }

  /// Whether all differences are.
  var isEverything: Bool { watch == nil && ignore == nil }

  /// The differences to report; none when the values differ nowhere else.
  func differences(from before: Value, to after: Event, by key: Key?) throws -> [Difference] {
    let all = Value.differences(from: before, to: after.value, key: key)
    guard watch != nil || ignore != nil else { return all }
    let watched = try watch.map { try Self.paths($0, before, after) }
    let ignored = try ignore.map { try Self.paths($0, before, after) }
    return all.filter { difference in
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
