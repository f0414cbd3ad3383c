import JSON
import Language

/// A part of a text that cannot be decoded and was skipped.
package struct BadText: Equatable, Sendable, CustomStringConvertible {
  let path: String
  /// The line on which it begins, from 1.
  let line: Int
  /// The column on that line, from 1, where the reason does not mention it.
  let column: Int?
  package private(set) var reason: String
  /// Its beginning: at most 80 characters, without control characters.
  let excerpt: String

  init(path: String, line: Int, column: Int? = nil, reason: String, text: ByteView) {
    self.path = path
    self.line = line
    self.column = column
    self.reason = reason
    excerpt = BadText.excerpt(of: text)
  }

  /// The first bytes of a part of a text that are not UTF-8; nil without any.
  ///
  /// - Parameter startsLine: Whether the part begins a line, so that columns are known.
  package static func encoding(
    _ path: String, _ part: ByteView, lines: @autoclosure () -> Int, startsLine: Bool = true
  ) -> BadText? {
    let bad = invalidUTF8Offset(part)
    guard bad < part.count else { return nil }
    let start = part[..<bad].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    return BadText(
      path: path, line: lines() + part[..<start].count { $0 == 0x0a } + 1,
      column: startsLine || start > 0 ? part[start..<bad].count { $0 & 0xc0 != 0x80 } + 1 : nil,
      reason: "the text is not UTF-8: byte 0x\(String(part[bad], radix: 16))",
      text: ByteView(rebasing: part[start...]).firstLine)
  }

  /// The same for a text that was converted: what has no meaning in its encoding is none in UTF-8.
  func converted(from name: String) -> BadText {
    guard reason.hasSuffix(Self.notUTF8) else { return self }
    var flaw = self
    flaw.reason = "a byte has no meaning in \(name)"
    return flaw
  }

  private static let notUTF8 = "the text is not UTF-8: byte 0xff"

  package var description: String {
    "\(path):\(line)\(column.map { ":\($0)" } ?? ""): \(reason)\(shown)"
  }

  /// The description without the path, for a text that a request or a command has produced.
  var inText: String {
    "line \(line)\(column.map { ", column \($0)" } ?? ""): \(reason)\(shown)"
  }

  private var shown: String { excerpt.isEmpty && column != nil ? "" : ": \(excerpt)" }

  /// 80 characters are at most so many bytes; one that is cut off at the end becomes part of the “…”.
  private static let excerptBytes = 320

  /// The first line, as far as an excerpt needs it: a line of many bad parts is not searched to its end for each.
  static func beginning(of text: ByteView) -> ByteView {
    ByteView(rebasing: text.prefix(excerptBytes)).firstLine
  }

  package static func excerpt(of text: ByteView) -> String {
    let start = String(decoding: text.prefix(excerptBytes), as: UTF8.self)
    var excerpt = String.UnicodeScalarView()
    for scalar in start.unicodeScalars {
      if excerpt.count == 80 {
        excerpt.removeLast()
        excerpt.append("…")
        break
      }
      excerpt.append(isPrintable(scalar) ? scalar : " ")
    }
    return String(excerpt)
  }

  /// Whether it is neither a control character nor one that changes the direction of text.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension ParseError {
  /// The reason, for a report that includes the line.
  package var reason: String {
    if isAtEnd { return "\(message): unexpected end" }
    return line > 0 ? "\(message) at column \(column)" : message
  }
}
