import JSON
import Engine
import Language
import Reactive

/// Decides what is told at once and what waits to be told together, so that nobody is told more than so often.
///
/// A digest counts as one that was told. The time is handed in; whoever owns this asks again when `due` has come.
struct NotifyWindow {
  /// So many titles are kept of those that wait.
  static let kept = 10

  private let limit: AtMost
  /// When the last ones were told, as many as the limit has.
  private var told: [Instant] = []
  private var titles: [String] = []
  private var waiting = 0

  init(_ limit: AtMost) { self.limit = limit }

  /// What is told of those that have waited.
  struct Digest: Equatable {
    var count: Int
    /// The first of their titles, and how many more there are.
    var body: String
  }

  /// Whether something may be told now; if not, it waits.
  mutating func take(_ title: String, at now: Instant) -> Bool {
    if waiting == 0, hasRoom(at: now) {
      note(now)
      return true
    }
    waiting += 1
    if titles.count < Self.kept { titles.append(title) }
    return false
  }

  /// When what waits may be told; nil when nothing does.
  var due: Instant? {
    guard waiting > 0 else { return nil }
    return told.count < limit.number ? Instant() : told.first.map { $0 + limit.period }
  }

  /// Takes out what waits, if it may be told now, or in any case.
  mutating func digest(at now: Instant, inAnyCase: Bool = false) -> Digest? {
    guard waiting > 0, inAnyCase || hasRoom(at: now) else { return nil }
    note(now)
    let more = waiting - titles.count
    let digest = Digest(
      count: waiting, body: (titles + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n"))
    titles = []
    waiting = 0
    return digest
  }

  /// Goes on as another has left it.
  mutating func resume(_ before: Value) {
    told = (before.member("told")?.items ?? []).compactMap { Instant(remembered: $0) }.suffix(limit.number)
    titles = (before.member("titles")?.items ?? []).compactMap(\.string)
    waiting = before.member("waiting")?.double.flatMap { Int(exactly: $0) } ?? 0
  }

  var remembered: Value {
    .record([
      ("told", .array(told.map(\.remembered))), ("titles", .array(titles.map { .string($0) })),
      ("waiting", .number(waiting)),
    ])
  }

  private func hasRoom(at now: Instant) -> Bool {
    guard told.count == limit.number, let first = told.first else { return true }
    return now >= first + limit.period
  }

  private mutating func note(_ now: Instant) {
    if told.count == limit.number { told.removeFirst() }
    told.append(now)
  }
}
