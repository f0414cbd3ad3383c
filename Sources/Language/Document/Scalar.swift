/// A single value of a document: its text, how it was written, what it means, and where each byte of it stands.
public struct Scalar: Sendable {
  public enum Style: Sendable { case plain, singleQuoted, doubleQuoted, literal, folded }

  /// The text, with values of the environment in their places.
  public let text: String
  /// The text as the file has it, `${NAME}` unreplaced: fit to be printed.
  public let written: String
  public let style: Style
  public let meaning: Meaning
  /// The whole of it in the file, quotes included.
  public let place: SourceRange
  /// The variables of the environment that the text was made with.
  public let variables: [String]
  let map: TextMap
  /// Where the values of variables are in the text, in UTF-8 bytes.
  var insertions: [Range<Int>] = []
  /// Values of the environment in the text that nothing printed may show.
  var secrets: [String] = []

  /// Where a part of the text (in UTF-8 bytes) stands in the file; the whole when it has no place of its own.
  public func place(of range: Range<Int>) -> SourceRange {
    map.count == 0 ? place : SourceRange(place.file, map.file(of: range))
  }

  /// The error in the text, as a problem of the file.
  public func problem(_ flaw: TextError) -> Problem {
    let isWhole = flaw.range.lowerBound <= 0 && flaw.range.upperBound >= map.count
    return Problem(flaw.message, at: isWhole ? place : place(of: flaw.range), hint: flaw.hint)
  }

  /// Its description in a message.
  public var kind: String {
    switch meaning {
    case .null: "null"
    case .boolean(let value): "the boolean \(value)"
    case .integer, .number: "the number \(printable(written))"
    case .string: "the text \(quoted(written))"
    }
  }
}

extension Scalar: CustomStringConvertible {
  public var description: String {
    meaning == .string && (style != .plain || variables.isEmpty) ? quoted(written) : printable(written)
  }
}

/// The meaning of a scalar.
public enum Meaning: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case string
}

/// The meaning of a plain scalar by YAML 1.2's core schema: `no`, `on` and `yes` are strings.
///
///     coreMeaning("0x1F")  // .integer(31)
///     coreMeaning("no")    // .string
///
/// A whole number that 64 bits do not hold is the nearest floating-point number.
func coreMeaning(_ text: String) -> Meaning {
  switch text {
  case "", "~", "null", "Null", "NULL": return .null
  case "true", "True", "TRUE": return .boolean(true)
  case "false", "False", "FALSE": return .boolean(false)
  case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .number(.infinity)
  case "-.inf", "-.Inf", "-.INF": return .number(-.infinity)
  case ".nan", ".NaN", ".NAN": return .number(.nan)
  default: break
  }
  // Most scalars are no numbers, and a long one never is one worth reading.
  guard let first = text.utf8.first, (0x30...0x39).contains(first) || "+-.".utf8.contains(first),
    text.utf8.count < 400
  else { return .string }
  if text.hasPrefix("0x") { return based(text.dropFirst(2), radix: 16) }
  if text.hasPrefix("0o") { return based(text.dropFirst(2), radix: 8) }
  guard isDecimal(text) else { return .string }
  if let whole = Int(text) { return .integer(whole) }
  return Double(text).map { .number($0) } ?? .string
}

private func based(_ digits: Substring, radix: Int) -> Meaning {
  guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.hexDigitValue ?? 99) < radix }) else {
    return .string
  }
  if let whole = Int(digits, radix: radix) { return .integer(whole) }
  return .number(digits.reduce(0) { $0 * Double(radix) + Double($1.hexDigitValue ?? 0) })
}

/// A decimal number.
///
///     [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
private func isDecimal(_ text: String) -> Bool {
  var rest = text.utf8[...]
  func sign() {
    if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") { rest.removeFirst() }
  }
  func digits() -> Int {
    let run = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(run.count)
    return run.count
  }
  sign()
  let whole = digits()
  var fraction = 0
  if rest.first == UInt8(ascii: ".") {
    rest.removeFirst()
    fraction = digits()
  }
  if whole == 0, fraction == 0 { return false }
  if let first = rest.first, first == UInt8(ascii: "e") || first == UInt8(ascii: "E") {
    rest.removeFirst()
    sign()
    if digits() == 0 { return false }
  }
  return rest.isEmpty
}

/// Whether a byte is a letter or a digit of ASCII.
package func isWordByte(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
