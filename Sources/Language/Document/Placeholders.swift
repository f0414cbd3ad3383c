import System

/// The values of placeholders: `${NAME}` is a variable of the environment, `${file:PATH}` the text of a file,
/// `${credential:NAME}` one that the service manager has passed, and `${exec:COMMAND}` what a command prints.
///
/// ```
/// var placeholders = Placeholders { name in name == "HOST" ? "example.org" : nil }
/// placeholders.readFile = { path in Array("secret\n".utf8) }
/// ```
public struct Placeholders: Sendable {
  /// A file or command of which the value is all that it contains or prints.
  public typealias Source = @Sendable (String) throws(Sentence) -> [UInt8]?

  public var environment: @Sendable (String) -> String?
  /// The bytes of a file; nil where there is none.
  public var readFile: Source = { _ in nil }
  /// The bytes of a credential; nil where there is none.
  public var credential: Source = { _ in nil }
  /// The output of a command; nil where commands are not run.
  public var output: Source = { _ in nil }
  /// Whether values are for a run.
  ///
  /// If not, “unknown” takes the place of commands, and of variables and credentials that are not there.
  public var isForRun = false

  /// The text in place of a value that only a run has.
  static let unknown = "unknown"
  /// The most bytes of a value.
  public static let limit = 64 << 10

  public init(environment: @escaping @Sendable (String) -> String? = { _ in nil }) {
    self.environment = environment
  }
}

/// A placeholder as it is written.
struct Placeholder {
  enum Kind: String, CaseIterable {
    case variable, file, credential, exec

    /// The beginning of a placeholder of this kind; nothing for a variable.
    var prefix: String { self == .variable ? "" : "\(rawValue):" }
  }

  let kind: Kind
  /// The name, path or command.
  let subject: String
  let fallback: String?

  static let usage =
    "write ${NAME} or ${NAME:-default}, ${file:PATH}, ${credential:NAME} or ${exec:COMMAND}, or $${ for the two characters themselves"

  /// Reads what is between the braces; nil if it is no placeholder.
  init?(_ inside: Substring) {
    // `${file:-x}` is the variable `file` with a default.
    kind =
      Kind.allCases.first { kind in
        kind != .variable && inside.hasPrefix(kind.prefix) && !inside.hasPrefix(kind.prefix + "-")
      } ?? .variable
    var rest = inside.dropFirst(kind.prefix.count)
    // A command may contain any text.
    if kind != .exec, let dash = rest.place(of: ":-") {
      fallback = String(rest[dash.upperBound...])
      rest = rest[..<dash.lowerBound]
    } else {
      fallback = nil
    }
    subject = String(rest)
    switch kind {
    case .variable:
      let isName = rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard isName, let first = rest.first, !first.isNumber else { return nil }
    case .credential:
      guard !rest.isEmpty, !rest.contains("/"), rest != ".", rest != ".." else { return nil }
    case .file, .exec: guard !rest.allSatisfy(\.isWhitespace) else { return nil }
    }
  }

  /// The end of the placeholder that begins with these bytes; nil if it is not closed.
  ///
  /// Braces within a command count: `${exec:awk '{ print $1 }' keys}`.
  static func end(_ source: ArraySlice<UInt8>) -> Int? {
    let inside = source.dropFirst(2)
    let isCommand = inside.starts(with: "exec:".utf8) && !inside.starts(with: "exec:-".utf8)
    var depth = 0
    for index in source.indices.dropFirst() {
      if source[index] == UInt8(ascii: "{"), depth == 0 || isCommand { depth += 1 }
      if source[index] == UInt8(ascii: "}") { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
    return nil
  }
}
