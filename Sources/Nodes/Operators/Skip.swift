import JSON
import Engine
import Language

/// `skip`: drops the first events of a poll or stream.
package let skip = NodeSpec(
  "skip", "drop the first events of each poll, or of the whole stream",
  reference: .init(PackageResources.skip_md),
  options: AnyOption.list(SkipOptions.count, SkipOptions.per),
  shorthand: "count",
  .step { options, context in try Skip(options, context) }
)
.passingOn()
.dropping("it is one of the events to skip")

private enum SkipOptions {
  static let count = Option.required("count", .integer(0...), "how many events to drop", example: "1")
  static let per = Option(
    "per", OptionType<CountedPer>.choice(), default: "poll",
    "whether to count per poll or over the whole stream")
}

private final class Skip: Step {
  private let limit: Int
  private var count: EventCount

  init(_ options: Options, _ context: StepContext) throws {
    limit = options[SkipOptions.count]
    count = try EventCount(per: options[SkipOptions.per], context)
  }

  func take(_ event: Event, _ out: Downstream) {
    if count.value >= limit { out.send(event) } else { count.add() }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    count.endPoll()
    out.send(endOf: poll)
  }
}
