import Decode
import Engine
import JSON
import Language

/// The facts about a stream that XINFO has; all zero where there is none.
struct RedisStreamFacts {
  var length = 0
  var first: RedisID?
  var last = RedisID.zero
  /// How many entries were ever added; nil before Redis 7.
  var added: Int?
  /// The last entry that was deleted by itself; nil before Redis 7.
  var lastDeleted: RedisID?

  init() {}

  init(_ answer: RESPValue) {
    let items = answer.items ?? []
    for index in stride(from: 0, to: items.count - 1, by: 2) {
      let value = items[index + 1]
      switch items[index].string {
      case "length": length = value.integer ?? 0
      case "last-generated-id": last = value.string.flatMap(RedisID.init) ?? .zero
      case "entries-added": added = value.integer
      case "max-deleted-entry-id": lastDeleted = value.string.flatMap(RedisID.init)
      case "first-entry": first = value.items?.first?.string.flatMap(RedisID.init)
      default: break
      }
    }
  }
}

/// How far a stream has been read: the id of the last entry, and how many entries were ever added up to it.
struct RedisProgress {
  let stream: String
  private(set) var id = RedisID.zero
  private(set) var isKnown = false
  /// Nil where the server does not count.
  private var count: Int?

  init(_ stream: String, _ position: Value?) {
    self.stream = stream
    guard position?.member("stream")?.string == stream,
      let id = position?.member("id")?.string.flatMap(RedisID.init)
    else { return }
    (self.id, isKnown, count) = (id, true, position?.member("count")?.double.map { Int($0) })
  }

  var position: Value {
    var members: [(String, Value)] = [
      ("stream", .string(stream)), ("id", .string("\(id)")), ("follow", .bool(true)),
    ]
    if let count { members.append(("count", .number(count))) }
    return .record(members)
  }

  /// Begins behind an entry.
  mutating func begin(behind id: RedisID, _ facts: RedisStreamFacts) {
    (self.id, isKnown) = (id, true)
    // Between the two ends it is not known how many come before it, until the end is reached.
    if let first = facts.first, id >= first {
      count = id >= facts.last ? facts.added : nil
    } else {
      count = facts.added.map { $0 - facts.length }
    }
  }

  mutating func advance(to id: RedisID, by number: Int) {
    self.id = id
    count = count.map { $0 + number }
  }

  /// Reports what was dropped before it was read, and what the server has lost.
  mutating func compare(with facts: RedisStreamFacts, _ log: NodeLog) {
    if id > facts.last {
      log.warning(
        facts.last == .zero
          ? "the stream \(stream) is empty, and was read up to \(id): it was deleted, or the server has lost it; it is read from its beginning"
          : "the stream \(stream) ends with \(facts.last), and was read up to \(id): the server has lost what it had; it is read on behind its end"
      )
      (id, count) = (facts.last, facts.added)
      return
    }
    defer {
      if id == facts.last { count = facts.added }
    }
    guard id < facts.last else { return }
    // The number of the first entry that is left.
    let before = facts.added.map { $0 - facts.length }
    if let first = facts.first, first <= id { return }
    if let count, let before, facts.lastDeleted.map({ $0 <= id }) ?? true {
      let missing = before - count
      if missing > 0 {
        log.warning(
          "the stream \(stream) has dropped \(missing == 1 ? "an entry" : "\(missing) entries") behind \(id) before \(missing == 1 ? "it was" : "they were") read"
        )
      }
    } else {
      log.warning("the stream \(stream) has dropped what was at \(id), and perhaps entries behind it, unread")
    }
    // Said once.
    count = before ?? count
    if let first = facts.first { id = max(id, first.before) }
  }

  /// How many entries are still to be read.
  func backlog(_ facts: RedisStreamFacts) -> Int {
    if let count, let added = facts.added { return max(0, added - count) }
    return id >= facts.last ? 0 : facts.length
  }
}

extension RedisID {
  /// The id before, behind which this one is read first.
  var before: RedisID {
    if number > 0 { return RedisID(time: time, number: number - 1) }
    return time > 0 ? RedisID(time: time - 1, number: .max) : .zero
  }
}
