import Language
import System
import JSON
import Reactive

/// The reporter of a node's failures on events: counts them, logs them and applies the error policy.
///
/// The first few in a minute are logged one by one, the others in one line when the minute is over.
public final class ErrorReporter: Sendable {
  private static let reportedAMinute = 3

  private struct State {
    var minute = -1
    var reported = 0
    var unreported = 0
  }

  private let policy: ErrorPolicy
  private let lane: Lane
  private let meter: Meter
  private let log: NodeLog
  private let letters: @Sendable (String, [UInt8]) throws -> Void
  private let state = LaneLocal(State())

  init(
    _ policy: ErrorPolicy, _ lane: Lane, _ meter: Meter, _ log: NodeLog,
    letters: @escaping @Sendable (String, [UInt8]) throws -> Void
  ) {
    self.policy = policy
    self.lane = lane
    self.meter = meter
    self.log = log
    self.letters = letters
  }

  @inline(never)
  public func report(_ error: any Error, _ event: Event?) {
    count(event)
    handle(error, event)
  }

  /// Reports a failure within a task: its place among the outputs of all tasks decides when it is handled.
  @inline(never)
  func report(_ error: any Error, _ event: Event?, in task: PartitionTask?) {
    guard let task else { return report(error, event) }
    count(event)
    task.perform { [self] in handle(error, event) }
  }

  private func count(_ event: Event?) {
    meter.countError()
    guard let event else { return }
    event.poll.markMissingEvents()
    if policy == .log, !event.isEndOfPoll { meter.countLost() }
  }

  private func handle(_ error: any Error, _ event: Event?) {
    if case .stop = policy {
      log.report(error, on: event)
      lane.fail(PipelineStopped(node: log.node, reason: "\(error)"))
      return
    }
    if case .deadLetter(let path) = policy, let event {
      do { try letters(path, letter(error, event)) } catch { log.error("\(error)") }
    }
    let minute = Int(lane.scheduler.now.nanoseconds / 60_000_000_000)
    if minute != state.value.minute {
      summarize()
      state.value = State(minute: minute)
    }
    if state.value.reported < Self.reportedAMinute {
      state.value.reported += 1
      log.report(error, on: event)
    } else {
      state.value.unreported += (error as? NotWritten)?.events ?? 1
    }
  }

  /// Reports the errors that were not reported one by one.
  func summarize() {
    let number = state.value.unreported
    if number > 0 { log.error("\(number) more event\(number == 1 ? "" : "s") failed") }
    state.value.unreported = 0
  }

  private func letter(_ error: any Error, _ event: Event) -> [UInt8] {
    let letter = Value.record([
      ("at", .string(timestamp(lane.now))), ("node", .string(log.node)), ("error", .string("\(error)")),
      ("input", event.value),
    ])
    return letter.json + [UInt8(ascii: "\n")]
  }
}

/// A value's JSON, cut to what fits into a line.
public func excerpt(of value: Value) -> String { excerpt(of: value.description) }

/// The same of its text.
public func excerpt(of text: String) -> String {
  let text = text.unicodeScalars
  let limit = 160
  return text.count <= limit ? String(text) : String(text.prefix(limit)) + "…"
}

/// A node that must not fail did.
public struct PipelineStopped: Error, CustomStringConvertible {
  public let node: String
  public let reason: String
  public var description: String { "stopped by \(node): \(reason)" }
}
