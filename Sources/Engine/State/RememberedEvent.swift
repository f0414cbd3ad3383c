import Language
import System
import JSON
import Reactive

// Events and times as they are kept between runs.

extension Instant: Remembered {
  /// In seconds since 1970, to the microsecond, which a number in JSON tells exactly.
  public init?(remembered value: Value) {
    guard let seconds = value.double else { return nil }
    let limit = 9.2e9
    let microseconds = (min(max(seconds, -limit), limit) * 1e6).rounded()
    self.init(nanoseconds: abs(seconds) < limit ? Int64(microseconds) * 1000 : seconds < 0 ? .min : .max)
  }

  public var remembered: Value { .number(Double(nanoseconds / 1000) / 1e6) }

  public var storedSize: Int { 24 }
}

extension Poll {
  convenience init?(remembered value: Value) {
    guard let source = value.member("source")?.string, let at = value.member("at")?.double else { return nil }
    let number = value.member("poll")?.double.flatMap { Int(exactly: $0) } ?? 0
    self.init(source: source, number: number, at: at, notes: value.member("notes") ?? .emptyObject)
    if value.member("torn") != nil { tear() }
  }

  /// The members that a poll is kept as, beside those of what came with it.
  var remembered: [(String, Value)] {
    var members: [(String, Value)] = [("source", .string(source)), ("at", .number(at))]
    if number > 0 { members.append(("poll", .number(number))) }
    if notes != .emptyObject { members.append(("notes", notes)) }
    if isTorn { members.append(("torn", .bool(true))) }
    return members
  }
}

extension Event: Remembered {
  public init?(remembered value: Value) {
    guard let poll = Poll(remembered: value), let own = value.member("value") else { return nil }
    self.init(own, poll)
  }

  public var remembered: Value { .record([("value", value)] + poll.remembered) }
}

extension Signal: Remembered {
  public init?(remembered value: Value) {
    if let event = Event(remembered: value) {
      self = .event(event)
    } else if let poll = Poll(remembered: value) {
      self = .endOfPoll(poll)
    } else {
      return nil
    }
  }

  public var remembered: Value {
    switch self {
    case .event(let event): event.remembered
    case .endOfPoll(let poll): .record(poll.remembered)
    }
  }
}
