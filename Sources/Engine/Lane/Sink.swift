import Language
import System
import Glibc
import JSON
import Reactive

/// A sink: the end of a stream, such as a file, a command or a terminal.
///
/// All methods are called on the lane. A sink collects output during a turn and writes it at the turn's end.
public protocol Sink: AnyObject {
  func take(_ event: Event) throws
  func endPoll(_ poll: Poll) throws
  /// Writes what has been collected.
  func endTurn() throws
  /// The alarm of the sink fires.
  func wake() throws
  /// The stream has ended: output that was held back is collected now, for the last turn.
  func close() throws
  /// The pipeline ends: all output is written when this returns, or at the deadline.
  func finish(by deadline: Instant) throws
  /// The pipeline cannot begin, and nothing was given to the sink: it ends what it has begun, and writes nothing.
  func abandon()
}

extension Sink {
  public func endPoll(_ poll: Poll) throws {}
  public func endTurn() throws {}
  public func wake() throws {}
  public func close() throws {}
  public func finish(by deadline: Instant) throws {}
  public func abandon() {}
}

/// A sink that turns events into a metric, which `/metrics` and `--metrics` show beside those of flow itself.
public protocol MeasuringSink: Sink {
  /// The measurement, without the label `pipeline`.
  var metric: Metric { get }
}

/// The error of a sink whose reader has gone, as with `| head`: the pipeline ends quietly.
public struct ReaderGone: Error {
  public init() {}
}

/// The error for an event that a sink skips on purpose: it counts as dropped, and is no failure.
public struct NotSent: Error {
  public init() {}
}

/// The error of a sink that could not write events which it had taken, that of the present call among them: each of them
/// counts as failed, and as none of its outputs.
public struct NotWritten: Error, CustomStringConvertible {
  public let events: Int
  let reason: any Error

  public init(_ events: Int, _ reason: any Error) { (self.events, self.reason) = (events, reason) }

  public var description: String { "\(reason); lost \(events) event\(events == 1 ? "" : "s")" }
}

/// The context that a sink is made with.
public struct SinkContext: Sendable {
  public let name: String
  public let pipeline: String
  public let lane: Lane
  public let log: NodeLog
  public let meter: Meter
  /// Reports failures that show only after `take`; on the lane, until the sink has finished.
  public let errors: ErrorReporter
  public let alarm: SinkAlarm
  /// Set when the pipeline must end at once.
  public let stop: StopSign
  /// Whether the sink only prints what it would do (`--dry-run`).
  public let isDryRun: Bool
  public let screen: Screen
  /// Whether every poll arrives complete, so that it replaces the one before.
  public let isGivenSnapshots: Bool
  /// Stores outputs until they are written; nil without state, when they are written at once.
  public let outbox: Outbox?
  /// Whether what is written must survive a power cut.
  public let syncs: Bool
  /// Which files sinks write, and whether they act on anything else.
  public var outputs = OutputPolicy.real
  /// Whether the run polls each source once.
  public var isOnce = false
  /// Reports the progress of what the sink is doing, from any thread; nil when it is over.
  public var progress: @Sendable (PollProgress?) -> Void = { _ in }
  /// The pipeline, for what its sources are scheduled to do; nil in tests of a sink by itself.
  public var plan: Plan?

  /// Notes an output that the sink makes of the event that it is taking, where the pipeline keeps a trace.
  public func trace(output id: String) { lane.checkpointer?.state.value.trace?.add(output: id, of: name) }

  /// Notes an attempt to deliver an output: why it failed, and when the next one is, if there is one.
  public func trace(attempt id: String, failure: String?, next: Double? = nil) {
    guard let trace = lane.checkpointer?.state.value.trace else { return }
    trace.add(OutputAttempt(at: lane.world.wallClock(), failure: failure, next: next), of: id)
  }

  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, on: lane) }
  public func evaluation(_ template: Template) -> Evaluation { Evaluation(template.expression, on: lane) }

  /// The lane's time, which continues from run to run.
  public var now: Instant { lane.present.instant }
}

// MARK: - Places of output

extension SinkContext {
  /// The path to write for one in the pipeline file.
  package func place(_ path: String) throws -> String {
    outputs.folder == nil ? path : try outputs.place(path, of: pipeline, on: lane.world.disk)
  }

  /// Reports where the files of a path are written instead.
  package func reportPlace(of template: PathTemplate) {
    if let path = template.constant { return outputs.report(path, to: log) }
    outputs.report(template.folder, isFolder: true, to: log)
  }
}
