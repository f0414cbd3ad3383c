import JSON
import Engine
import Language
import Reactive

/// `sample`: sends the latest event at a fixed interval.
let sample = NodeSpec(
  "sample", "send the latest event of each key at a fixed interval, if there is a new one",
  options: AnyOption.list(SampleOptions.every, SampleOptions.key, SampleOptions.bound),
  shorthand: "every",
  state: "the latest event of each key, at most `bound`; beyond that, the oldest is sent early",
  isKept: true,
  examples: [
    .init(
      "every minute", "sample: 1m",
      input: """
        10s 1
        20s 2
        70s 3
        """,
      output: """
        1m 2
        2m 3
        """),
    .init(
      "per sensor", "sample: { every: 1m, key: .id }",
      input: """
        0s {"id": "a", "t": 1}
        5s {"id": "b", "t": 2}
        9s {"id": "a", "t": 3}
        """,
      output: """
        1m {"id":"b","t":2}
        1m {"id":"a","t":3}
        """),
    .init(
      "at its limit", "sample: { every: 1m, key: ., bound: 1 }",
      input: """
        0s "a"
        1s "b"
        """,
      output: """
        1s "a"
        1m "b"
        """),
  ],
  .step { options, context in try Sample(options, context) })

private enum SampleOptions {
  static let every = Option.required(
    "every", .duration, "the interval, counted from the start", example: "1m")
  static let key = Option("key", .expression, default: "null", "the latest event of each key is sent")
  static let bound = Option(
    "bound", .integer(1...), default: "65536", "how many keys may have a waiting event")
}

private final class Sample: Step {
  private let period: Duration
  private let key: Evaluation
  private let bound: Int
  private var start = Instant()
  private let context: StepContext
  private var latest: NodeState<Event>
  /// When the first interval began, in this run or an earlier one.
  private let kept: NodeCell<Instant>

  init(_ options: Options, _ context: StepContext) throws {
    period = options[SampleOptions.every]
    key = context.evaluation(options[SampleOptions.key])
    bound = options[SampleOptions.bound]
    self.context = context
    kept = try context.cell(part: "start")
    latest = try context.state(by: options[SampleOptions.key].text, whenKeyChanges: .keep)
  }

  func start(_ out: Downstream) {
    start = kept.value ?? out.now
    kept.set(start)
    if latest.count > 0 { setAlarm(out) }
  }

  func take(_ event: Event, _ out: Downstream) throws {
    let key = (try key.first(event) ?? .null).detach()
    latest.set(event.detached, for: key)
    if latest.count > bound, let oldest = latest.oldest {
      latest.remove(oldest.key)
      context.bound.noteEarly("waiting keys", beyond: bound)
      out.send(oldest.value)
    }
    setAlarm(out)
  }

  private func setAlarm(_ out: Downstream) {
    let beats = ((out.now - start) / period).rounded(.down) + 1
    out.setAlarm(at: start + period * beats)
  }

  func wake(_ out: Downstream) { sendAll(out) }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: sendAll(out)
    case .keep: context.noteWaiting(latest.count)
    }
  }

  private func sendAll(_ out: Downstream) {
    while let oldest = latest.oldest {
      latest.remove(oldest.key)
      out.send(oldest.value)
    }
  }
}
