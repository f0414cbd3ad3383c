/// The values of placeholders: `${NAME}` is a variable of the environment, `${file:PATH}` the text of a file,
/// `${credential:NAME}` one that the service manager has passed, and `${exec:COMMAND}` what a command prints.
///
/// ```
/// var placeholders = Placeholders { name in name == "HOST" ? "example.org" : nil }
/// placeholders.readFile = { path in Array("secret\n".utf8) }
/// ```
public struct Placeholders: Sendable {
  /// Why a placeholder has no value: a sentence without a full stop.
  public struct Failure: Error, Equatable {
    public let reason: String
    public let hint: String?

    public init(_ reason: String, hint: String? = nil) { (self.reason, self.hint) = (reason, hint) }
  }

  /// A file or command of which the value is all that it contains or prints.
  public typealias Source = @Sendable (String) throws(Failure) -> [UInt8]?

  public var environment: @Sendable (String) -> String?
  /// The bytes of a file; nil where there is none.
  public var readFile: Source = { _ in nil }
  /// The bytes of a credential; nil where there is none.
  public var credential: Source = { _ in nil }
  /// What a command prints; nil where commands are not run.
  public var output: Source = { _ in nil }
  /// Whether values are for a run.
  ///
  /// If not, “unknown” takes the place of commands, and of credentials that are not there.
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
    case variable = ""
    case file, credential, exec
  }

  let kind: Kind
  /// The name, path or command.
  let subject: String
  let fallback: String?

  static let usage =
    "write ${NAME} or ${NAME:-default}, ${file:PATH}, ${credential:NAME} or ${exec:COMMAND}, or $${ for the two characters themselves"

  /// Reads what is between the braces; nil if it is no placeholder.
  init?(_ inside: Substring) {
    kind = Kind.allCases.dropFirst().first { inside.hasPrefix("\($0.rawValue):") } ?? .variable
    var rest = kind == .variable ? inside : inside.dropFirst(kind.rawValue.utf8.count + 1)
    var fallback: String?
    // A command may contain any text.
    if kind != .exec,
      let dash = Array(rest.utf8).indices.first(where: { rest.utf8.dropFirst($0).starts(with: ":-".utf8) })
    {
      fallback = String(rest.utf8.dropFirst(dash + 2))
      rest = rest.prefix(upTo: rest.utf8.index(rest.startIndex, offsetBy: dash))
    }
    self.fallback = fallback
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
    let isCommand = source.dropFirst(2).starts(with: "exec:".utf8)
    var depth = 0
    for index in source.indices.dropFirst() {
      if source[index] == UInt8(ascii: "{"), depth == 0 || isCommand { depth += 1 }
      if source[index] == UInt8(ascii: "}") { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
    return nil
  }
}
