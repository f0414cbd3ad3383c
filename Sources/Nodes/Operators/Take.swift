import JSON
import Engine
import Language

/// `take`: passes on the first events of a poll or stream.
let take = NodeSpec(
  "take", "pass on the first events of each poll, or of the whole stream",
  details: """
    For a source without polls (a file, standard input), and with per: stream, the pipeline ends when no sink can \
    receive any more events.
    """,
  options: AnyOption.list(TakeOptions.count, TakeOptions.per),
  shorthand: "count",
  examples: [
    .init(
      "two", "take: 2",
      input: """
        0s 1
        1s 2
        2s 3
        """,
      output: """
        0s 1
        1s 2
        """),
    .init(
      "the first of every poll", "take: { count: 1, per: poll }",
      input: """
        0s 1
        0s 2
        0s poll
        1h 3
        1h 4
        1h poll
        """,
      output: """
        0s 1
        0s poll
        1h 3
        1h poll
        """),
  ],
  .step { options, context in try Take(options, context) })

/// The scope of a count.
enum CountedPer: String, CaseIterable, Sendable {
  case poll, stream
}

private enum TakeOptions {
  static let count = Option.required("count", .integer(0...), "how many events to pass on", example: "10")
  static let per = Option(
    "per", OptionType<CountedPer>.choice(), default: "poll",
    "whether to count per poll or over the whole stream")
}

private final class Take: Step {
  private let count: Int
  private let per: CountedPer
  private var taken: Int
  private let counted: NodeCell<Value>

  init(_ options: Options, _ context: StepContext) throws {
    count = options[TakeOptions.count]
    per = options[TakeOptions.per]
    counted = try context.cell(forRun: true)
    taken = counted.value?.double.flatMap { Int(exactly: $0) } ?? 0
  }

  func take(_ event: Event, _ out: Downstream) {
    // A source without polls has no next poll to wait for.
    let isEndless = per == .poll && event.poll.number > 0
    if taken < count {
      note(taken + 1)
      out.send(event)
    }
    if taken >= count, !isEndless { out.complete() }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if per == .poll { note(0) }
    out.send(endOf: poll)
  }

  private func note(_ number: Int) {
    if number == taken { return }
    taken = number
    counted.set(.number(number))
  }
}
