import JSON
import Language
import Reactive
import Store
import System

/// A value that a node stores between runs, as JSON, so that people can read it there.
public protocol StorableValue: Storable, JSONConvertible {}

extension StorableValue {
  public init?(stored bytes: [UInt8]) { self.init(json: bytes) }

  public var stored: [UInt8] { jsonValue.json }

  public var storedSize: Int { 256 }
}

extension Value: StorableValue {}
extension Bool: StorableValue {}

extension Value {
  /// The bytes under which a key is stored: equal for equal keys.
  @usableFromInline var keyBytes: [UInt8] { canonicalBytes }

  /// The key that was stored under these bytes.
  @usableFromInline init(keyBytes: [UInt8]) { self = (try? Value.parse(keyBytes)) ?? .null }
}

// Events and times as they are stored.

extension Instant: StorableValue {
  /// In seconds since 1970, to the microsecond, which a JSON number holds exactly.
  public init?(jsonValue value: Value) {
    guard let seconds = value.double else { return nil }
    let limit = 9.2e9
    let microseconds = (min(max(seconds, -limit), limit) * 1e6).rounded()
    self.init(nanoseconds: abs(seconds) < limit ? Int64(microseconds) * 1000 : seconds < 0 ? .min : .max)
  }

  public var jsonValue: Value { .number(Double(nanoseconds / 1000) / 1e6) }

  public var storedSize: Int { 24 }
}

extension Poll {
  convenience init?(jsonValue value: Value) {
    guard let source = value.member("source")?.string, let at = value.member("at")?.double else { return nil }
    let number = Int(member: value.member("poll")) ?? 0
    self.init(
      source: source, number: number, at: at, notes: value.member("notes") ?? .emptyObject,
      coverage: Coverage(value) ?? .complete)
    if value.member("torn") != nil { markMissingEvents() }
  }

  /// The members that a poll is stored as, beside those of its event.
  var jsonValue: [(String, Value)] {
    var members: [(String, Value)] = [("source", .string(source)), ("at", .number(at))]
    if number > 0 { members.append(("poll", .number(number))) }
    if notes != .emptyObject { members.append(("notes", notes)) }
    if coverage != .complete { members += coverage.members }
    if isMissingEvents { members.append(("torn", .bool(true))) }
    return members
  }
}

extension Event: StorableValue {
  /// An entry without a value is the end of a poll.
  public init?(jsonValue value: Value) {
    guard let poll = Poll(jsonValue: value) else { return nil }
    let row = value.member("row")?.double.flatMap { Int32(exactly: $0) } ?? Event.none
    self = value.member("value").map { Event($0, poll, row: row) } ?? .end(of: poll)
  }

  public var jsonValue: Value {
    var members = isEndOfPoll ? [] : [("value", value)]
    // Rows of two entries may have one key.
    if entry != nil { members.append(("row", .number(Int(row)))) }
    return .record(members + poll.jsonValue)
  }
}
