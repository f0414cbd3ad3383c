import Engine
import Language

/// `map`: replaces each event with the outputs of an expression.
package let map = NodeSpec(
  "map", "replace each event with the outputs of an expression: none, one or many",
  reference: .init(PackageResources.map_md),
  options: AnyOption.list(MapOptions.to),
  shorthand: "to", takesMapping: true,
  partitioning: .reshaped(by: MapOptions.to),
  .step { options, context in Map(context.evaluation(options[MapOptions.to])) }
)
.sending(MapOptions.to)

private enum MapOptions {
  static let to = Option.required(
    "to", .shape, "the expression, or a mapping of expressions", example: "{ id: .id }")
}

private final class Map: Step {
  private let expression: Evaluation

  init(_ expression: Evaluation) { self.expression = expression }

  func take(_ event: Event, _ out: Downstream) throws {
    try expression.each(event) { out.send(event.with($0)) }
  }
}
