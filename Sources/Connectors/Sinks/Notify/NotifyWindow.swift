import Delivery
import JSON
import Engine
import Language
import Reactive

/// The rate limit of notifications: decides which are shown at once and which wait to be shown together, in a digest.
///
/// A digest counts as one notification. The time is passed in; the owner asks again at `due`.
struct NotifyWindow {
  /// How many titles of waiting notifications are kept.
  static let kept = 10

  private let limit: AtMost
  /// The times of the last notifications shown, as many as the limit has.
  private var told: [Instant] = []
  private var titles: [String] = []
  private var waiting = 0

  init(_ limit: AtMost) { self.limit = limit }

  /// The notification for those that have waited.
  struct Digest: Equatable {
    var count: Int
    /// The first titles, and the number of the others.
    var body: String
  }

  /// Whether a notification may be shown now; if not, it waits.
  mutating func take(_ title: String, at now: Instant) -> Bool {
    if waiting == 0, hasRoom(at: now) {
      note(now)
      return true
    }
    waiting += 1
    if titles.count < Self.kept { titles.append(title) }
    return false
  }

  /// When the digest may be shown; nil when nothing waits.
  var due: Instant? {
    guard waiting > 0 else { return nil }
    return told.count < limit.number ? Instant() : told.first.map { $0 + limit.period }
  }

  /// Removes and returns what waits, if it may be shown now or must be.
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

  /// Resumes the stored state of another.
  mutating func resume(_ before: Value) {
    told = (before.member("told")?.items ?? []).compactMap { Instant(jsonValue: $0) }.suffix(limit.number)
    titles = (before.member("titles")?.items ?? []).compactMap(\.string)
    waiting = Int(member: before.member("waiting")) ?? 0
  }

  var jsonValue: Value {
    .record([
      ("told", .array(told.map(\.jsonValue))), ("titles", .array(titles.map { .string($0) })),
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
