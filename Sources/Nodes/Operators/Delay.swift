import JSON
import Engine
import Language
import Reactive

/// `delay`: sends each event after a fixed time.
let delay = NodeSpec(
  "delay", "send each event after a fixed time",
  details: "Ends of polls are delayed too and keep their place among the events.",
  options: AnyOption.list(DelayOptions.time, DelayOptions.bound),
  shorthand: "for", state: "the waiting events, at most `bound`; beyond that, the oldest is sent early",
  isKept: true,
  examples: [
    .init("five minutes later", "delay: 5m", input: "0s 1\n1s 2", output: "5m 1\n5m1s 2"),
    .init(
      "polls stay whole", "delay: { for: 90s }", input: "0s 1\n0s 2\n0s poll",
      output: "1m30s 1\n1m30s 2\n1m30s poll"),
    .init(
      "at its limit", "delay: { for: 5m, bound: 2 }", input: "0s 1\n1s 2\n2s 3",
      output: "2s 1\n5m1s 2\n5m2s 3"),
  ],
  .step { options, context in
    try Delay(by: options[DelayOptions.time], bound: options[DelayOptions.bound], context)
  }
)
.passingOn()

private enum DelayOptions {
  static let time = Option.required("for", .duration, "how long to delay each event", example: "5m")
  static let bound = Option(
    "bound", .integer(1...10_000_000), default: "65536", "how many events and ends of polls may wait")
}

/// A waiting event and the time it arrived.
private struct Delayed: Remembered {
  /// An event, or the end of a poll.
  let event: Event
  let since: Instant

  init(event: Event, since: Instant) {
    self.event = event
    self.since = since
  }

  init?(remembered value: Value) {
    guard let since = value.time("since"), let event = Event(remembered: value) else { return nil }
    self.init(event: event, since: since)
  }

  var remembered: Value {
    var value = event.remembered
    value.setMember("since", since.remembered)
    return value
  }
}

private final class Delay: Step {
  private var machine = DelayMachine<Event>()
  private let time: Duration
  private let bound: Int
  private let context: StepContext
  private var queue: NodeQueue<Delayed>

  init(by time: Duration, bound: Int, _ context: StepContext) throws {
    self.time = time
    self.bound = bound
    self.context = context
    queue = try context.queue()
  }

  func start(_ out: Downstream) {
    for delayed in queue.waiting { machine.accept(delayed.event, due: delayed.since + time) }
    out.setAlarm(atNext: machine.nextDeadline)
  }

  func take(_ event: Event, _ out: Downstream) { wait(event.detached, out) }

  func endPoll(_ poll: Poll, _ out: Downstream) { wait(.end(of: poll), out) }

  private func wait(_ event: Event, _ out: Downstream) {
    queue.append(Delayed(event: event, since: out.now))
    machine.accept(event, due: out.now + time)
    if machine.count > bound, let early = machine.flushFirst() {
      context.bound.noteEarly(beyond: bound)
      pass(early, out)
    }
    if machine.count == 1 { out.setAlarm(atNext: machine.nextDeadline) }
  }

  func wake(_ out: Downstream) {
    while let event = machine.due(at: out.now) { pass(event, out) }
    out.setAlarm(atNext: machine.nextDeadline)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: while let event = machine.flushFirst() { pass(event, out) }
    case .keep: context.noteWaiting(machine.elements.count { !$0.isEndOfPoll })
    }
  }

  private func pass(_ event: Event, _ out: Downstream) {
    queue.removeFirst()
    out.pass(event)
  }
}
