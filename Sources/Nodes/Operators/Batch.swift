import JSON
import Engine
import Language
import Reactive

/// `batch`: collects events into arrays.
package let batch = NodeSpec(
  "batch", "collect events into arrays, by count, by time or per poll",
  reference: .init(PackageResources.batch_md),
  options: AnyOption.list(
    BatchOptions.count, BatchOptions.time, BatchOptions.poll, BatchOptions.bound),
  shorthand: "count", state: "the events of one batch: at most `count`, or `bound` without a `count`",
  hasDurableState: true,
  check: { options, checker in
    if options[BatchOptions.count] == nil, options[BatchOptions.time] == nil, !options[BatchOptions.poll] {
      checker.report(
        "nothing says when a batch is complete", at: options.place,
        hint: "add count, time or poll: true, as in batch: { count: 100, time: 1m }")
    }
  },
  .step { options, context in
    let machine = BatchMachine(
      limit: options[BatchOptions.count] ?? options[BatchOptions.bound],
      isEarly: options[BatchOptions.count] == nil, time: options[BatchOptions.time],
      copy: try context.queue(of: Event.self), since: try context.cell(of: Instant.self, part: "since"))
    let pollEnds = options[BatchOptions.poll] ? MachineStep.PollEnds.flush : .passOn
    return MachineStep(machine, context, keeps: true, pollEnds: pollEnds) {
      if let last = $0.last { $1.send(Event(.array($0.map(\.value)), last.poll)) }
    }
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
