import Engine
import Language

/// `map`: replaces each event with the outputs of an expression.
package let map = NodeSpec(
  "map", "replace each event with the outputs of an expression: none, one or many",
  details: """
    A mapping builds an object; each of its values is an expression, and mappings may be nested.
    """,
  options: AnyOption.list(MapOptions.to),
  shorthand: "to", takesMapping: true,
  partitioning: .reshaped(by: MapOptions.to),
  examples: [
    .init(
      "one field", "map: .name", input: #"0s {"name": "Heron", "id": 1}"#, output: #"0s "Heron""#),
    .init(
      "an object", "map: { id: .id, name: .name, status: .status }",
      input: #"0s {"id": 1, "name": "Heron", "status": "Go", "pad": 7}"#,
      output: #"0s {"id":1,"name":"Heron","status":"Go"}"#),
    .init(
      "several outputs", "map: .crew[]", input: #"0s {"crew": ["Ada", "Grace"]}"#,
      output: """
        0s "Ada"
        0s "Grace"
        """),
  ],
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
