import Engine
import Language

/// `filter`: passes on the events for which an expression is true.
package let filter = NodeSpec(
  "filter", "pass on events for which an expression is neither false nor null",
  reference: .init(PackageResources.filter_md),
  options: AnyOption.list(FilterOptions.keep),
  shorthand: "where",
  partitioning: .each,
  .stateless { options, context in
    let condition = context.evaluation(options[FilterOptions.keep])
    return .filter { try condition.isTrue($0) }
  }
)
.passingOn()

private enum FilterOptions {
  static let keep = Option.required(
    "where", .condition, "the condition to pass", example: #".status == "Go""#)
}
