import JSON
import Engine
import Language
import Reactive

/// `throttle`: passes on at most one event of each key per period.
let throttle = NodeSpec(
  "throttle", "pass on at most one event of each key per period and drop the others",
  options: AnyOption.list(
    ThrottleOptions.period, ThrottleOptions.key, ThrottleOptions.latest, ThrottleOptions.bound),
  shorthand: "for",
  state: "the open period of each key, at most `bound`; beyond that, the oldest is closed",
  isKept: true,
  division: .byKey(ThrottleOptions.key),
  examples: [
    .init(
      "the first within ten seconds", "throttle: 10s",
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
      "per key", "throttle: { for: 10s, key: .id }",
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
  .step { options, context in try Throttle(options, context) })

private enum ThrottleOptions {
  static let period = Option.required(
    "for", .duration, "the minimum time between events of a key", example: "10s")
  static let key = Option("key", .expression, default: "null", "each key has its own period")
  static let latest = Option(
    "latest", .boolean, default: "false", "whether the last event dropped in a period is sent at its end")
  static let bound = Option(
    "bound", .integer(1...), default: "65536", "how many keys may have an open period")
}

/// The open window of a key.
private struct OpenWindow: Remembered {
  var end: Instant
  var held: Event?

  init(end: Instant, held: Event?) {
    self.end = end
    self.held = held
  }

  init?(remembered value: Value) {
    guard let end = value.member("end").flatMap({ Instant(remembered: $0) }) else { return nil }
    self.init(end: end, held: value.member("held").flatMap { Event(remembered: $0) })
  }

  var remembered: Value {
    .record([("end", end.remembered)] + (held.map { [("held", $0.remembered)] } ?? []))
  }
}

private final class Throttle: Step {
  private typealias Machine = ThrottleMachine<Event>

  private let key: Evaluation
  private let period: Duration
  private let latest: Bool
  private let bound: Int
  private let context: StepContext
  private var windows: NodeState<OpenWindow>
  private var deadlines = Deadlines<Value>()

  init(_ options: Options, _ context: StepContext) throws {
    key = context.evaluation(options[ThrottleOptions.key])
    period = options[ThrottleOptions.period]
    latest = options[ThrottleOptions.latest]
    bound = options[ThrottleOptions.bound]
    self.context = context
    windows = try context.state(by: options[ThrottleOptions.key].text, whenKeyChanges: .keep)
    windows.forEach { deadlines.set($1.end, for: $0) }
  }

  func start(_ out: Downstream) { setAlarm(out) }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = (try key.first(event) ?? .null).detach()
    closeWindows(out)
    var machine = machine(windows.value(for: key))
    let passes = machine.accept(event.detached, at: out.now)
    keep(machine, key)
    if passes {
      out.send(event)
      closeExcess(out)
    }
    setAlarm(out)
  }

  func wake(_ out: Downstream) {
    closeWindows(out)
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    var waiting: [(key: Value, event: Event)] = []
    windows.forEach { key, window in
      if let event = window.held { waiting.append((key, event)) }
    }
    switch ending {
    case .flush:
      for (key, event) in waiting {
        windows.remove(key)
        out.send(event)
      }
    case .keep: context.noteWaiting(waiting.count)
    }
  }

  private func machine(_ window: OpenWindow?) -> Machine {
    Machine(period: period, latest: latest, windowEnd: window?.end, held: window?.held)
  }

  private func keep(_ machine: Machine, _ key: Value) {
    guard let end = machine.windowEnd else { return }
    windows.set(OpenWindow(end: end, held: machine.held), for: key)
    deadlines.set(end, for: key)
  }

  /// Closes the windows that have ended; an event that was held back opens the next window.
  private func closeWindows(_ out: Downstream) {
    while let key = deadlines.popFirst(dueBy: out.now) {
      var machine = machine(windows.remove(key))
      guard let event = machine.due(at: out.now) else { continue }
      keep(machine, key)
      out.send(event)
    }
  }

  /// Closes the oldest window if there are too many.
  private func closeExcess(_ out: Downstream) {
    guard windows.count > bound, let key = deadlines.popFirst(dueBy: .distantFuture) else { return }
    context.bound.noteForgotten(beyond: bound)
    if let event = windows.remove(key)?.held { out.send(event) }
  }

  private func setAlarm(_ out: Downstream) { out.setAlarm(atNext: deadlines.earliest) }
}
