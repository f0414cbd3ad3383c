/// Why a text is not JSON, and where.
public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, in jq's words.
  public let message: String
  /// From 1; 0 where a place makes no sense, as for a text without a value.
  public let line: Int
  /// Bytes since the line began, the offending one counted; 0 just after a line break.
  public let column: Int
  /// Bytes before the offending one since the input began.
  public let offset: Int
  /// The input ended where more was needed.
  public let isAtEnd: Bool

  public init(_ message: String, line: Int = 0, column: Int = 0, offset: Int = 0, isAtEnd: Bool = false) {
    self.message = message
    self.line = line
    self.column = column
    self.offset = offset
    self.isAtEnd = isAtEnd
  }

  /// jq's form: `Invalid literal at line 1, column 5`.
  public var description: String {
    guard line > 0 else { return message }
    return "\(message)\(isAtEnd ? " at EOF" : "") at line \(line), column \(column)"
  }
}

/// What a reader accepts.
public struct ParseOptions: Sendable {
  /// Takes the numbers jq takes beyond the standard: `nan`, `infinity`, `01`, `.5`, `5.`, `+1`.
  public var numbersAsJQ: Bool
  /// How deep containers may nest.
  public var depthLimit: Int

  public init(numbersAsJQ: Bool = true, depthLimit: Int = 10_000) {
    self.numbersAsJQ = numbersAsJQ
    self.depthLimit = depthLimit
  }

  /// What jq reads.
  public static let jq = ParseOptions()
  /// RFC 8259 and nothing else.
  public static let strict = ParseOptions(numbersAsJQ: false)
}
