import JSON
import Engine
import Language
import Reactive

/// `remind`: fires at the times that events name.
package let remind = NodeSpec(
  "remind", "emit a reminder when a time that events name is near, or has come",
  reference: .init(PackageResources.remind_md),
  options: AnyOption.list(
    RemindOptions.key, RemindOptions.time, RemindOptions.before, RemindOptions.grace,
    RemindOptions.cancelWhen, RemindOptions.whenMissing,
    RemindOptions.pass, RemindOptions.maxKeys),
  state: """
    the time and latest event of each of `max_keys` keys, and the time of the last whole poll of each source; for one \
    key more the key seen longest ago is dropped, and counted if a reminder of it was ahead
    """,
  hasDurableState: true,
  partitioning: .byKey(RemindOptions.key, sends: ".key"),
  .step { options, context in try Remind(options, context) }
)
.sending(["key", "at", "lead", "in", "event"], row: { $0[RemindOptions.pass] ? nil : "event" })

private enum RemindOptions {
  enum Missing: String, CaseIterable, Sendable { case hold, fire }

  static let key = Option.required("key", .expression, "what the time belongs to", example: ".id")
  static let time = Option.required(
    "at", .expression, "the time: seconds since 1970, or ISO 8601", example: ".net")
  static let before = Option(
    "before", OptionType<[Duration]>.list(of: .duration(allowingZero: true), count: 1...), default: "[0s]",
    "the leads: how long before the time to emit", example: "[24h, 1h, 10m]")
  static let grace = Option(
    "grace", .duration(allowingZero: true), default: "1h", "how late a reminder is still useful")
  static let cancelWhen = Option(
    "cancel_when", .expression, default: #".type? == "removed""#,
    "the events that cancel the reminders of their key")
  static let whenMissing = Option(
    "when_missing", OptionType<Missing>.choice(), default: "hold",
    "whether the reminders of a key that is missing from the last poll are held back, or fire")
  static let pass = Option("pass", .boolean, default: "false", "whether the events themselves pass too")
  static let maxKeys = Option(
    "max_keys", .integer(1...10_000_000), default: "65536", "how many keys are remembered")
}

private final class Remind: Step {
  private let key: Evaluation
  private let time: Evaluation
  private let cancelWhen: Evaluation
  private let isPassing: Bool
  /// Whether a key that is not in the last whole poll is missing.
  private let holdsMissing: Bool
  private let context: StepContext
  private let maxKeys: Int
  private let bound: StepBound
  private var machine: RemindMachine<NodeState<Reminder<Event>>, Event>
  /// The time that the alarm is set to.
  private var deadline: Instant?
  /// The time of the last whole poll of each source, in seconds since 1970.
  private var wholePolls: NodeState<Value>

  init(_ options: Options, _ context: StepContext) throws {
    key = context.evaluation(options[RemindOptions.key])
    time = context.evaluation(options[RemindOptions.time])
    cancelWhen = context.evaluation(options[RemindOptions.cancelWhen])
    isPassing = options[RemindOptions.pass]
    holdsMissing = context.isGivenSnapshots && options[RemindOptions.whenMissing] == .hold
    self.context = context
    (maxKeys, bound) = (options[RemindOptions.maxKeys], context.bound)
    machine = RemindMachine(
      state: try context.state(by: options[RemindOptions.key].text, whenKeyChanges: .keep),
      leads: options[RemindOptions.before], grace: options[RemindOptions.grace],
      bound: maxKeys)
    wholePolls = try context.sharedState(by: "source", part: "polls")
  }

  func start(_ out: Downstream) { setAlarm(out) }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = event.keyed(try key.first(event) ?? .null)
    let time = try cancelWhen.isTrue(event) ? nil : time.first(event)?.moment()
    sendDue(out)
    if isPassing { out.send(event) }
    if let time {
      let due = machine.accept(
        event, at: time, for: key, now: out.moment, copyingKey: { $0.detach() }, copying: \.detached)
      for reminder in due { send(reminder, out) }
      if machine.dropExcess() {
        context.meter.countDropped()
        bound.noteForgotten(beyond: maxKeys)
      }
    } else {
      machine.cancel(key)
    }
    setAlarm(out)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    // A key that an incomplete poll does not contain may still be there.
    if holdsMissing, poll.number > 0, poll.isComplete {
      wholePolls.set(.number(poll.at), for: .string(poll.list))
    }
    // The clock may have been set since the poll before.
    deadline = nil
    setAlarm(out)
    out.send(endOf: poll)
  }

  func wake(_ out: Downstream) {
    deadline = nil
    sendDue(out)
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    sendDue(out)
    let count = context.hasDurableState && ending == .keep ? 0 : machine.count
    if count > 0 { context.log.notice("\(count) reminder\(count == 1 ? " was" : "s were") still waiting") }
  }

  private func setAlarm(_ out: Downstream) {
    let next = machine.nextDeadline
    if next == deadline { return }
    deadline = next
    out.setAlarm(atMoment: next)
  }

  private func sendDue(_ out: Downstream) {
    while let reminder = machine.due(at: out.moment, isMissing: isMissing) { send(reminder, out) }
  }

  /// Whether a whole poll of its source has come since the latest event of a key.
  private func isMissing(_ event: Event) -> Bool {
    guard holdsMissing, event.poll.number > 0 else { return false }
    guard let last = wholePolls.value(for: .string(event.poll.list))?.double else { return false }
    return event.poll.at < last
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
