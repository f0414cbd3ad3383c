import Engine
import Language

/// `filter`: passes on the events for which an expression is true.
package let filter = NodeSpec(
  "filter", "pass on events for which an expression is neither false nor null",
  options: AnyOption.list(FilterOptions.keep),
  shorthand: "where",
  partitioning: .each,
  examples: [
    .init(
      "by a field", #"filter: .status == "Go""#,
      input: """
        0s {"id": 1, "status": "Go"}
        0s {"id": 2, "status": "TBD"}
        """,
      output: #"0s {"id":1,"status":"Go"}"#)
  ],
  .step { options, context in Filter(context.evaluation(options[FilterOptions.keep])) }
)
.passingOn()

private enum FilterOptions {
  static let keep = Option.required(
    "where", .condition, "the condition to pass", example: #".status == "Go""#)
}

private final class Filter: Step {
  private let condition: Evaluation

  init(_ condition: Evaluation) { self.condition = condition }

  func take(_ event: Event, _ out: Downstream) throws {
    if try condition.isTrue(event) { out.send(event) }
  }
}
