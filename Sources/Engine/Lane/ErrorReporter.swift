import Language
import System
import JSON
import Reactive

/// The reporter of a node's failures on events: counts them, logs them and applies the error policy.
///
/// The first few in a minute are logged one by one, the others in one line when the minute is over. Of rows that fail in
/// poll after poll (`RowFailures`) only the first poll is, what has changed, and at growing distances that they still do.
public final class ErrorReporter: Sendable {
  private static let reportedAMinute = 3

  private struct State {
    var minute = -1
    var reported = 0
    var unreported = (events: 0, rows: 0)
    var rows = RowFailures()
    /// The polls that have not left the node, and how many events it had taken before them.
    var polls: [RowFailures.Rows] = []
    var taken = 0
    /// When it is reported next that rows still fail.
    var pause = ErrorReporter.pauses.first
    var nextReport = Instant()
  }

  private static let pauses = (first: Duration.seconds(60), longest: Duration.seconds(86400))

  private let policy: ErrorPolicy
  private let lane: Lane
  private let meter: Meter
  private let log: NodeLog
  /// Takes the outcome of each poll; nil below the source `errors`.
  private let note: (@Sendable (PollOutcome) -> Void)?
  private let letters: @Sendable (String, [UInt8]) throws -> Void
  private let state = LaneLocal(State())

  init(
    _ policy: ErrorPolicy, _ lane: Lane, _ meter: Meter, _ log: NodeLog,
    letters: @escaping @Sendable (String, [UInt8]) throws -> Void,
    note: (@Sendable (PollOutcome) -> Void)? = nil
  ) {
    self.policy = policy
    self.lane = lane
    self.meter = meter
    self.log = log
    self.note = note
    self.letters = letters
  }

  @inline(never)
  public func report(_ error: any Error, _ event: Event?) {
    count(event)
    handle(error, event)
  }

  /// Reports a failure of the node itself, which is one of the event's row; within a task its place among the outputs of
  /// all tasks decides when it is handled.
  @inline(never)
  func report(_ error: any Error, _ event: Event?, in task: PartitionTask?) {
    count(event)
    perform(in: task) { [self] in handle(error, event, isOfRow: true) }
  }

  private func perform(in task: PartitionTask?, _ action: @escaping @Sendable () -> Void) {
    if let task { task.perform(action) } else { action() }
  }

  private func count(_ event: Event?) {
    meter.countError()
    guard let event else { return }
    event.poll.markMissingEvents()
    if policy == .log, !event.isEndOfPoll { meter.countLost() }
  }

  private func handle(_ error: any Error, _ event: Event?, isOfRow: Bool = false) {
    if case .stop = policy {
      log.report(error, on: event)
      lane.fail(PipelineStopped(node: log.node, reason: "\(error)"))
      return
    }
    if case .deadLetter(let path) = policy, let event {
      do { try letters(path, letter(error, event)) } catch { log.error("\(error)") }
    }
    var (log, text): (NodeLog, String?) = (log, nil)
    if isOfRow, let event, let row = event.rowText {
      let reason = "\(row): \(error)"
      note(event, reason)
      if state.value.rows.isOpen(event.poll) { return }
      (log, text) = (self.log(of: event.poll), reason)
    }
    let minute = Int(lane.scheduler.now.nanoseconds / 60_000_000_000)
    if minute != state.value.minute {
      summarize()
      (state.value.minute, state.value.reported) = (minute, 0)
    }
    if state.value.reported < Self.reportedAMinute {
      state.value.reported += 1
      log.report(error, on: event, as: text)
    } else if text != nil {
      state.value.unreported.rows += 1
    } else {
      state.value.unreported.events += (error as? NotWritten)?.events ?? 1
    }
  }

  /// Reports the errors that were not reported one by one.
  func summarize() {
    let (events, rows) = state.value.unreported
    if events > 0 { log.error("\(events) more event\(events == 1 ? "" : "s") failed") }
    if rows > 0 { log.ofPolls.error("\(rows) more row\(rows == 1 ? "" : "s") failed") }
    state.value.unreported = (0, 0)
  }

  // MARK: - Rows

  /// The log of what is reported of rows; the source `errors` has events of its own for it.
  private func log(of poll: Poll) -> NodeLog { (poll.entry.map(log.of(entry:)) ?? log).ofPolls }

  private func note(_ event: Event, _ reason: String) {
    let known = state.value.polls.firstIndex { event.poll.isPart(of: $0.poll) }
    let index = known ?? state.value.polls.count
    if known == nil { state.value.polls.append(.init(poll: event.poll)) }
    if state.value.polls[index].failed == 0 { state.value.polls[index].reason = reason }
    state.value.polls[index].failed += 1
    if let key = event.key { state.value.polls[index].keys.insert(key) }
  }

  /// Notes that the end of a poll has reached the node, behind its events.
  func noteArrival(ofEndOf poll: Poll, in task: PartitionTask?) {
    if poll.number == 0 || task?.isLast == false { return }
    perform(in: task) { [self] in
      let known = state.value.polls.firstIndex { poll.isPart(of: $0.poll) }
      let index = known ?? state.value.polls.count
      if known == nil { state.value.polls.append(.init(poll: poll)) }
      let taken = meter.eventsIn
      state.value.polls[index].taken = taken - state.value.taken
      state.value.taken = taken
    }
  }

  /// Notes that a poll has left the node: it has failed on all of its rows on which it will.
  func noteEnd(of poll: Poll, in task: PartitionTask?) {
    if poll.number == 0 || task?.isLast == false { return }
    perform(in: task) { [self] in
      guard let index = state.value.polls.firstIndex(where: { poll.isPart(of: $0.poll) }) else { return }
      judge(state.value.polls.remove(at: index))
    }
  }

  private func judge(_ rows: RowFailures.Rows) {
    let poll = rows.poll
    let wasOpen = state.value.rows.isOpen(poll)
    let change = state.value.rows.take(rows)
    note?(
      PollOutcome(
        outage: Outages.ID(source: log.node, entry: poll.entry), at: poll.at,
        result: state.value.rows.outcome(of: poll)))
    if change == nil, !wasOpen { return }
    let status = state.value.rows.status
    meter.note(status)
    if case .recovered(let since, let polls) = change {
      let count = "\(polls) poll\(polls == 1 ? "" : "s")"
      log(of: poll).notice("no row fails any more, after \(count) since \(timestamp(since))")
    }
    guard let status, rows.failed > 0 else { return }
    let now = lane.scheduler.now
    if !wasOpen {
      // Its rows have been reported one by one.
      (state.value.pause, state.value.nextReport) = (Self.pauses.first, now + Self.pauses.first)
    } else if change != nil || now >= state.value.nextReport {
      if change == nil { state.value.pause = min(state.value.pause * 2, Self.pauses.longest) }
      state.value.nextReport = now + state.value.pause
      log.ofPolls.error(status.text)
    }
  }

  private func letter(_ error: any Error, _ event: Event) -> [UInt8] {
    var letter = Value.record([
      ("at", .string(timestamp(lane.now))), ("node", .string(log.node)), ("error", .string("\(error)")),
      ("input", event.value),
    ])
    if let entry = event.entry { letter.setMember("entry", entry) }
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
