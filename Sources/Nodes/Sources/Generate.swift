import JSON
import Engine
import Language
import System

/// `generate`: creates events with an expression, once or on a schedule.
package let generate = NodeSpec(
  "generate", "create events with an expression, once or on a schedule",
  reference: .init(PackageResources.generate_md),
  options: AnyOption.list(GenerateOptions.value, GenerateOptions.limit),
  shorthand: "value",
  .poll { options, context in Generate(options, context) })

private enum GenerateOptions {
  static let value = Option.required(
    "value", .expression, "the expression whose outputs are the events", example: "range(3)")
  static let limit = Option("limit", .integer(1...), default: "1000000", "the most events per poll")
}

private final class Generate: BlockingPollSource {
  private let value: Evaluation
  private let limit: Int

  init(_ options: Options, _ context: SourceContext) {
    value = context.evaluation(options[GenerateOptions.value])
    limit = options[GenerateOptions.limit]
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    var rows: [Value] = []
    try value.each(Event(.null, poll.poll())) { row in
      if rows.count == limit {
        throw Sentence("the expression has more than \(limit) outputs; raise limit to allow more")
      }
      rows.append(row)
    }
    return PollAnswer(rows)
  }
}
