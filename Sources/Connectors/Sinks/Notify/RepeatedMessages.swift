import Engine
import JSON
import Language
import Reactive

/// The notifications that are repeated until they are acknowledged, by key, stored for the next run.
struct RepeatedMessages {
  /// The number of keys; beyond it, the oldest is no longer repeated.
  static let bound = 1000

  struct Entry: Equatable {
    let key: String
    var message: Message
    /// When the key was first sent, in seconds since 1970.
    let since: Double
    var count: Int
    /// When it is sent again, by the time of the lane.
    var next: Instant
  }

  let interval: Duration
  private(set) var entries: [Entry] = []

  init(every interval: Duration) { self.interval = interval }

  /// When one is due; nil where none is repeated.
  var next: Instant? { entries.map(\.next).min() }

  /// Notes a notification that is sent now; returns the key that is given up for it, if there are too many.
  mutating func add(_ key: String, _ message: Message, at now: Instant, timeOfDay: Double) -> String? {
    if let place = entries.firstIndex(where: { $0.key == key }) {
      entries[place].message = message
      entries[place].count += 1
      entries[place].next = now + interval
      return nil
    }
    entries.append(Entry(key: key, message: message, since: timeOfDay, count: 1, next: now + interval))
    return entries.count > Self.bound ? entries.removeFirst().key : nil
  }

  /// Removes keys; returns those that were repeated.
  mutating func remove(_ keys: Set<String>) -> [Entry] {
    let removed = entries.filter { keys.contains($0.key) }
    entries.removeAll { keys.contains($0.key) }
    return removed
  }

  /// The messages that are due, which are sent again after the interval.
  mutating func due(at now: Instant) -> [Message] {
    var messages: [Message] = []
    for place in entries.indices where entries[place].next <= now {
      messages.append(entries[place].message)
      entries[place].count += 1
      entries[place].next = now + interval
    }
    return messages
  }

  /// Puts off what is due until a time.
  mutating func postpone(dueBy now: Instant, until later: Instant) {
    for place in entries.indices where entries[place].next <= now { entries[place].next = later }
  }

  /// Resumes what a run before has left; nothing waits longer than the interval, whatever the clock showed then.
  mutating func resume(_ value: Value, at now: Instant) {
    for item in (value.items ?? []).suffix(Self.bound) {
      guard let key = item.member("key")?.string, let since = item.member("since")?.double,
        let message = Message(member: item.member("message")),
        let next = Instant(member: item.member("next"))
      else { continue }
      let count = Int(member: item.member("count")) ?? 1
      entries.append(
        Entry(key: key, message: message, since: since, count: count, next: min(next, now + interval)))
    }
  }

  var jsonValue: Value {
    .array(
      entries.map { entry in
        .record([
          ("key", .string(entry.key)), ("since", .number(entry.since)), ("count", .number(entry.count)),
          ("next", entry.next.jsonValue), ("message", entry.message.jsonValue),
        ])
      })
  }
}

extension RepeatedMessages.Entry {
  var shown: Unacknowledged { Unacknowledged(key: key, title: message.title, since: since, count: count) }
}
