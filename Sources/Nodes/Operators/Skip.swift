import JSON
import Engine
import Language

/// `skip`: drops the first events of a poll or stream.
let skip = NodeSpec(
  "skip", "drop the first events of each poll, or of the whole stream",
  options: AnyOption.list(SkipOptions.count, SkipOptions.per),
  shorthand: "count",
  examples: [
    .init(
      "one", "skip: 1",
      input: """
        0s 1
        1s 2
        """,
      output: "1s 2"),
    .init(
      "one, once", "skip: { count: 1, per: stream }",
      input: """
        0s 1
        0s 2
        0s poll
        1h 3
        1h poll
        """,
      output: """
        0s 2
        0s poll
        1h 3
        1h poll
        """),
  ],
  .step { options, context in try Skip(options, context) })

private enum SkipOptions {
  static let count = Option.required("count", .integer(0...), "how many events to drop", example: "1")
  static let per = Option(
    "per", OptionType<CountedPer>.choice(), default: "poll",
    "whether to count per poll or over the whole stream")
}

private final class Skip: Step {
  private let count: Int
  private let per: CountedPer
  private var skipped: Int
  private let counted: NodeCell<Value>

  init(_ options: Options, _ context: StepContext) throws {
    count = options[SkipOptions.count]
    per = options[SkipOptions.per]
    counted = try context.cell(forRun: true)
    skipped = counted.value?.double.flatMap { Int(exactly: $0) } ?? 0
  }

  func take(_ event: Event, _ out: Downstream) {
    if skipped >= count { return out.send(event) }
    note(skipped + 1)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if per == .poll { note(0) }
    out.send(endOf: poll)
  }

  private func note(_ number: Int) {
    if number == skipped { return }
    skipped = number
    counted.set(.number(number))
  }
}
