/// What is wrong with a text, before it is known which file the text stands in.
///
/// The range counts bytes of the text; ``Scalar/problem(_:)`` finds them in the file.
public struct TextError: Error, Equatable, Sendable {
  public var range: Range<Int>
  public var message: String
  public var hint: String?

  public init(_ message: String, at range: Range<Int>, hint: String? = nil) {
    self.range = range
    self.message = message
    self.hint = hint
  }

  /// A flaw of the whole text.
  public init(_ message: String, in text: String, hint: String? = nil) {
    self.init(message, at: 0..<text.utf8.count, hint: hint)
  }
}

/// A text as an error message quotes it: short, and without characters that a terminal obeys.
///
///     quoted("90x")  // “90x”
public func quoted(_ text: String) -> String {
  let limit = 48
  let short = text.unicodeScalars.prefix(limit + 1)
  return
    "“\(printable(String(String.UnicodeScalarView(short.prefix(limit)))))\(short.count > limit ? "…" : "")”"
}
