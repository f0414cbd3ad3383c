import JSON
import Engine
import Language

/// Which differences between two values are reported: those at some places, or all but those, and what counts in texts.
struct Relevance {
  private let watch: Places?
  private let ignore: Places?
  private let noise: TextNoise?
  /// The scope for rows that have the places as they are written.
  private let scope: DifferenceScope

  init(
    watch: [Expression]?, ignore: [Expression]?, text: Options?, evaluation: (Expression) -> Evaluation
  ) {
    self.watch = watch.map { Places($0, evaluation) }
    self.ignore = ignore.map { Places($0, evaluation) }
    noise = text.map { TextNoise($0, evaluation: evaluation) }
    scope = DifferenceScope(watched: self.watch?.pointers, ignored: self.ignore?.pointers ?? [])
  }

  /// Whether each difference in the scope is reported, since no text is compared in its own way.
  var hasNoTextFilter: Bool { noise == nil }

  /// Where the differences of two values are reported.
  func scope(_ before: Value, _ after: Event) throws -> DifferenceScope {
    if watch?.areFixed(in: before, after.value) ?? true, ignore?.areFixed(in: before, after.value) ?? true {
      return scope
    }
    return DifferenceScope(
      watched: try watch?.pointers(in: before, after), ignored: try ignore?.pointers(in: before, after) ?? [])
  }

  /// The differences to report; none when the values differ nowhere else.
  func differences(from before: Value, to after: Event, by key: Key?) throws -> [Difference] {
    let all = Value.differences(from: before, to: after.value, key: key, in: try scope(before, after))
    guard let noise else { return all }
    return try all.filter { try !noise.covers($0, of: after) }
  }
}

/// The places in a row that path expressions name.
struct Places {
  private let places: [Evaluation]
  /// The names of paths such as `.status.name`, if all are: they name the same place in each row.
  private let names: [[Key]]?
  /// Their pointers; none where a place has to be computed.
  let pointers: [Pointer]

  init(_ expressions: [Expression], _ evaluation: (Expression) -> Evaluation) {
    places = expressions.map(evaluation)
    let names = expressions.compactMap(\.names)
    let areFixed = names.count == expressions.count
    self.names = areFixed ? names.map { $0.map { Key($0) } } : nil
    pointers = areFixed ? names.map { Pointer(steps: $0) } : []
  }

  /// Whether the names lead through objects, so that `pointers` are the places.
  func areFixed(in before: Value, _ after: Value) -> Bool {
    guard let names else { return false }
    return Self.lead(names, through: before) && Self.lead(names, through: after)
  }

  private static func lead(_ names: [[Key]], through row: Value) -> Bool {
    for path in names {
      var value = row
      for name in path {
        if value.kind == .null { break }
        guard value.kind == .object else { return false }
        if path.count > 1 { value = value.member(name) ?? .null }
      }
    }
    return true
  }

  /// The places in either value.
  func pointers(in before: Value, _ after: Event) throws -> [Pointer] {
    if areFixed(in: before, after.value) { return pointers }
    var found: [Pointer] = []
    for place in places {
      for event in [after.with(before), after] {
        try place.each(event) { found.append(Pointer(path: $0)) }
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
