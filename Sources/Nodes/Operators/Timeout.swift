import JSON
import Engine
import Language
import Reactive

/// `timeout`: reports when a stream falls silent and when it resumes.
let timeout = NodeSpec(
  "timeout", "report when a stream falls silent and when it resumes",
  details: """
    After `for` without an event, also counted from the start, this event is sent once:

        {"type": "silent", "since": "2026-01-01T12:00:00Z", "for": "10m"}

    When events resume, one of type `back` is sent before the first of them, with the length of the silence. With \
    `polls: true`, ends of polls count instead of events, so that a source that fails is silent and one without news \
    is not.
    """,
  options: AnyOption.list(
    TimeoutOptions.time, TimeoutOptions.polls, TimeoutOptions.back, TimeoutOptions.pass),
  shorthand: "for",
  isKept: true,
  examples: [
    .init(
      "ten minutes without an event", "timeout: 10m", input: "0s 1\n5m 2\n1h 3",
      output: """
        0s 1
        5m 2
        15m {"type":"silent","since":"1970-01-01T00:05:00Z","for":"10m"}
        1h {"type":"back","since":"1970-01-01T00:05:00Z","for":"55m"}
        1h 3
        1h10m {"type":"silent","since":"1970-01-01T01:00:00Z","for":"10m"}
        """),
    .init(
      "a source that fails", "timeout: { for: 2h, polls: true, pass: false, back: false }",
      input: "1h 1\n1h poll\n2h poll\n3h failure\n4h failure\n5h 2\n5h poll\n5h 3\n5h end",
      output: #"4h {"type":"silent","since":"1970-01-01T02:00:00Z","for":"2h"}"#),
  ],
  .step { options, context in try Timeout(options, context) })

private enum TimeoutOptions {
  static let time = Option.required(
    "for", .duration, "how long without events counts as silence", example: "10m")
  static let polls = Option(
    "polls", .boolean, default: "false", "whether to count polls, including empty ones, instead of events")
  static let back = Option("back", .boolean, default: "true", "whether to report the end of a silence")
  static let pass = Option("pass", .boolean, default: "true", "whether to pass on the events themselves")
}

/// The state machine of `timeout`: detects silence.
struct SilenceMachine: Sendable {
  private let limit: Duration
  private(set) var last: Instant
  private(set) var isSilent: Bool

  init(limit: Duration, from now: Instant, isSilent: Bool = false) {
    self.limit = limit
    last = now
    self.isSilent = isSilent
  }

  /// When to call `due`.
  var nextDeadline: Instant? { isSilent ? nil : last + limit }

  /// Notes an event; returns how long the silence lasted that it ends, if any.
  mutating func hear(at now: Instant) -> Duration? {
    defer { (last, isSilent) = (now, false) }
    return isSilent ? now - last : nil
  }

  /// Whether a silence begins now.
  mutating func due(at now: Instant) -> Bool {
    guard let nextDeadline, nextDeadline <= now else { return false }
    isSilent = true
    return true
  }
}

private final class Timeout: Step {
  private let limit: Duration
  private let countsPolls: Bool
  private let reportsBack: Bool
  private let isPassing: Bool
  private let name: String
  private var machine: SilenceMachine?
  /// When the last event arrived, by the wall clock.
  private var since = 0.0
  private var poll: Poll?
  private let kept: NodeCell<Value>

  init(_ options: Options, _ context: StepContext) throws {
    limit = options[TimeoutOptions.time]
    countsPolls = options[TimeoutOptions.polls]
    reportsBack = options[TimeoutOptions.back]
    isPassing = options[TimeoutOptions.pass]
    name = context.name
    kept = try context.cell(forRun: true)
  }

  func start(_ out: Downstream) {
    // A silence continues across a restart. Without one, the time between the runs does not count.
    let before = kept.value
    let isSilent = before?.member("silent")?.isTruthy ?? false
    since = isSilent ? before?.member("since")?.double ?? out.timeOfDay : out.timeOfDay
    let last = isSilent ? before?.time("last") ?? out.now : out.now
    machine = SilenceMachine(limit: limit, from: last, isSilent: isSilent)
    out.setAlarm(atNext: machine?.nextDeadline)
  }

  func take(_ event: Event, _ out: Downstream) {
    poll = event.poll
    if !countsPolls { hear(out) }
    if isPassing { out.send(event) }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    self.poll = poll
    if countsPolls { hear(out) }
    out.send(endOf: poll)
  }

  func wake(_ out: Downstream) {
    if machine?.due(at: out.now) == true {
      keep()
      report("silent", limit, out)
    }
    out.setAlarm(atNext: machine?.nextDeadline)
  }

  private func hear(_ out: Downstream) {
    let silence = machine?.hear(at: out.now)
    if let silence, reportsBack { report("back", silence, out) }
    since = out.timeOfDay
    if silence != nil { keep() }
    out.setAlarm(atNext: machine?.nextDeadline)
  }

  private func keep() {
    guard let machine else { return }
    kept.set(
      .record([
        ("silent", .bool(machine.isSilent)), ("since", .number(since)), ("last", machine.last.remembered),
      ]))
  }

  private func report(_ type: Value, _ time: Duration, _ out: Downstream) {
    // To the millisecond, like the wall-clock time.
    let time = Duration.milliseconds((time / .milliseconds(1)).rounded())
    let report = Value.record([
      ("type", type), ("since", .string(timestamp(since))), ("for", .string(DurationText.format(time))),
    ])
    out.send(Event(report, poll ?? Poll(source: name, at: out.timeOfDay)))
  }
}
