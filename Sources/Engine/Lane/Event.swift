import Language
import System
import JSON
import Synchronization

/// An event: one JSON value on its way, and the poll it came with.
///
/// The end of a poll travels in the same line, so that it stays in order behind the events of its poll wherever they
/// are merged, shared or moved to another thread. Steps and sinks never see it in `take`: it reaches their `endPoll`.
public struct Event: Sendable {
  public var value: Value
  public var poll: Poll
  /// Whether this is the end of its poll: every event of the poll has gone by, and there is no value.
  public let isEndOfPoll: Bool

  @inline(__always)
  public init(_ value: Value, _ poll: Poll) {
    self.value = value
    self.poll = poll
    isEndOfPoll = false
  }

  private init(endOf poll: Poll) {
    value = .null
    self.poll = poll
    isEndOfPoll = true
  }

  /// The end of a poll.
  public static func end(of poll: Poll) -> Event { Event(endOf: poll) }

  /// The same event with another value.
  @inline(__always)
  public func with(_ value: Value) -> Event { Event(value, poll) }

  /// The event without the text it was read from, to store it beyond its turn.
  public var detached: Event { isEndOfPoll ? self : Event(value.detach(), poll) }
}

/// A poll: one answer of a source, what its events have in common, and what expressions see as `$meta`.
public final class Poll: Sendable {
  /// The name that the pipeline gives the source.
  public let source: String
  /// Counted from one; zero where the source has no polls, as a file.
  public let number: Int
  /// When it was read, in seconds since 1970.
  public let at: Double
  /// What the source adds to `$meta`, an object.
  public let notes: Value
  private let incomplete = Atomic<Bool>(false)

  public init(source: String, number: Int = 0, at: Double, notes: Value = .emptyObject) {
    self.source = source
    self.number = number
    self.at = at
    self.notes = notes
  }

  /// Whether all of its events are there: not if the source could not read them all, or a step failed on one.
  public var isComplete: Bool { !incomplete.load(ordering: .relaxed) }

  func markIncomplete() { incomplete.store(true, ordering: .relaxed) }

  /// `$meta`: source, poll and time, and whatever the source adds.
  public var meta: Value {
    var meta = Value.emptyObject
    meta.setMember("source", .string(source))
    meta.setMember("poll", number == 0 ? .null : .number(number))
    meta.setMember("at", .string(timestamp(at)))
    meta.merge(notes)
    return meta
  }
}

/// A delivery: what a source hands to its pipeline at a time; the lane takes it in one turn.
public struct Delivery: Sendable {
  public var values: [Value]
  public var poll: Poll
  /// Whether the poll is complete with it.
  public var endsPoll: Bool
  /// Where the source would have to go on behind it, as JSON.
  public var position: Value?
  /// Whether everything has come that a run before this one can have read.
  public var isCaughtUp: Bool

  public init(
    _ values: [Value], _ poll: Poll, endsPoll: Bool, position: Value? = nil, isCaughtUp: Bool = false
  ) {
    self.values = values
    self.poll = poll
    self.endsPoll = endsPoll
    self.position = position
    self.isCaughtUp = isCaughtUp
  }
}
