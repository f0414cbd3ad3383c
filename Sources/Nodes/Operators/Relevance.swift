import JSON
import Engine
import Language

/// Which differences between two values are told: those at some places, or all but those.
struct Relevance {
  /// Their outputs are paths.
  private let watch: [Evaluation]?
  private let ignore: [Evaluation]?

  init(watch: [Evaluation]?, ignore: [Evaluation]?) {
    self.watch = watch
    self.ignore = ignore
  }

  /// The differences that matter; none when nothing that matters differs.
  func differences(from before: Value, to after: Event, by key: Key?) throws -> [Difference] {
    let all = Value.differences(from: before, to: after.value, key: key)
    guard watch != nil || ignore != nil else { return all }
    let earlier = after.with(before)
    let paths = (watch: try paths(watch, earlier, after), ignore: try paths(ignore, earlier, after))
    return all.filter { difference in
      if let ignored = paths.ignore, ignored.contains(where: { difference.path.isWithin($0) }) {
        return false
      }
      guard let watched = paths.watch else { return true }
      return watched.contains { difference.path.isWithin($0) || $0.isWithin(difference.path) }
    }
  }

  /// The places in either value that the expressions name.
  private func paths(_ expressions: [Evaluation]?, _ before: Event, _ after: Event) throws -> [Pointer]? {
    guard let expressions else { return nil }
    var found: [Pointer] = []
    for expression in expressions {
      for event in [before, after] { try expression.each(event) { found.append(Pointer(path: $0)) } }
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

  /// Whether it is that place or lies beneath it.
  func isWithin(_ other: Pointer) -> Bool { steps.starts(with: other.steps) }
}
