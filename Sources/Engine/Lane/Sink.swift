import Language
import System
import Glibc
import JSON
import Reactive

/// The end of a stream: a file, a command, a terminal.
///
/// Everything is called on the lane, one call after the other. A sink gathers what it is given, and writes when the
/// turn ends.
public protocol Sink: AnyObject {
  func take(_ event: Event) throws
  func endPoll(_ poll: Poll) throws
  /// Writes what has been gathered.
  func endTurn() throws
  /// The sink's alarm rings.
  func wake() throws
  /// The stream has ended: what was held back is gathered now, for the last turn.
  func close() throws
  /// The stream has ended: everything is to be out when this returns, or at the deadline.
  func finish(by deadline: Instant) throws
}

extension Sink {
  public func endPoll(_ poll: Poll) throws {}
  public func endTurn() throws {}
  public func wake() throws {}
  public func close() throws {}
  public func finish(by deadline: Instant) throws {}
}

/// Whoever reads what a sink writes has gone: the pipeline ends quietly.
public struct ReaderGone: Error {
  public init() {}
}

/// An event that a sink lets go by on purpose, as where nothing may be sent: it counts as dropped, and is no failure.
public struct NotSent: Error {
  public init() {}
}

/// What a sink is given when it is made.
public struct SinkContext: Sendable {
  public let name: String
  public let pipeline: String
  public let lane: Lane
  public let log: NodeLog
  public let meter: Meter
  /// Where failures are reported that show only after an event was taken: on the lane, while the sink is not finished.
  public let errors: ErrorReporter
  public let alarm: SinkAlarm
  /// Set when the pipeline must end at once, whatever waits.
  public let stop: StopSign
  /// `--dry-run`: say what would be done.
  public let isDryRun: Bool
  public let screen: Screen
  /// Whether each poll that comes is whole, so that it replaces the one before.
  public let isGivenSnapshots: Bool
  /// Where outputs are kept until they are written; nil where the pipeline has no state, and they are written at once.
  public let outbox: Outbox?
  /// Whether what is written is to outlive a power cut.
  public let syncs: Bool

  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, on: lane) }
  public func evaluation(_ template: Template) -> Evaluation { Evaluation(template.expression, on: lane) }

  /// The time by the lane's clock, which goes on from run to run.
  public var now: Instant { lane.present.instant }
}
