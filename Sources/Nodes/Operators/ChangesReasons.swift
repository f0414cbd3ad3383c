import Engine
import JSON
import Language

/// The reasons why a `changes` has reported nothing of rows, for explanations of runs that are over.
///
/// It is given the rows of a list poll by poll, and compares them by the rules of the step.
package struct ChangesReasons {
  private struct Known {
    var row: Value
    /// Since which poll the row is missing, and from how many in turn; none where it may only be out of sight.
    var absence: (since: Double, polls: Int)?
  }

  private let options: Options
  private let relevance: Relevance
  private let tolerances: Tolerances
  private var rows: [Value: Known] = [:]
  private var hasBegun = false
  /// Whether the last poll was held back.
  private var isHeld = false

  /// Nil for other steps.
  package init?(_ step: StepPlan, in world: World) {
    guard step.spec.kind == changes.kind else { return nil }
    options = step.options
    relevance = ChangesOptions.relevance(options) { Evaluation($0, in: world) }
    tolerances = ChangesOptions.tolerances(options) { Evaluation($0, in: world) }
  }

  /// The reasons for the rows of the next poll, one each; nil for a row that is reported, and where it is not known.
  package mutating func take(
    _ taken: [(key: Value, event: Event)], of poll: Poll, isFirst: Bool
  ) -> [String?] {
    var reasons = [String?](repeating: nil, count: taken.count)
    var byKey: [Value: [Int]] = [:]
    for (index, row) in taken.enumerated() { byKey[row.key, default: []].append(index) }
    // Without polls each row is compared as it comes.
    if poll.number == 0 {
      for (index, row) in taken.enumerated() { reasons[index] = compare(row.key, row.event, isFirst) }
      return reasons
    }
    var counted: [Int] = []
    for places in byKey.values {
      let place = chosen(places, of: taken)
      if let place { counted.append(place) }
      for other in places where other != place {
        reasons[other] = repetition(places.map { taken[$0].event.value }, isCounted: place != nil)
      }
    }
    let inSight = rows.filter { $0.value.absence == nil }
    let missing = inSight.keys.filter { byKey[$0] == nil }
    let loss = "its poll lacks \(missing.count) of \(inSight.count) rows"
    let decision =
      hasBegun
      ? options[ChangesOptions.suddenLoss]?.decide(
        missing: missing.count, of: inSight.count, isWhole: poll.isComplete && !poll.isStale,
        isConfirming: isHeld) : nil
    if decision == .hold {
      isHeld = true
      for place in counted {
        reasons[place] = "\(loss), so that nothing of it counts unless the next one confirms it (sudden_loss)"
      }
      return reasons
    }
    for place in counted.sorted() {
      let row = taken[place]
      if decision == .acceptKnown, rows[row.key] == nil {
        reasons[place] =
          "\(loss) and is partial or stale, so that only rows that are known count (sudden_loss)"
      } else {
        reasons[place] = compare(row.key, row.event, isFirst)
      }
    }
    hasBegun = true
    if decision == .acceptKnown { return reasons }
    isHeld = false
    note(absentFrom: poll, byKey)
    return reasons
  }

  /// Why a row that the last polls have not had is not removed; nil where they have it, or it has been removed.
  package func reasonForAbsence(of key: Value) -> String? {
    guard let absence = rows[key]?.absence else { return nil }
    if absence.polls == 0 { return "it may only be out of sight, since the polls do not have the whole list" }
    let polls = absence.polls == 1 ? "one poll" : "\(absence.polls) polls in turn"
    return
      "it is missing from \(polls), since \(timestamp(absence.since)), and is only removed by removed_after: \(shownRemoval)"
  }

  // MARK: - Rows

  private mutating func compare(_ key: Value, _ event: Event, _ isFirst: Bool) -> String? {
    guard let known = rows.updateValue(Known(row: event.value), forKey: key) else {
      return isFirst ? "it is the first of its key: the baseline that later polls are compared with" : nil
    }
    var back = ""
    if let absence = known.absence {
      back =
        absence.polls > 0
        ? "it had been missing for less than removed_after: \(shownRemoval), and "
        : "it had been out of sight, and "
    }
    if known.row == event.value {
      return back
        + (back.isEmpty && event.poll.number > 0 ? "it is as in the poll before" : "it is as it was before")
    }
    let all = Value.differences(from: known.row, to: event.value).map(\.path.description)
    let shown = all.prefix(5).map { $0.isEmpty ? "the whole" : $0 }.joined(separator: ", ")
    guard let found = try? relevance.differences(from: known.row, to: event, by: nil),
      let isTolerated = try? tolerances.cover(found, from: known.row, to: event)
    else { return nil }
    if isTolerated {
      // The next one is compared with the value that was reported.
      rows[key]?.row = known.row
      return "\(back)it differs from the value that counts in \(shown) by less than the tolerance"
    }
    let difference = "\(back)it differs from the one before in \(shown), which it does not report"
    if found.isEmpty { return difference }
    return options[ChangesOptions.types].contains(.changed) ? nil : difference + ": see its types"
  }

  /// The row that counts of those with one key.
  private func chosen(_ places: [Int], of taken: [(key: Value, event: Event)]) -> Int? {
    switch options[ChangesOptions.duplicates] {
    case .last: return places.last
    case .first: return places.first
    case .error:
      return places.allSatisfy { taken[$0].event.value == taken[places[0]].event.value } ? places.first : nil
    }
  }

  private func repetition(_ values: [Value], isCounted: Bool) -> String {
    if isCounted { return "another row of its poll has the same key, and counts instead" }
    let paths = values.lazy.map { Value.differences(from: values[0], to: $0) }.first { !$0.isEmpty } ?? []
    return
      "\(values.count) rows of its poll have this key and differ in "
      + paths.prefix(3).map(\.path.description).joined(separator: ", ")
      + ", so that none of them is compared, which is an error (duplicates)"
  }

  private mutating func note(absentFrom poll: Poll, _ byKey: [Value: [Int]]) {
    if poll.coverage == .partial || poll.isStale || !poll.isComplete { return }
    for key in rows.keys where byKey[key] == nil {
      guard poll.coverage == .complete else {
        if rows[key]?.absence == nil { rows[key]?.absence = (poll.at, 0) }
        continue
      }
      let former = rows[key]?.absence.flatMap { $0.polls > 0 ? $0 : nil }
      let absence = (since: former?.since ?? poll.at, polls: (former?.polls ?? 0) + 1)
      let isRemoved = options[ChangesOptions.removedAfter].isMet(
        polls: absence.polls, since: absence.since, now: poll.at)
      if isRemoved { rows[key] = nil } else { rows[key]?.absence = absence }
    }
  }

  private var shownRemoval: String {
    switch options[ChangesOptions.removedAfter] {
    case .polls(let count): "\(count)"
    case .time(let time): DurationText.format(time)
    }
  }
}
