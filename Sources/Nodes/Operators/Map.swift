import Engine
import Language

/// `map`: replaces each event with the outputs of an expression.
package let map = NodeSpec(
  "map", "replace each event with the outputs of an expression: none, one or many",
  reference: .init(PackageResources.map_md),
  options: AnyOption.list(MapOptions.to),
  shorthand: "to", takesMapping: true,
  partitioning: .reshaped(by: MapOptions.to),
  .stateless { options, context in
    let expression = context.evaluation(options[MapOptions.to])
    return .map { event, emit in try expression.each(event) { emit(event.with($0)) } }
  }
)
.sending(MapOptions.to)

private enum MapOptions {
  static let to = Option.required(
    "to", .shape, "the expression, or a mapping of expressions", example: "{ id: .id }")
}
