import Engine
import JSON
import Language

/// A row of a poll, with what only the poll knows of it.
struct PolledRow {
  let key: Value
  let event: Event
  /// Whether the poll before would have had it.
  let isNews: Bool
  /// Its place, in a list in which places decide what is gone.
  let place: RowPlace?
}

/// The poll of a source that has begun and not ended.
///
/// A poll mostly begins and ends within one turn, and this stays in memory. Where a step before `changes` sends its
/// rows over several turns, it is stored with each of them, so that the next run continues it.
final class OpenPoll {
  /// The identity of a poll among those of its source.
  struct ID: Equatable {
    let number: Int
    let at: Double

    init(number: Int, at: Double) { (self.number, self.at) = (number, at) }
    init(_ poll: Poll) { self.init(number: poll.number, at: poll.at) }
  }

  private(set) var id: ID?
  /// Its rows so far, which wait for its end: only then is it known whether another one has the same key.
  private(set) var rows: [PolledRow] = []
  /// How many rows of the snapshot it has.
  private(set) var knownCount = 0
  private let hasDurableState: Bool
  private var queue: NodeQueue<Part>
  private var part: Part?
  private var turn = 0

  init(_ queue: NodeQueue<Part>, hasDurableState: Bool) {
    self.queue = queue
    self.hasDurableState = hasDurableState
  }

  /// The parts that the last run has left of a poll that it was in the middle of.
  var left: [Part] { queue.waiting }

  func begin(_ id: ID) { self.id = id }

  /// Takes a row of the poll.
  func take(_ row: PolledRow, isKnown: Bool, turn: Int) {
    continueWith(row, isKnown: isKnown)
    guard hasDurableState, let id else { return }
    if part == nil || turn != self.turn {
      let part = Part(id)
      queue.append(part)
      (self.part, self.turn) = (part, turn)
    }
    part?.add(row)
  }

  /// Takes a row that the last run had taken.
  func continueWith(_ row: PolledRow, isKnown: Bool) {
    rows.append(row)
    if isKnown { knownCount += 1 }
  }

  func end() {
    if part != nil || id != nil { queue.removeAll() }
    (id, rows, knownCount, part) = (nil, [], 0, nil)
  }
}

extension OpenPoll {
  /// The rows that one turn has brought, as they are stored; encoded when the turn is committed.
  struct Part: StorableValue {
    let id: ID
    /// Whether an earlier version has compared the rows already; only their keys are there.
    let isCompared: Bool
    private let rows: LaneLocal<[PolledRow]>

    init(_ id: ID, isCompared: Bool = false, _ rows: [PolledRow] = []) {
      self.id = id
      self.isCompared = isCompared
      self.rows = LaneLocal(rows)
    }

    func add(_ row: PolledRow) { rows.value.append(row) }

    var all: [PolledRow] { rows.value }

    init?(jsonValue value: Value) {
      guard let number = Int(member: value.member("poll")),
        let at = value.member("at")?.double, let source = value.member("source")?.string,
        let rows = value.member("rows")?.items
      else { return nil }
      let poll = Poll(source: source, number: number, at: at)
      self.init(
        ID(number: number, at: at), isCompared: value.member("wait")?.isTruthy != true,
        rows.compactMap { row in
          guard let key = row.member("key") else { return nil }
          return PolledRow(
            key: key, event: Event(member: row.member("event")) ?? Event(.null, poll),
            isNews: row.member("news")?.isTruthy ?? true,
            place: RowPlace(member: row.member("place")))
        })
    }

    var jsonValue: Value {
      .record([
        ("poll", .number(id.number)), ("at", .number(id.at)), ("wait", .bool(!isCompared)),
        ("source", .string(all.first?.event.poll.source ?? "")), ("rows", .array(all.map(row))),
      ])
    }

    private func row(_ row: PolledRow) -> Value {
      if isCompared { return .record([("key", row.key)]) }
      var members = [("key", row.key), ("event", row.event.jsonValue)]
      if !row.isNews { members.append(("news", .bool(false))) }
      if let place = row.place { members.append(("place", place.jsonValue)) }
      return .record(members)
    }
  }
}
