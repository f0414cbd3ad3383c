import JSON

/// A value of a document as YAML on one line: what can stand in a listing, and be read back.
enum FlowYAML {
  /// The value as it may stand behind `key: ` in flow style; values of the environment stay `${NAME}`.
  static func text(_ node: YAMLNode) -> String {
    switch node {
    case .scalar(let scalar): text(scalar)
    case .sequence(let sequence): "[" + sequence.elements.map(text).joined(separator: ", ") + "]"
    case .mapping(let mapping):
      mapping.entries.isEmpty
        ? "{}"
        : "{ " + mapping.entries.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ") + " }"
    }
  }

  private static func text(_ scalar: Scalar) -> String {
    let written = scalar.written
    if written.isEmpty { return scalar.meaning == .null ? "null" : "''" }
    return scalar.style == .plain && isPlain(written) ? written : quotes(written)
  }

  /// A text as YAML: in quotes where it would mean something else without them.
  static func quoted(_ text: String) -> String {
    let letters = text.utf8.allSatisfy {
      isWordByte($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    return letters && coreMeaning(text) == .string && !text.hasPrefix("-") && !text.isEmpty
      ? text : quotes(text)
  }

  private static func quotes(_ text: String) -> String {
    if printable(text) != text { return JSON.Value.string(text).description }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// Whether a text that was plain where it stood is so within brackets too.
  private static func isPlain(_ text: String) -> Bool {
    let reserved = text.utf8.contains { ",[]{}".utf8.contains($0) }
    return !reserved && printable(text) == text && !text.hasSuffix(":")
  }
}
