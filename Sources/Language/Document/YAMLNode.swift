import JSON

/// A value in a YAML document, with its place in the file.
public enum YAMLNode: Sendable {
  case scalar(Scalar)
  case sequence(Sequence)
  case mapping(Mapping)

  public struct Sequence: Sendable {
    public var elements: [YAMLNode]
    public var place: SourceRange
  }

  public struct Mapping: Sendable {
    public var entries: [Entry]
    public var place: SourceRange
    /// Whether a syntax error cut it off: what it lacks may stand behind.
    var isCut = false

    /// The entry of that name.
    public subscript(name: String) -> Entry? { entries.first { $0.key.text == name } }
  }

  public struct Entry: Sendable {
    public var key: Scalar
    public var value: YAMLNode
  }

  public var place: SourceRange {
    switch self {
    case .scalar(let scalar): scalar.place
    case .sequence(let sequence): sequence.place
    case .mapping(let mapping): mapping.place
    }
  }

  /// Its description in a message: “a mapping”, “a list”, “the text “x””, “the number 5”, “null”.
  public var kind: String {
    switch self {
    case .scalar(let scalar): scalar.kind
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }

  public var scalar: Scalar? { if case .scalar(let scalar) = self { scalar } else { nil } }
  public var sequence: Sequence? { if case .sequence(let sequence) = self { sequence } else { nil } }
  public var mapping: Mapping? { if case .mapping(let mapping) = self { mapping } else { nil } }
}

extension YAMLNode: CustomStringConvertible {
  /// The document on one line; values that come from the environment are shown as they are written, `${NAME}`.
  public var description: String {
    switch self {
    case .scalar(let scalar): scalar.description
    case .sequence(let sequence): "[" + sequence.elements.map(\.description).joined(separator: ", ") + "]"
    case .mapping(let mapping):
      "{" + mapping.entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
  }
}

/// A value of a document as YAML on one line: what can stand in a listing, and be read back.
public enum FlowYAML {
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
  public static func quoted(_ text: String) -> String {
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
