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

  /// What a message calls it: “a mapping”, “a list”, “the text “x””, “the number 5”, “null”.
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
