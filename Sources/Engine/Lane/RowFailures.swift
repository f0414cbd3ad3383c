import JSON
import Language

/// The rows of polls on which a node fails: of each list that its events come from, an entry of a source or the source.
///
/// A failure is a loss when no row of a list is left that passes, or when rows that passed before fail in two polls: by
/// their keys where the source has some, otherwise by the numbers of rows that fail and that pass.
struct RowFailures: Sendable {
  /// The rows of one poll.
  struct Rows: Sendable {
    let poll: Poll
    /// The events that the node has taken.
    var taken = 0
    /// The events that it has failed on, and the keys of their rows.
    var failed = 0
    var keys: Set<Value> = []
    /// The first of these rows, and why.
    var reason = ""
  }

  /// The outcome of a poll for its list, if there is one to report.
  enum Change: Sendable, Equatable {
    case failed, lost
    case recovered(since: Double, polls: Int)
  }

  fileprivate struct Open: Sendable {
    var since: Double
    var polls = 0
    var rows: (failed: Int, taken: Int) = (0, 0)
    var reason = ""
    var keys: Set<Value> = []
    /// The keys of rows that passed before, with the number of polls in which they have failed.
    var lost: [Value: Int] = [:]
    var isLoss = false
  }

  fileprivate struct List: Sendable {
    let entry: Value?
    var open: Open?
    /// The rows that failed and that passed in the last poll that was as the one before.
    var usual: (failed: Int, passed: Int)?
    /// The number of polls since then.
    var unusual = 0
  }

  private static let pollsOfLoss = 2

  private var lists: [String: List] = [:]
  private var open: Set<String> = []

  func isOpen(_ poll: Poll) -> Bool { !open.isEmpty && open.contains(poll.list) }

  /// Notes a poll that has ended.
  mutating func take(_ rows: Rows) -> Change? {
    let name = rows.poll.list
    if rows.poll.gone != nil {
      let list = lists.removeValue(forKey: name)
      open.remove(name)
      return list?.open.map { .recovered(since: $0.since, polls: $0.polls) }
    }
    var list = lists[name] ?? List(entry: rows.poll.entry)
    defer { lists[name] = list }
    let isUnusual = list.compare(rows)
    guard rows.failed > 0 else {
      guard let over = list.open else { return nil }
      list.open = nil
      open.remove(name)
      return .recovered(since: over.since, polls: over.polls)
    }
    let (wasOpen, wasLoss) = (list.open != nil, list.open?.isLoss ?? false)
    var present = list.open ?? Open(since: rows.poll.at)
    present.polls += 1
    present.rows = (rows.failed, max(rows.taken, rows.failed))
    present.reason = rows.reason
    let before = rows.poll.keysBefore ?? []
    present.lost = rows.keys.reduce(into: [:]) { lost, key in
      if let polls = present.lost[key] {
        lost[key] = polls + 1
      } else if before.contains(key), !present.keys.contains(key) {
        lost[key] = 1
      }
    }
    present.keys = rows.keys
    let hasLost = rows.poll.keys == nil ? isUnusual : present.lost.values.contains { $0 >= Self.pollsOfLoss }
    present.isLoss = rows.failed >= rows.taken || hasLost
    list.open = present
    open.insert(name)
    if present.isLoss != wasLoss { return present.isLoss ? .lost : .failed }
    return wasOpen ? nil : .failed
  }

  /// The present outcome for the entry of a poll, or of all lists that are none.
  func outcome(of poll: Poll) -> PollOutcome.Result {
    if poll.gone != nil { return .gone }
    let failing = open.compactMap { lists[$0] }.filter { $0.entry == poll.entry }.compactMap(\.open)
    guard let first = failing.max(by: { !$0.isLoss && $1.isLoss }) else { return .good }
    return .failed(first.isLoss ? .lostRows : .rows, reason: first.text)
  }

  /// The status; nil while no row fails.
  var status: NodeStatus.Failing? {
    let failing = lists.filter { $0.value.open != nil }.compactMap { name, list in
      list.open.map { (entry: list.entry, name: name, open: $0) }
    }
    .sorted { a, b in
      a.open.isLoss == b.open.isLoss
        ? (a.open.since, a.name) < (b.open.since, b.name) : a.open.isLoss
    }
    guard let first = failing.first else { return nil }
    let entries = lists.values.allSatisfy { $0.entry != nil }
    let names = failing.compactMap { $0.entry.map(Entry.text(of:)) }
    var status = NodeStatus.Failing(
      since: failing.map(\.open.since).min() ?? first.open.since,
      polls: failing.map(\.open.polls).max() ?? 0, reason: first.open.reason)
    status.isLoss = first.open.isLoss
    status.entries = names
    status.isOfEntries = entries
    (status.number, status.total) =
      entries
      ? (failing.count, lists.count)
      : (failing.reduce(0) { $0 + $1.open.rows.failed }, failing.reduce(0) { $0 + $1.open.rows.taken })
    return status
  }
}

extension RowFailures.List {
  /// Compares the numbers of a poll with those that are usual; returns whether rows that passed now fail, for the second
  /// time.
  fileprivate mutating func compare(_ rows: RowFailures.Rows) -> Bool {
    if rows.poll.coverage == .partial { return unusual >= RowFailures.pollsOfLoss }
    let now = (failed: rows.failed, passed: max(0, rows.taken - rows.failed))
    if let usual, now.failed > usual.failed, now.passed < usual.passed {
      unusual += 1
    } else {
      (usual, unusual) = (now, 0)
    }
    return unusual >= RowFailures.pollsOfLoss
  }
}

extension RowFailures.Open {
  /// As in “fails on 3 of 12 rows: row 7: there is no amount”; of a single row only why.
  fileprivate var text: String {
    rows.taken == 1 ? reason : "fails on \(rows.failed) of \(rows.taken) rows: \(reason)"
  }
}
