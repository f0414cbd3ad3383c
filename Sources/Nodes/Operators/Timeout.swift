import JSON
import Engine
import Language
import Reactive

/// `timeout`: reports when a stream, or a key of it, falls silent and when it resumes.
package let timeout = NodeSpec(
  "timeout", "report when a stream, or a key of it, falls silent and when it resumes",
  reference: .init(PackageResources.timeout_md),
  options: AnyOption.list(
    TimeoutOptions.time, TimeoutOptions.key, TimeoutOptions.expected, TimeoutOptions.polls,
    TimeoutOptions.back,
    TimeoutOptions.pass, TimeoutOptions.maxKeys),
  shorthand: "for",
  state: """
    with `key`, the latest event of each key, at most `max_keys`; for one key more the one heard of longest ago is \
    forgotten, and counted
    """,
  hasDurableState: true,
  partitioning: .byKey(
    TimeoutOptions.key, sends: "",
    unless: {
      $0.isGiven(TimeoutOptions.expected) ? "no task knows which of the expected keys are its own" : nil
    }),
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
  .step { options, context in try timeoutStep(options, context) })

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

/// The output of `timeout` without a key: an event, or what is to be reported.
private enum Heard: Sendable {
  case element(Event)
  case silent(Instant)
  case back(Event, Instant)
}

/// `timeout`: with `key`, the silence of `alarm`, without its alarms.
private func timeoutStep(_ options: Options, _ context: StepContext) throws -> MachineStep {
  let limit = options[TimeoutOptions.time]
  let (reportsBack, isPassing) = (options[TimeoutOptions.back], options[TimeoutOptions.pass])
  func report(_ key: Value?, since: Instant, isBack: Bool, _ poll: Poll?, _ out: Downstream) {
    if isBack, !reportsBack { return }
    // To the millisecond, like the time of day.
    let age = Duration.milliseconds(((isBack ? out.now - since : limit) / .milliseconds(1)).rounded())
    let news: [(String, Value)] = [
      ("since", .string(timestamp(out.timeOfDay(at: since)))), ("for", .string(DurationText.format(age))),
    ]
    out.send(
      Event(
        .record([("type", isBack ? "back" : "silent")] + (key.map { [("key", $0)] } ?? []) + news),
        poll ?? Poll(source: context.name, at: out.timeOfDay)))
  }
  guard options.isGiven(TimeoutOptions.key) else {
    let countsPolls = options[TimeoutOptions.polls]
    let machine = SilenceMachine(
      limit: limit, stored: try context.cell(of: Silence.self, forRun: true),
      counting: { (event: Event) in event.isEndOfPoll == countsPolls }, element: Heard.element,
      silent: Heard.silent, back: Heard.back)
    var poll: Poll?
    return MachineStep(machine, context, keeps: false, pollEnds: .inLine) { heard, out in
      switch heard {
      case .element(let event):
        poll = event.poll
        if isPassing || event.isEndOfPoll { out.pass(event) }
      case .silent(let since): report(nil, since: since, isBack: false, poll, out)
      case .back(let event, let since): report(nil, since: since, isBack: true, event.poll, out)
      }
    }
  }
  // Stands for the event that an expected key has not sent.
  let none = Event(.null, Poll(source: context.name, at: 0))
  let silences = AlarmMachine(
    state: try context.state(
      of: AlarmRow.self, by: options[TimeoutOptions.key].text, whenKeyChanges: .forget),
    AlarmTimes(lasting: .time(.zero), clearing: .time(.zero), silent: limit),
    bound: options[TimeoutOptions.maxKeys],
    after: context.endOfLastRun, expected: try expectation(options, context, standingFor: none),
    by: context.keptKey(options[TimeoutOptions.key], isListed: options.isGiven(TimeoutOptions.expected)),
    when: { _ in false }, clear: nil)
  return MachineStep(silences, context, keeps: true, passes: isPassing) { news, out in
    let poll = news.event.poll
    report(
      news.key, since: news.since, isBack: news.kind == .back, poll.source == context.name ? nil : poll, out)
  }
}

/// The keys that must come, with the event that none of them has sent.
private func expectation(
  _ options: Options, _ context: StepContext, standingFor none: Event
) throws -> AlarmExpectation<Value> {
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
