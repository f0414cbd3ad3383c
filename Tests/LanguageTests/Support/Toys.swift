import JSON
import Language

/// Nodes that do nothing, for what looks at declarations alone.
let toys = Catalog([
  NodeSpec(
    "api", "ask a server for rows",
    reference: .toy(
      "# the usual", "api: { url: https://example.org/rows, key: \"${API_KEY}\" }",
      details: "It asks politely."),
    options: AnyOption.list(Toy.url, Toy.key, Toy.headers), shorthand: "url",
    madeBy: ToyMaker(role: .poll)),
  NodeSpec("lines", "read lines", reference: .toy("# all", "lines:"), madeBy: ToyMaker(role: .stream)),
  NodeSpec(
    "keep", "keep some",
    reference: .toy(
      "# by number", "keep: .n > 1", "< 0s {\"n\": 1}", "< 0s {\"n\": 2}", "> 0s {\"n\":2}",
      "# none", "keep: false", "< 0s 1"),
    options: AnyOption.list(Toy.condition), shorthand: "where", madeBy: ToyMaker(role: .step)),
  NodeSpec(
    "shape", "make it another",
    reference: .toy("# an object", "shape: { id: .id, at: '.[\"a, b\"]' }"),
    options: AnyOption.list(Toy.shape), shorthand: "to", takesMapping: true, madeBy: ToyMaker(role: .step)),
  NodeSpec(
    "join", "add what another stream said last",
    reference: .toy("# by name", "join: { with: other }", "< 1s 1", "other < 0s 2", "> 1s [1,2]"),
    options: AnyOption.list(Toy.with, Toy.bound), state: "the last event of each key, up to bound",
    madeBy: ToyMaker(role: .step)),
  NodeSpec("screen", "show it", reference: .toy("# as it is", "screen:"), madeBy: ToyMaker(role: .sink)),
  NodeSpec(
    "log", "write it down", reference: .toy("# a log", "log: out/a.jsonl"),
    options: AnyOption.list(Toy.path), shorthand: "path", madeBy: ToyMaker(role: .sink)),
  NodeSpec(
    "mail", "send it",
    reference: .toy("# to me", "mail: { to: me@example.org, password: \"${PASSWORD}\" }"),
    options: AnyOption.list(Toy.to, Toy.password), madeBy: ToyMaker(role: .sink)),
])

extension NodeReference {
  /// A page of these lines of examples.
  fileprivate static func toy(_ lines: String..., details: String = "") -> NodeReference {
    NodeReference(
      Array("\(details)\n\n```examples\n\(lines.joined(separator: "\n"))\n```\n".utf8))
  }
}

/// A role without anything behind it.
struct ToyMaker: NodeMaker {
  let role: NodeSpec.Role
}

private enum Toy {
  static let url = Option.required("url", .text, "where it is")
  static let key = Option.optional("key", .secret, "what opens it")
  static let headers = Option.optional(
    "headers", .mapping(of: .secret), "what else to say", example: "{ X-Key: '${KEY}' }")
  static let condition = Option.required("where", .expression, "what must hold")
  static let shape = Option.required("to", .shape, "what it becomes")
  static let with = Option.required("with", .stream, "the other stream")
  static let bound = Option("bound", .integer(1...), default: "100", "how many keys it knows")
  static let path = Option.required("path", .outputPath, "the file")
  static let to = Option.required("to", .list(of: .text), "for whom")
  static let password = Option.required("password", .secret, "whatever lets it in")
}

struct WrongToy: Error, CustomStringConvertible {
  let description: String
}

/// Reads a text as a pipeline made of toys.
func toyPlan(
  _ text: String, environment: [String: String] = [:]
) throws -> (plan: Plan, secrets: Secrets) {
  var reader = PipelineReader(catalog: toys)
  reader.placeholders = Placeholders { environment[$0] }
  reader.read(path: "toys.yaml", Array(text.utf8))
  guard let plan = reader.plans.first else { throw WrongToy(description: reader.problems.description) }
  return (plan, reader.secrets)
}
