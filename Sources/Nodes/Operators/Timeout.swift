import JSON
import Engine
import Language
import Reactive

/// `timeout`: reports when a stream, or a key of it, falls silent and when it resumes.
let timeout = NodeSpec(
  "timeout", "report when a stream, or a key of it, falls silent and when it resumes",
  details: """
    After `for` without an event, also counted from the start, this event is sent once:

        {"type": "silent", "since": "2026-01-01T12:00:00Z", "for": "10m"}

    When events resume, one of type `back` is sent before the first of them, with the length of the silence. With \
    `polls: true`, ends of polls count instead of events, so that a source that fails is silent and one without news \
    is not.

    With `key`, each key is watched by itself from its first event on, those of `expect` from the start, and the event \
    names it:

        {"type": "silent", "key": "backup", "since": "2026-01-01T12:00:00Z", "for": "1d"}

    A long list of keys is in a file: `expect: { file: jobs.txt }` has a key on each line, or in the first column of \
    jobs.csv, or in jobs.json, where an object has the key of an event; `decode` beside `file` names another format. Empty \
    lines and those that begin with # are none. The file is searched next to the pipeline, and read again when it has \
    changed: what is the same at two readings, ten seconds apart, counts. What is new in it is watched from then on, and \
    what has gone is forgotten until an event of it comes.

    The time between two runs is no silence. Keys are remembered, so a silence goes on over it.
    """,
  options: AnyOption.list(
    TimeoutOptions.time, TimeoutOptions.key, TimeoutOptions.expected, TimeoutOptions.polls,
    TimeoutOptions.back,
    TimeoutOptions.pass, TimeoutOptions.maxKeys),
  shorthand: "for",
  state: """
    with `key`, the latest event of each key, at most `max_keys`; for one key more the one heard of longest ago is \
    forgotten, and counted
    """,
  isKept: true,
  division: .byKey(
    TimeoutOptions.key, sends: "",
    unless: {
      $0.isGiven(TimeoutOptions.expected) ? "no task knows which of the expected keys are its own" : nil
    }),
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
    .init(
      "jobs that must report once a day",
      "timeout: { for: 1d, key: .job, expect: [backup, sync], pass: false }",
      input: #"1h {"job": "backup"}\#n20h {"job": "report"}\#n30h {"job": "backup"}\#n40h end"#,
      output: """
        1d {"type":"silent","key":"sync","since":"1970-01-01T00:00:00Z","for":"1d"}
        1d1h {"type":"silent","key":"backup","since":"1970-01-01T01:00:00Z","for":"1d"}
        1d6h {"type":"back","key":"backup","since":"1970-01-01T01:00:00Z","for":"1d5h"}
        """),
    .init(
      "at its limit", "timeout: { for: 1m, key: .id, pass: false, max_keys: 1 }",
      input: #"0s {"id": 1}\#n1s {"id": 2}\#n61s end"#,
      output: #"1m1s {"type":"silent","key":2,"since":"1970-01-01T00:00:01Z","for":"1m"}"#),
  ],
  check: { options, checker in
    if options.isGiven(TimeoutOptions.key) {
      if options[TimeoutOptions.polls] {
        checker.report(
          "polls have no key: events are counted by `key`, or polls with `polls`",
          at: options.place(of: TimeoutOptions.polls), hint: "leave one of them out")
      }
    } else if options.isGiven(TimeoutOptions.expected) {
      checker.report(
        "`expect` lists keys, and there is no `key`", at: options.place(of: TimeoutOptions.expected),
        hint: "add what the key of an event is, such as key: .job")
    }
  },
  .step { options, context in
    if options.isGiven(TimeoutOptions.key) { return try KeyedTimeout(options, context) }
    return try Timeout(options, context)
  })

