import Engine
import JSON
import Language

/// A part of a text that is not JSON, and was passed over.
struct BadText: Equatable, Sendable, CustomStringConvertible {
  let path: String
  /// The line it begins on, from 1.
  let line: Int
  let reason: String
  /// Its beginning, 80 characters at most, without control characters.
  let excerpt: String

  init(path: String, line: Int, reason: String, text: ByteView) {
    self.path = path
    self.line = line
    self.reason = reason
    excerpt = BadText.excerpt(of: text)
  }

  var description: String { "\(path):\(line): \(reason): \(excerpt)" }

  static func excerpt(of text: ByteView) -> String {
    // 80 characters have at most 320 bytes that matter; a cut one at the end becomes part of the "…".
    let start = String(decoding: text.prefix(320), as: UTF8.self)
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

  /// Neither a control character nor one that turns the direction of writing.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension ParseError {
  /// What is wrong, for a report that names the line itself.
  var reason: String {
    if isAtEnd { return "\(message): it ends too early" }
    return line > 0 ? "\(message) at column \(column)" : message
  }
}

/// Tells of text that is not JSON: the first few one by one, the others in a line at the end.
final class ParseErrorReporter {
  private static let told = 5

  private let context: SourceContext
  private var count = 0

  init(_ context: SourceContext) { self.context = context }

  func report(_ text: BadText) {
    count += 1
    context.meter.countError()
    if count <= Self.told { context.log.error("\(text)") }
  }

  func summarize() {
    let untold = count - Self.told
    if untold > 0 {
      context.log.error("\(untold) more part\(untold == 1 ? "" : "s") of the text passed over")
    }
  }
}
