/// What the options of a node in a skeleton are given: those of the node's first example, and those it needs.
struct SkeletonExample {
  /// By the option's name, as YAML that may stand behind `name: `; some have several lines.
  private(set) var values: [String: String] = [:]

  init(_ spec: NodeSpec) {
    // Of what builds objects an example that does: steps behind it find members to work with.
    let building = spec.examples.first { spec.isBare && $0.yaml.hasPrefix("\(spec.kind): {") }
    if let yaml = (building ?? spec.examples.first)?.yaml { take(yaml, spec) }
    for option in spec.innerOptions where option.isRequired && values[option.name] == nil {
      values[option.name] = Self.withDefaults(option.sample)
    }
  }

  private mutating func take(_ yaml: String, _ spec: NodeSpec) {
    let document = YAMLDocument(SourceFile(path: "example", text: yaml)) { _ in "" }
    guard let value = document.root?.mapping?[spec.kind]?.value else { return }
    guard case .mapping(let mapping) = value, !spec.isBare else {
      guard let shorthand = spec.shorthand else { return }
      if value.scalar?.written.isEmpty == true { return }
      values[shorthand] = Self.text(value)
      return
    }
    for entry in mapping.entries {
      let option = spec.innerOptions.first { $0.name == entry.key.text }
      // The environment that a secret comes from has not been set up yet.
      guard let option, option.isRequired || !option.typeName.hasSuffix("secret") else { continue }
      values[option.name] = Self.text(entry.value)
    }
  }

  /// The value as it was written, where that can stand in another place.
  private static func text(_ value: YAMLNode) -> String {
    guard let scalar = value.scalar else { return withDefaults(FlowYAML.text(value)) }
    switch scalar.style {
    case .plain where !scalar.written.contains("\n"): return withDefaults(scalar.written)
    case .literal, .folded:
      var text = scalar.written
      while text.last == "\n" { text.removeLast() }
      return withDefaults("|\n" + text)
    default: return withDefaults(FlowYAML.text(value))
    }
  }

  /// `${NAME}` as `${NAME:-}`, so that the file is right before the variable is set.
  private static func withDefaults(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      guard rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") else {
        result.append(rest.removeFirst())
        continue
      }
      let name = rest[..<end]
      result += name.contains(":") ? "\(name)}" : "\(name):-}"
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// The lines of a mapping's entry; further lines of the value are indented behind it.
  static func entry(_ head: String, _ value: String, indent: Int, isComment: Bool = false) -> [String] {
    let parts = value.split(separator: "\n", omittingEmptySubsequences: false)
    let margin = String(repeating: " ", count: indent) + (isComment ? "#   " : "  ")
    let isBlock = value.hasPrefix("|") || value.hasPrefix(">") || parts.count == 1
    // A mapping or list of several lines begins on a line of its own.
    var lines = [isBlock ? "\(head) \(parts[0])" : head]
    for part in isBlock ? parts.dropFirst() : parts[...] { lines.append(part.isEmpty ? "" : margin + part) }
    return lines
  }
}