enum TimeoutOptions {
  static let time = Option.required(
    "for", .duration, "how long without events counts as silence", example: "10m")
  static let key = Option("key", .expression, default: "null", "what is watched by itself", example: ".job")
  static let expected = Option(
    "expect", .expectedKeys, default: "[]", "keys that must come, watched from the start: a list, or a file",
    example: "[backup, sync]")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys are remembered")
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
    let report = Value.record([("type", type)] + silence(since: since, for: time))
    out.send(Event(report, poll ?? Poll(source: name, at: out.timeOfDay)))
  }
}

/// The members of a report about a silence, to the millisecond, like the wall-clock time.
private func silence(since: Double, for time: Duration) -> [(String, Value)] {
  let time = Duration.milliseconds((time / .milliseconds(1)).rounded())
  return [("since", .string(timestamp(since))), ("for", .string(DurationText.format(time)))]
}

/// `timeout` with `key`: the silence of `alarm`, without its alarms.
private final class KeyedTimeout: Step {
  private let machine: MachineStep
  private let isPassing: Bool

  init(_ options: Options, _ context: StepContext) throws {
    isPassing = options[TimeoutOptions.pass]
    let limit = options[TimeoutOptions.time]
    let reportsBack = options[TimeoutOptions.back]
    // Stands for the event that an expected key has not sent.
    let none = Event(.null, Poll(source: context.name, at: 0))
    let expected = try Self.expected(options, context, standingFor: none)
    let silences = AlarmMachine(
      state: try context.state(
        of: AlarmRow<Event>.self, by: options[TimeoutOptions.key].text, whenKeyChanges: .forget),
      AlarmTimes(lasting: .zero, clearing: .zero, silent: limit), bound: options[TimeoutOptions.maxKeys],
      after: context.endOfLastRun, expected: expected,
      by: context.keptKey(
        options[TimeoutOptions.key], isListed: options.isGiven(TimeoutOptions.expected)),
      when: { _ in false }, clear: nil)
    machine = MachineStep(silences, context, keeps: true) { report, out in
      let isBack = report.kind == .back
      if isBack, !reportsBack { return }
      let age = out.now - report.since
      let news =
        [("type", isBack ? "back" : "silent"), ("key", report.key)]
        + silence(since: out.timeOfDay(at: report.since), for: isBack ? age : limit)
      let poll = report.element.poll
      let isFromNone = poll.source == context.name
      out.send(Event(.record(news), isFromNone ? Poll(source: context.name, at: out.timeOfDay) : poll))
    }
  }

  /// The keys that must come, with the event that none of them has sent.
  private static func expected(
    _ options: Options, _ context: StepContext, standingFor none: Event
  ) throws -> AlarmExpectation<Value, Event> {
    switch options[TimeoutOptions.expected] {
    case .list(let keys):
      let come = keys.map { ($0, none) }
      return AlarmExpectation(changes: { (come, []) })
    case .file(let file):
      let key = context.keptKey(options[TimeoutOptions.key])
      let log = context.log
      let list = ExpectedFile(file, key: { try key(none.with($0)) }, warn: log.warning)
      var first = try list.changes()
      let rest = LaneLocal { () -> (come: [Value], gone: [Value])? in
        defer { first = nil }
        return try first ?? list.changes()
      }
      // In virtual time waking would never end.
      return AlarmExpectation(
        changes: {
          let found = try? rest.value()
          return found.map { (come: $0.come.map { ($0, none) }, gone: $0.gone) }
        }, every: ExpectedFile.rhythm, wakes: context.lane.waiting == .acrossTurns)
    }
  }

  func start(_ out: Downstream) throws { try machine.start(out) }

  func take(_ event: Event, _ out: Downstream) throws {
    try machine.take(event, out)
    if isPassing { out.send(event) }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) throws { try machine.endPoll(poll, out) }
  func wake(_ out: Downstream) throws { try machine.wake(out) }
  func finish(_ ending: Ending, _ out: Downstream) throws { try machine.finish(ending, out) }
}
