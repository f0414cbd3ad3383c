/// What is wrong with a text, before it is known which file the text stands in.
///
/// The range counts bytes of the text; ``Scalar/problem(_:)`` finds them in the file.
public struct Flaw: Error, Equatable, Sendable {
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

/// The text with each control character, and each that turns the direction of writing, replaced by `�`.
public func printable(_ text: String) -> String {
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      shown.append("\u{FFFD}")
    default: shown.append(scalar)
    }
  }
  return String(shown)
}
