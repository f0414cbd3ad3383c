import Engine
import JSON
import Language
import Reactive

/// A known row that the last polls did not have.
struct AbsentRow: StorableValue, JSONRecord, Equatable {
  /// The row as it was last accepted.
  var value: Value
  /// The time of the poll since which it is out of sight; or, once a poll has shown it gone, of the first that has.
  var since: Double
  /// How many polls have shown it gone; 0 while it is out of sight.
  var polls = 0
  var place: RowPlace?

  init(_ value: Value, since: Double, polls: Int = 0, place: RowPlace? = nil) {
    self.value = value
    self.since = since
    self.polls = polls
    self.place = place
  }

  static let form = RecordForm<Self>(
    Self.init(_:since:polls:place:), Field("row", \.value), Field("since", \.since),
    Field("polls", \.polls, unless: 0), Field("place", \.place))
}

/// The state machine of rows that are missing: those out of sight, and those whose removal is not confirmed yet.
///
/// A row leaves it when it returns, when its removal is confirmed, or when it has been out of sight for longer than it is
/// remembered. With more than `bound` rows, the one that was last written longest ago is forgotten.
struct AbsentRows<State: KeyedState>: Sendable
where State: Sendable, State.Key == Value, State.Value == AbsentRow {
  private(set) var state: State
  /// The confirmation that a removal requires.
  let confirmation: PollsOrTime
  /// In seconds.
  private let lifetime: Double
  private let bound: Int

  init(state: State, confirmation: PollsOrTime, lifetime: Double, bound: Int) {
    self.state = state
    self.confirmation = confirmation
    self.lifetime = lifetime
    self.bound = max(1, bound)
  }

  var count: Int { state.count }

  func contains(_ key: Value) -> Bool { state.contains(key) }

  func forEach(_ body: (Value, AbsentRow) -> Void) { state.forEach(body) }

  /// A row that the poll at `now` should have had; returns whether that confirms its removal.
  mutating func lose(_ key: Value, _ value: Value, _ place: RowPlace?, at now: Double) -> Bool {
    if confirmation.isMet(polls: 1, since: now, now: now) { return true }
    insert(AbsentRow(value, since: now, polls: 1, place: place), for: key)
    return false
  }

  /// A row that may lie beyond the horizon of the poll at `now`.
  mutating func hide(_ key: Value, _ value: Value, _ place: RowPlace?, at now: Double) {
    insert(AbsentRow(value, since: now, place: place), for: key)
  }

  /// A row that has returned; nil if it is none of these.
  mutating func bringBack(_ key: Value) -> AbsentRow? { state.count == 0 ? nil : state.remove(key) }

  /// Takes out the rows whose removal the poll at `now` confirms; `isWaiting` if some of them need another one.
  mutating func confirm(
    at now: Double, _ isGone: (RowPlace?) -> Bool
  ) -> (confirmed: [(key: Value, before: Value)], isWaiting: Bool) {
    var missing: [(key: Value, row: AbsentRow)] = []
    state.forEach { key, row in
      if isGone(row.place) { missing.append((key, row)) }
    }
    var confirmed: [(key: Value, before: Value)] = []
    for (key, row) in missing {
      var row = row
      if row.polls == 0 { row.since = now }
      row.polls += 1
      if confirmation.isMet(polls: row.polls, since: row.since, now: now) {
        state.remove(key)
        confirmed.append((key, row.value))
      } else {
        state.set(row, for: key)
      }
    }
    return (confirmed, confirmed.count < missing.count)
  }

  /// Forgets the rows out of sight whose lifetime is over at `now`.
  ///
  /// A removal that waits for its confirmation is still to be reported, however long that takes, or whatever the clock
  /// was set to.
  mutating func forget(at now: Double) {
    for _ in 0..<state.count {
      guard let oldest = state.oldest, now - oldest.value.since > lifetime else { return }
      state.remove(oldest.key)
      if oldest.value.polls > 0 { state.set(oldest.value, for: oldest.key) }
    }
  }

  private mutating func insert(_ row: AbsentRow, for key: Value) {
    state.set(row, for: key)
    if state.count > bound { state.forget(beyond: bound) }
  }
}
