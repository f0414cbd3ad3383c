import JSON
import Engine
import Language
import Reactive

/// `remind`: fires at the times that events name.
let remind = NodeSpec(
  "remind", "tell when a time that events name has come, or is near",
  details: """
    Each event names, by `key`, something that happens `at` a time, and for each lead in `before` an event is sent that \
    long before it:

        {"key": "a", "at": "2026-01-01T12:00:00Z", "lead": "1h", "in": 3600, "event": …}

    where `in` is how many seconds are left, and `event` the latest event of that key. When the time moves, so do the \
    reminders. Of one time, each lead tells once. A lead that is past when the time is first heard of, or moves, tells \
    at once if that is no longer ago than `grace`; if it has told already of the time before, it tells again only when \
    it is ahead of the new time. An event whose time is null, or for which `cancel_when` holds, cancels what is to \
    come.

    The time of day counts, so clocks that are set and machines that sleep do no harm beyond ten minutes. What is still \
    ahead when the stream ends is not sent, since its time has not come.
    """,
  options: AnyOption.list(
    RemindOptions.key, RemindOptions.time, RemindOptions.before, RemindOptions.grace,
    RemindOptions.cancelWhen,
    RemindOptions.pass, RemindOptions.maxKeys),
  state: """
    the time and latest event of each of `max_keys` keys; for one more the key heard of longest ago goes, counted as \
    dropped if there was something to tell
    """,
  isKept: true,
  examples: [
    .init(
      "an hour before, and at the time", "remind: { key: .id, at: .net, before: [1h, 0s] }",
      input: #"0s {"id": "a", "net": "1970-01-01T03:00:00Z"}"#,
      output: """
        2h {"key":"a","at":"1970-01-01T03:00:00Z","lead":"1h","in":3600,\
        "event":{"id":"a","net":"1970-01-01T03:00:00Z"}}
        3h {"key":"a","at":"1970-01-01T03:00:00Z","lead":"0s","in":0,\
        "event":{"id":"a","net":"1970-01-01T03:00:00Z"}}
        """),
    .init(
      "a time that moves, another that is cancelled",
      "remind: { key: .id, at: .net, cancel_when: .off, pass: true }",
      input: """
        0s {"id": 1, "net": 60}
        0s {"id": 2, "net": 60}
        30s {"id": 1, "net": 120}
        30s {"id": 2, "off": true}
        """,
      output: """
        0s {"id":1,"net":60}
        0s {"id":2,"net":60}
        30s {"id":1,"net":120}
        30s {"id":2,"off":true}
        2m {"key":1,"at":"1970-01-01T00:02:00Z","lead":"0s","in":0,"event":{"id":1,"net":120}}
        """),
    .init(
      "heard of too late", "remind: { key: .id, at: .net, before: [10m, 5m], grace: 2m }",
      input: #"9m {"id": 1, "net": 840}"#,
      output: #"""
        9m {"key":1,"at":"1970-01-01T00:14:00Z","lead":"5m","in":300,"event":{"id":1,"net":840}}
        """#),
    .init(
      "at its limit", "remind: { key: .id, at: .net, max_keys: 1 }",
      input: #"0s {"id": 1, "net": 60}\#n0s {"id": 2, "net": 60}"#,
      output: #"1m {"key":2,"at":"1970-01-01T00:01:00Z","lead":"0s","in":0,"event":{"id":2,"net":60}}"#),
  ],
  .step { options, context in try Remind(options, context) })

private enum RemindOptions {
  static let key = Option.required("key", .expression, "what the time belongs to", example: ".id")
  static let time = Option.required(
    "at", .expression, "the time: seconds since 1970, or ISO 8601", example: ".net")
  static let before = Option(
    "before", OptionType<[Duration]>.list(of: .duration(allowingZero: true), count: 1...), default: "[0s]",
    "how long before it to tell", example: "[24h, 1h, 10m]")
  static let grace = Option(
    "grace", .duration(allowingZero: true), default: "1h", "how late a reminder is still worth telling")
  static let cancelWhen = Option(
    "cancel_when", .expression, default: #".type? == "removed""#,
    "for which events there is nothing to remind of any more")
  static let pass = Option("pass", .boolean, default: "false", "whether the events themselves go on too")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys are remembered")
}

private final class Remind: Step {
  private let key: Evaluation
  private let time: Evaluation
  private let cancelWhen: Evaluation
  private let isPassing: Bool
  private let context: StepContext
  private var machine: RemindMachine<NodeState<Reminder<Event>>, Event>

  init(_ options: Options, _ context: StepContext) throws {
    key = context.evaluation(options[RemindOptions.key])
    time = context.evaluation(options[RemindOptions.time])
    cancelWhen = context.evaluation(options[RemindOptions.cancelWhen])
    isPassing = options[RemindOptions.pass]
    self.context = context
    machine = RemindMachine(
      state: try context.state(by: options[RemindOptions.key].text, whenKeyChanges: .keep),
      leads: options[RemindOptions.before], grace: options[RemindOptions.grace],
      bound: options[RemindOptions.maxKeys])
  }

  func start(_ out: Downstream) { out.setAlarm(atMoment: machine.nextDeadline) }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = try key.first(event) ?? .null
    let time = try cancelWhen.isTrue(event) ? nil : time.first(event)?.moment()
    sendDue(out)
    if isPassing { out.send(event) }
    if let time {
      let due = machine.accept(event.detached, at: time, for: key.detach(), now: out.moment)
      for reminder in due { send(reminder, out) }
      if machine.dropExcess() { context.meter.countDropped() }
    } else {
      machine.cancel(key)
    }
    out.setAlarm(atMoment: machine.nextDeadline)
  }

  func wake(_ out: Downstream) {
    sendDue(out)
    out.setAlarm(atMoment: machine.nextDeadline)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    sendDue(out)
    let count = context.isKept && ending == .keep ? 0 : machine.count
    if count > 0 { context.log.notice("\(count) reminder\(count == 1 ? " was" : "s were") still waiting") }
  }

  private func sendDue(_ out: Downstream) {
    while let reminder = machine.due(at: out.moment) { send(reminder, out) }
  }

  private func send(_ reminder: DueReminder<Value, Event>, _ out: Downstream) {
    let left = (reminder.at - out.moment) / .seconds(1)
    out.send(
      reminder.element.with(
        .record([
          ("key", reminder.key), ("at", reminder.at.text),
          ("lead", .string(DurationText.format(reminder.lead))), ("in", .number(left)),
          ("event", reminder.element.value),
        ])))
  }
}
