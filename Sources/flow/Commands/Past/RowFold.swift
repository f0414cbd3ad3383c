import Engine
import JSON
import Language

/// A flaw of a change in a log.
enum ChangeFlaw {
  /// The change contradicts itself.
  case alone(String)
  /// It contradicts the change of the row before it, of which the log may say nothing.
  case beside(String)
}

/// The rows that a log of changes adds up to, and what contradicts itself in it.
///
///     var fold = RowFold()
///     if let flaw = fold.apply(change) { … }
///     fold.rows  // in the order in which they came
struct RowFold {
  /// The members in which a row must be as the change before has left it; nil for the whole row.
  private let fields: Set<Key>?
  /// Whether a difference does not count.
  private let isNoise: (Difference) -> Bool
  /// The rows in the order in which they came, those that are gone among them.
  private var slots: [(key: Value, row: Value)] = []
  private var places: [Value: Int] = [:]
  /// The keys that have been heard of, each with its latest time: one that is not may have been there before the log begins.
  ///
  /// Times are in order by key only, since several sources or entries of a list are polled beside each other.
  private var known: [Value: Double] = [:]
  /// Places of rows that are gone.
  private var gone = 0
  /// Whether rows were there before the log begins, as after the first poll of `changes`.
  private(set) var hasBaseline = false

  init(comparing fields: Set<Key>? = nil, besides isNoise: @escaping (Difference) -> Bool = { _ in false }) {
    (self.fields, self.isNoise) = (fields, isNoise)
  }

  func row(of key: Value) -> Value? { places[key].map { slots[$0].row } }

  /// Whether the log has had the row, and it is gone.
  func hasRemoved(_ key: Value) -> Bool { known[key] != nil && places[key] == nil }

  /// The rows that are there, in the order in which they came.
  var rows: [(key: Value, row: Value)] {
    slots.enumerated().filter { places[$0.element.key] == $0.offset }.map(\.element)
  }

  /// A row that was there before the log begins.
  mutating func assume(_ row: Value, for key: Value) {
    guard known[key] == nil else { return }
    known[key] = -.infinity
    set(row, for: key)
  }

  /// Carries out a change; returns what is wrong with it.
  mutating func apply(_ change: Change) -> ChangeFlaw? {
    let (key, at) = (change.key, change.time)
    let (before, after) = (change.before, change.after)
    let latest = known[key]
    defer {
      known[key] = max(latest ?? -.infinity, at ?? -.infinity)
      if let after { set(after, for: key) } else { remove(key) }
    }
    if let flaw = change.flaw { return .alone(flaw) }
    if let at, let latest, at < latest { return .beside("it is earlier than the change before") }
    guard latest != nil else {
      if change.sort != .added { hasBaseline = true }
      return nil
    }
    let row = row(of: key)
    switch (change.sort, row) {
    case (.added, _?): return .beside("the row is there already")
    case (.added, nil): return nil
    case (_, nil): return .beside("the row has been removed before")
    case (_, let row?):
      return before.map { agrees(row, $0) } == true
        ? nil : .beside("the row before is not the one that the last change has left")
    }
  }

  private func agrees(_ row: Value, _ before: Value) -> Bool {
    if row == before { return true }
    return Value.differences(from: row, to: before).allSatisfy { difference in
      if isNoise(difference) { return true }
      guard let fields, let name = difference.path.steps.first else { return false }
      return !fields.contains(Key(name))
    }
  }

  private mutating func set(_ row: Value, for key: Value) {
    if let place = places[key] {
      slots[place].row = row
    } else {
      places[key] = slots.count
      slots.append((key, row))
    }
  }

  private mutating func remove(_ key: Value) {
    guard places.removeValue(forKey: key) != nil else { return }
    gone += 1
    if gone < 1000 || gone < slots.count / 2 { return }
    let rest = rows
    (slots, gone) = (rest, 0)
    places = Dictionary(uniqueKeysWithValues: rest.enumerated().map { ($0.element.key, $0.offset) })
  }
}

extension Change {
  /// The row that was there; nil where there was none.
  var before: Value? { side("before") }
  /// The row that is there; nil where there is none.
  var after: Value? { side("after") }

  private func side(_ name: Key) -> Value? {
    value.member(name).flatMap { $0.isNull ? nil : $0 }
  }

  /// Whether it has a JSON Patch instead of rows.
  var isPatch: Bool { value.member("patch") != nil }

  /// When it was noticed.
  var time: Double? { at.flatMap { $0.double ?? $0.string.flatMap { TailTime.moment($0) } } }

  /// The flaw of the change by itself.
  fileprivate var flaw: String? {
    if at != nil, time == nil { return "its time is no time" }
    switch sort {
    case .added where before != nil: return "an added row has no row before"
    case .added where after == nil, .changed where after == nil: return "it lacks the row after"
    case .changed where before == nil, .removed where before == nil: return "it lacks the row before"
    case .removed where after != nil: return "a removed row has no row after"
    case .changed where before == after: return "nothing has changed"
    default: return flawOfDiff
    }
  }

  /// The flaw of its list of differences, as far as they are of whole members.
  private var flawOfDiff: String? {
    guard sort == .changed, let before, let after else { return nil }
    for entry in value.member("diff")?.items ?? [] {
      guard let path = entry.member("path")?.string, path.hasPrefix("/"),
        !path.dropFirst().contains(where: { "/~".contains($0) })
      else { continue }
      let name = Key(String(path.dropFirst()))
      if before.member(name) != entry.member("before") || after.member(name) != entry.member("after") {
        return "diff disagrees with the rows at \(path)"
      }
    }
    return nil
  }
}
