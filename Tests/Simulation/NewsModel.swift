import JSON
import Engine
import Language

/// A plain model of `changes` over polls that are truncated, partial or glitches: which changes each poll makes.
///
/// Rows are known by `.k`, and their place in the list is `.n`.
struct NewsModel {
  private struct Absent {
    var value: Value
    var polls: Int
    var place: Double?
  }

  let emitsFirst: Bool
  let removedAfter: Int
  private var coverage: Coverage?
  private var isHeld = false
  private var sight: [String: Value] = [:]
  private var places: [String: Double] = [:]
  private var absent: [String: Absent] = [:]
  private var rows: [Value] = []

  init(emitsFirst: Bool, removedAfter: Int) {
    (self.emitsFirst, self.removedAfter) = (emitsFirst, removedAfter)
  }

  mutating func take(_ row: Value) { rows.append(row) }

  /// The changes of a poll, as type, key and value after.
  mutating func end(_ poll: Poll, isComplete: Bool) -> [(type: String, key: String, after: Value?)] {
    defer { rows = [] }
    let keys = Set(rows.map(key))
    let missing = sight.keys.filter { !keys.contains($0) }
    let isLoss = coverage != nil && sight.count >= TriedStep.guardedRows && missing.count * 2 > sight.count
    if isLoss, isComplete, !isHeld {
      isHeld = true
      return []
    }
    var changes: [(type: String, key: String, after: Value?)] = []
    let isFirst = coverage == nil || coverage == .partial && sight.isEmpty
    let isReported = emitsFirst || coverage != nil
    for row in rows {
      let key = key(row)
      if let before = sight[key] ?? absent[key]?.value {
        if isReported, before != row { changes.append(("changed", key, row)) }
      } else if isLoss, !isComplete {
        continue
      } else if isReported, emitsFirst || isNews(row) {
        changes.append(("added", key, row))
      }
      absent[key] = nil
      sight[key] = row
      if case .truncated(let horizon?) = poll.coverage, !horizon.moves { places[key] = place(row) }
    }
    if isLoss, !isComplete { return changes }
    if isComplete { changes += lose(missing.sorted(), poll.coverage, isReported) }
    // What is seen first after a poll that could not be read in whole may have been there before.
    if poll.coverage != .partial || coverage == nil {
      coverage = isFirst && !isComplete ? .partial : poll.coverage
    }
    isHeld = false
    return changes
  }

  private mutating func lose(
    _ missing: [String], _ coverage: Coverage, _ isReported: Bool
  ) -> [(type: String, key: String, after: Value?)] {
    var removed: [String] = []
    for (key, row) in absent where isGone(row.place, coverage) {
      absent[key]?.polls += 1
      if row.polls + 1 >= removedAfter { removed.append(key) }
    }
    for key in missing {
      guard let value = sight.removeValue(forKey: key) else { continue }
      let place = places.removeValue(forKey: key)
      let isGone = isGone(place, coverage)
      absent[key] = Absent(value: value, polls: isGone ? 1 : 0, place: place)
      if isGone, removedAfter == 1 { removed.append(key) }
    }
    for key in removed { absent[key] = nil }
    return isReported ? removed.sorted().map { ("removed", $0, nil) } : []
  }

  private func isGone(_ place: Double?, _ coverage: Coverage) -> Bool {
    guard case .truncated(let horizon) = coverage else { return coverage == .complete }
    guard let horizon, !horizon.moves, let place else { return false }
    return place > horizon.last.double ?? 0
  }

  private func isNews(_ row: Value) -> Bool {
    guard case .truncated(let horizon?) = coverage else { return coverage != .partial }
    return !horizon.moves && place(row) > horizon.last.double ?? 0
  }

  private func key(_ row: Value) -> String { row.member("k")?.string ?? "" }
  private func place(_ row: Value) -> Double { row.member("n")?.double ?? 0 }
}
