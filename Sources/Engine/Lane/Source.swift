import JSON
import Language
import Reactive
import System

/// A source that reads on until its end, on a thread of its own.
public protocol StreamSource: AnyObject {
  /// Reads and sends until there is no more, or until `feed.isStopped`.
  ///
  /// What it throws ends the source; the pipeline goes on with the others, and ends with status 1.
  func run(_ feed: Feed) throws
}

/// A source that is asked now and then, by a schedule.
public protocol PollSource: AnyObject {
  /// Answers one poll; throws when there is no whole answer.
  func poll(_ poll: PollRequest) throws -> PollAnswer
}

/// What a poll is asked with.
public struct PollRequest: Sendable {
  public let source: String
  /// Counted from one.
  public let number: Int
  /// The time of day, in seconds since 1970.
  public let at: Double

  /// The poll as events know it.
  public func poll(notes: Value = .emptyObject) -> Poll {
    Poll(source: source, number: number, at: at, notes: notes)
  }
}

/// What a poll found.
public struct PollAnswer: Sendable {
  public var rows: [Value]
  /// More for `$meta`, an object.
  public var notes: Value
  /// The time it was read, where that is not the time of the poll: in a recording.
  public var at: Double?
  /// Whether all is there that there is; what is missing from other polls was removed.
  public var isWhole: Bool

  public init(_ rows: [Value], notes: Value = .emptyObject, at: Double? = nil, isWhole: Bool = true) {
    self.rows = rows
    self.notes = notes
    self.at = at
    self.isWhole = isWhole
  }
}

/// What a source is given when it is made.
public struct SourceContext: Sendable {
  public let name: String
  public let world: World
  public let log: NodeLog
  public let meter: Meter
  /// `--once`: read what there is, and end.
  public let isOnce: Bool
  /// Rings when the source is to stop.
  public let stop: StopSign
  /// Where the last run has left off, if that did not come to its end.
  public let position: Value?
  /// Whether positions are kept.
  public let isKept: Bool
  /// Tells how far the poll is that is under way; nil when it is over.
  public var progress: @Sendable (PollProgress?) -> Void = { _ in }

  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, in: world) }
}

/// The way from a stream source into the pipeline.
public final class Feed {
  private let downstream: any Observer<Delivery>
  private let context: SourceContext
  private let isRepeatable: Bool

  init(_ downstream: any Observer<Delivery>, _ context: SourceContext, isRepeatable: Bool) {
    self.downstream = downstream
    self.context = context
    self.isRepeatable = isRepeatable
  }

  public var isStopped: Bool { context.stop.isSet }

  /// Whether positions are of use.
  public var isKept: Bool { context.isKept }

  /// Hands on values that were read together, and where to go on behind them; waits while the pipeline has enough to
  /// do.
  public func send(_ values: [Value], position: Value? = nil) {
    if values.isEmpty, position == nil { return }
    let poll = Poll(source: context.name, at: context.world.wallClock())
    context.meter.countOut(values.count)
    downstream.next(Delivery(values, poll, endsPoll: false, position: position))
  }

  /// Says that everything has been sent that was there when the run began: no run before it can have read more.
  ///
  /// A source that can be read again, and then waits for more, says so once; one that ends need not.
  public func sayCaughtUp() {
    guard isKept, isRepeatable else { return }
    let poll = Poll(source: context.name, at: context.world.wallClock())
    downstream.next(Delivery([], poll, endsPoll: false, isCaughtUp: true))
  }
}

/// How far a poll is that is under way, for whoever waits for it at a terminal.
public struct PollProgress: Sendable, Equatable {
  /// What there is so far: “200 of 338 launches”.
  public var text: String
  /// What is waited for: “waiting for the budget of api.nasa.gov, next call”.
  public var wait: String?
  /// When that comes, in seconds since 1970.
  public var until: Double

  public init(_ text: String, wait: String? = nil, until: Double = 0) {
    self.text = text
    self.wait = wait
    self.until = until
  }
}
