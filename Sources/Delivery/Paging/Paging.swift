import Language

/// A way to read a list to its end: the options of `http`, and how its second page is requested.
package struct Paging: Sendable, Equatable {
  /// The difference between the requests for the first page and the second.
  package enum Step: Sendable, Equatable {
    /// The address that the answer gives.
    case link
    /// A query item.
    case item(name: String, value: String)
  }

  package let step: Step
  /// `next`, `cursor`, `page`, `offset` and `total`, as YAML.
  package let options: [Setting]
  /// Whether nothing in the answer names the query item.
  package var isGuess = false

  package struct Setting: Sendable, Equatable {
    package let name: String
    package let yaml: String
  }

  /// The ways that services have, the surest first; each is a file of its own.
  static let styles: [@Sendable (ListAnswer) -> Paging?] = [
    LinkPaging.find, CursorPaging.find, NumberPaging.find, OffsetPaging.find, LastRowPaging.find,
    UnnamedPaging.find,
  ]

  init(_ step: Step, _ options: [(name: String, yaml: String)]) {
    self.step = step
    self.options = options.map { Setting(name: $0.name, yaml: $0.yaml) }
  }

  /// Pages whose number, offset or cursor `next` gives for a query item.
  static func next(_ expression: String, for item: String, second: String) -> Paging {
    Paging(.item(name: item, value: second), [("next", yaml(expression)), ("cursor", FlowYAML.quoted(item))])
  }

  /// The options as they are written in braces: `next: .next_cursor, cursor: cursor`.
  package var line: String { options.map { "\($0.name): \($0.yaml)" }.joined(separator: ", ") }

  /// An expression as a YAML value.
  package static func yaml(_ expression: String) -> String {
    expression.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
      ? expression : "'\(expression.replacing("'", by: "''"))'"
  }
}
