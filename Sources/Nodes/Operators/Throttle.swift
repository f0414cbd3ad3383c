import JSON
import Pipeline
import Reactive

/// `throttle`: lets through one event of a key in a while.
let throttle = NodeSpec(
  "throttle", "let one event of each key through in a while, and drop the others",
  options: AnyOption.list(
    ThrottleOptions.period, ThrottleOptions.key, ThrottleOptions.latest, ThrottleOptions.bound),
  shorthand: "for",
  state: "the open window of each key, at most `bound` of them; the oldest is closed first",
  examples: [
    .init(
      "the first in ten seconds", "throttle: 10s",
      input: """
        0s 1
        4s 2
        12s 3
        """,
      output: """
        0s 1
        12s 3
        """),
    .init(
      "the last one too", "throttle: { for: 10s, latest: true }",
      input: """
        0s 1
        4s 2
        5s 3
        """,
      output: """
        0s 1
        10s 3
        """),
    .init(
      "by key", "throttle: { for: 10s, key: .id }",
      input: """
        0s {"id": "a"}
        1s {"id": "b"}
        2s {"id": "a"}
        """,
      output: """
        0s {"id":"a"}
        1s {"id":"b"}
        """),
    .init(
      "at its limit", "throttle: { for: 10s, key: ., bound: 1 }",
      input: """
        0s "a"
        1s "b"
        2s "a"
        """,
      output: """
        0s "a"
        1s "b"
        2s "a"
        """),
  ],
  .step { options, context in Throttle(options, context) })

private enum ThrottleOptions {
  static let period = Option.required("for", .duration, "how long one event is enough", example: "10s")
  static let key = Option("key", .expression, default: "null", "each key has a window of its own")
  static let latest = Option(
    "latest", .boolean, default: "false", "whether the last event dropped in a window follows at its end")
  static let bound = Option("bound", .integer(1...), default: "65536", "how many keys may have a window open")
}

private final class Throttle: Step {
  private typealias Machine = ThrottleMachine<Event>

  private let key: Evaluation
  private let period: Duration
  private let latest: Bool
  private let bound: Int
  private let context: StepContext
  /// The key written longest ago is the one whose window opened first.
  private var windows = MemoryState<Value, (opened: Instant, machine: Machine)>()

  init(_ options: Options, _ context: StepContext) {
    key = context.evaluation(options[ThrottleOptions.key])
    period = options[ThrottleOptions.period]
    latest = options[ThrottleOptions.latest]
    bound = options[ThrottleOptions.bound]
    self.context = context
  }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = (try key.first(event) ?? .null).detach()
    closeWindows(out)
    if var window = windows.value(for: key) {
      _ = window.machine.accept(event.detached, at: out.now)
      windows.replace(window, for: key)
    } else {
      open(key, event, out)
      out.send(event)
    }
    setAlarm(out)
  }

  func wake(_ out: Downstream) {
    closeWindows(out)
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    var waiting: [Event] = []
    windows.forEach { _, window in
      var machine = window.machine
      if let event = machine.flush() { waiting.append(event) }
    }
    switch ending {
    case .flush: for event in waiting { out.send(event) }
    case .keep: context.noteWaiting(waiting.count)
    }
  }

  private func open(_ key: Value, _ event: Event, _ out: Downstream) {
    var machine = Machine(period: period, latest: latest)
    _ = machine.accept(event, at: out.now)
    windows.set((out.now, machine), for: key)
    if windows.count > bound, let oldest = windows.oldest {
      windows.remove(oldest.key)
      sendHeld(oldest.value.machine, out)
    }
  }

  /// Closes what is over; an event that was held opens the next window.
  private func closeWindows(_ out: Downstream) {
    while let oldest = windows.oldest, oldest.value.opened + period <= out.now {
      var machine = oldest.value.machine
      windows.remove(oldest.key)
      if let event = machine.flush() {
        open(oldest.key, event, out)
        out.send(event)
      }
    }
  }

  private func sendHeld(_ machine: Machine, _ out: Downstream) {
    var machine = machine
    if let event = machine.flush() { out.send(event) }
  }

  private func setAlarm(_ out: Downstream) {
    if let oldest = windows.oldest { out.setAlarm(at: oldest.value.opened + period) }
  }
}
