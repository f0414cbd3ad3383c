import Engine
import Language

/// `filter`: passes on the events for which an expression is true.
package let filter = NodeSpec(
  "filter", "pass on events for which an expression is neither false nor null",
  reference: .init(PackageResources.filter_md),
  options: AnyOption.list(FilterOptions.keep),
  shorthand: "where",
  partitioning: .each,
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
