import JSON

/// The page of `flow docs KIND`, as Markdown.
public enum NodeMarkdown {
  public static func text(_ spec: NodeSpec) -> String {
    var parts = ["## `\(spec.kind)`", "*A \(spec.roleName):* \(spec.summary)."]
    if !spec.innerOptions.isEmpty { parts.append(table(spec.innerOptions)) }
    if let shorthand = spec.shorthandText { parts.append(shorthand) }
    for example in spec.examples {
      var text = "Example: \(example.title)\n\n" + block("yaml", example.yaml)
      if !example.input.isEmpty || !example.output.isEmpty {
        text += "\n\nturns\n\n" + block("", example.input)
        if !example.other.isEmpty { text += "\n\nwith, from `other`,\n\n" + block("", example.other) }
        if !example.web.isEmpty { text += "\n\nwith, from the network,\n\n" + block("", example.web) }
        text += example.output.isEmpty ? "\n\ninto nothing." : "\n\ninto\n\n" + block("", example.output)
      }
      parts.append(text)
    }
    if spec.hasTimedExamples { parts.append("`flow docs examples` explains how to read the examples.") }
    if !spec.details.isEmpty { parts.append(spec.details) }
    if let state = spec.state { parts.append("**State:** \(state)") }
    if !spec.besideOptions.isEmpty {
      parts.append("Options of every \(spec.roleName), next to it:\n\n" + table(spec.besideOptions))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func table(_ options: [AnyOption]) -> String {
    let rows = options.map { option in
      let need = option.isRequired ? "required" : option.fallback.map { "`\($0.markdownCell)`" } ?? ""
      return "| `\(option.name)` | \(option.typeName.markdownCell) | \(need) | \(option.doc.markdownCell) |"
    }
    return (["| option | type | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static func block(_ language: String, _ text: String) -> String { "```\(language)\n\(text)\n```" }
}

extension String {
  /// The text as it stands in a cell of a table of Markdown.
  public var markdownCell: String { map { $0 == "|" ? "\\|" : $0 == "\n" ? " " : String($0) }.joined() }
}

extension NodeSpec {
  /// Whether examples have lines of times and events.
  var hasTimedExamples: Bool { examples.contains { !$0.input.isEmpty } }

  /// The sentence about its shorthand, as Markdown.
  var shorthandText: String? {
    shorthand.map { shorthand in
      takesMapping
        ? "The value of `\(kind):` is the option `\(shorthand)`, which can also be a mapping."
        : "Shorthand: `\(kind): …` is `\(kind): { \(shorthand): … }`, unless `…` is a mapping."
    }
  }

  /// The declaration as JSON, for other programs.
  public var json: JSON.Value {
    .record([
      ("role", .string(roleName)), ("kind", .string(kind)), ("summary", .string(summary)),
      ("details", .string(details)), ("state", state.map { .string($0) } ?? .null),
      ("shorthand", shorthand.map { .string($0) } ?? .null),
      ("options", .array(innerOptions.map(\.json))), ("beside", .array(besideOptions.map(\.json))),
      (
        "examples",
        .array(
          examples.map {
            .record([
              ("title", .string($0.title)), ("yaml", .string($0.yaml)), ("input", .string($0.input)),
              ("other", .string($0.other)), ("web", .string($0.web)),
              ("output", .string($0.output)),
            ])
          })
      ),
    ])
  }
}

extension AnyOption {
  fileprivate var json: JSON.Value {
    .record([
      ("name", .string(name)), ("type", .string(typeName)), ("required", .bool(isRequired)),
      ("default", fallback.map { .string($0) } ?? .null), ("sample", .string(sample)), ("doc", .string(doc)),
    ])
  }
}
