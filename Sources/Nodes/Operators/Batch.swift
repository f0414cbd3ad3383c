import JSON
import Engine
import Language
import Reactive

/// `batch`: collects events into arrays.
let batch = NodeSpec(
  "batch", "collect events into arrays, by count, by time or per poll",
  details: """
    A batch is one event: an array. It is sent when it has `count` events, when `time` has passed since its first \
    event, or, with `poll: true`, at the end of a poll, whichever of the given conditions is met first. `$meta` is \
    that of its last event. Without `poll: true` the end of a poll does not wait for the batch. Empty batches are \
    never sent.
    """,
  options: AnyOption.list(
    BatchOptions.count, BatchOptions.time, BatchOptions.poll, BatchOptions.bound),
  shorthand: "count", state: "the events of one batch: at most `count`, or `bound` without a `count`",
  isKept: true,
  examples: [
    .init(
      "by count", "batch: 2", input: "0s 1\n1s 2\n2s 3\n3s 4\n4s 5", output: "1s [1,2]\n3s [3,4]"),
    .init(
      "the events of a minute", "batch: { count: 100, time: 1m }", input: "0s 1\n30s 2\n2m 3",
      output: "1m [1,2]\n3m [3]"),
    .init(
      "per poll", "batch: { poll: true }", input: "0s 1\n0s 2\n0s poll\n1h 3\n1h poll",
      output: "0s [1,2]\n0s poll\n1h [3]\n1h poll"),
    .init(
      "at its limit", "batch: { time: 1m, bound: 2 }", input: "0s 1\n1s 2\n2s 3",
      output: "1s [1,2]\n1m2s [3]"),
  ],
  check: { options, checker in
    if options[BatchOptions.count] == nil, options[BatchOptions.time] == nil, !options[BatchOptions.poll] {
      checker.report(
        "nothing says when a batch is complete", at: options.place,
        hint: "add count, time or poll: true, as in batch: { count: 100, time: 1m }")
    }
  },
  .step { options, context in
    let limit = options[BatchOptions.count] ?? options[BatchOptions.bound]
    let machine = BatchMachine<Value>(limit: limit, time: options[BatchOptions.time])
    let bound = options[BatchOptions.count] == nil ? limit : nil
    return try Batch(machine, isPolled: options[BatchOptions.poll], bound: bound, context)
  })

private enum BatchOptions {
  static let count = Option.optional(
    "count", OptionType<Int>.integer(1...1_000_000), "the number of events in a batch", example: "100")
  static let time = Option.optional(
    "time", OptionType<Duration>.duration,
    "the longest time from the first event of a batch until it is sent", example: "1m")
  static let poll = Option("poll", .boolean, default: "false", "whether the end of a poll ends the batch")
  static let bound = Option(
    "bound", .integer(1...1_000_000), default: "10000",
    "without `count`, the number of events at which a batch is sent early")
}

private final class Batch: Step {
  private var machine: BatchMachine<Value>
  private let isPolled: Bool
  /// The size at which a batch is sent before its time.
  private let bound: Int?
  private let context: StepContext
  private var poll: Poll?
  private var queue: NodeQueue<Event>
  private let since: NodeCell<Instant>

  init(_ machine: BatchMachine<Value>, isPolled: Bool, bound: Int?, _ context: StepContext) throws {
    self.bound = bound
    self.machine = machine
    self.isPolled = isPolled
    self.context = context
    queue = try context.queue()
    since = try context.cell(part: "since")
  }

  func start(_ out: Downstream) {
    let waiting = queue.waiting
    poll = waiting.last?.poll
    machine.resume(waiting.map(\.value), since: since.value ?? out.now)
    if !waiting.isEmpty { out.setAlarm(atNext: machine.nextDeadline) }
  }

  func take(_ event: Event, _ out: Downstream) {
    poll = event.poll
    if machine.elements.isEmpty { since.set(out.now) }
    queue.append(event.detached)
    let full = machine.accept(event.value.detach(), at: out.now)
    if full != nil || machine.elements.count == 1 { out.setAlarm(atNext: machine.nextDeadline) }
    if full != nil, let bound { context.bound.noteEarly("events in a batch", beyond: bound) }
    send(full, out)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if isPolled {
      send(machine.flush(), out)
      out.clearAlarm()
    }
    out.send(endOf: poll)
  }

  func wake(_ out: Downstream) {
    send(machine.due(at: out.now), out)
    out.setAlarm(atNext: machine.nextDeadline)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: send(machine.flush(), out)
    case .keep: context.noteWaiting(machine.elements.count)
    }
  }

  private func send(_ values: [Value]?, _ out: Downstream) {
    guard let values, let poll else { return }
    queue.removeAll()
    out.send(Event(.array(values), poll))
  }
}
