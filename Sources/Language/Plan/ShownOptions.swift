/// A node's options on one line, for listings and drawings: as they are written, but never a secret.
///
/// `filter: .n > 1` gives `.n > 1`, `debounce: { key: .id, for: 2m }` gives `key: .id, for: 2m`. Values of the
/// environment stay `${NAME}`.
struct ShownOptions {
  let text: String

  init(_ value: YAMLNode, _ spec: NodeSpec, masking secrets: Secrets) {
    text = secrets.masked(ShownOptions.line(value, spec))
  }

  private static func line(_ value: YAMLNode, _ spec: NodeSpec) -> String {
    func isSecret(_ name: String?) -> Bool {
      spec.options.contains { $0.name == name && $0.typeName.hasSuffix("secret") }
    }
    guard case .mapping(let mapping) = value, !spec.isBare else {
      if isSecret(spec.shorthand) { return hidden(value) }
      if let scalar = value.scalar, scalar.meaning == .null, scalar.written.isEmpty { return "" }
      return value.scalar.map { printable($0.written) } ?? FlowYAML.text(value)
    }
    return mapping.entries.map { entry in
      let name = entry.key.text
      return "\(printable(name)): \(isSecret(name) ? hidden(entry.value) : FlowYAML.text(entry.value))"
    }.joined(separator: ", ")
  }

  /// Nothing but the names of the variables that a secret comes from.
  private static func hidden(_ value: YAMLNode) -> String {
    guard let scalar = value.scalar, let name = scalar.variables.first else { return "***" }
    return scalar.written == "${\(name)}" ? scalar.written : "***"
  }
}
