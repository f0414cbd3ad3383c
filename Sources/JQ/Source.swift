// A piece of program text and places in it: what every message of the compiler points at.

/// A range of bytes in a program's text.
struct Span: Sendable, Equatable {
  var start: Int
  var end: Int

  static func through(_ first: Span, _ last: Span) -> Span { Span(start: first.start, end: last.end) }
}

/// One program text: what was given on the command line, an option of a pipeline, or a module file.
final class Source: Sendable {
  /// What messages call it: `<top-level>` or a file.
  let name: String
  let bytes: [UInt8]

  init(name: String, text: [UInt8]) {
    self.name = name
    bytes = text
  }

  /// Line and column, both from one; columns count characters.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let at = min(max(offset, 0), bytes.count)
    var line = 1
    var lineStart = 0
    for index in 0..<at where bytes[index] == 0x0a {
      line += 1
      lineStart = index + 1
    }
    let column = bytes[lineStart..<at].reduce(1) { $1 & 0xc0 == 0x80 ? $0 : $0 + 1 }
    return (line, column)
  }

  /// The line around `offset`, without its end.
  func line(around offset: Int) -> Range<Int> {
    let at = min(max(offset, 0), bytes.count)
    let start = bytes[..<at].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    return start..<(bytes[at...].firstIndex(of: 0x0a) ?? bytes.count)
  }
}

/// Why a text is not a program: what was wrong, where, and the line with carets under it.
///
///     do { _ = try Program("{a: }") } catch { print(error.description) }
///
/// prints
///
///     syntax error, unexpected '}' at <top-level>, line 1, column 5:
///         {a: }
///             ^ an expression was expected
public struct ProgramError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, without the place.
  public let message: String
  /// The text it is wrong in: `<top-level>` or a file's path.
  public let source: String
  /// From one; zero when no place is known.
  public let line: Int
  /// From one, counted in characters.
  public let column: Int
  /// The offending line with carets under the place, indented; empty when no place is known.
  public let excerpt: String

  init(_ message: String, in source: Source, at span: Span, hint: String? = nil) {
    self.message = message
    self.source = source.name
    (line, column) = source.position(of: span.start)
    // A long line is shown around the place only.
    let line = source.line(around: span.start)
    let first = max(line.lowerBound, min(span.start, line.upperBound) - 100)
    let last = min(line.upperBound, first + 160)
    let begin = min(max(span.start, first), last)
    let end = min(max(span.end, begin), last)
    func width(_ range: Range<Int>) -> Int { source.bytes[range].count { $0 & 0xc0 != 0x80 } }
    let text = String(decoding: source.bytes[first..<last], as: UTF8.self)
    let carets = String(repeating: "^", count: max(1, width(begin..<end)))
    excerpt =
      "    \(text)\n    \(String(repeating: " ", count: width(first..<begin)))\(carets)"
      + (hint.map { " \($0)" } ?? "")
  }

  /// An error that belongs to no place, such as a module that cannot be found.
  init(_ message: String, source: String = "<top-level>") {
    self.message = message
    self.source = source
    line = 0
    column = 0
    excerpt = ""
  }

  public var description: String {
    line == 0 ? message : "\(message) at \(source), line \(line), column \(column):\n\(excerpt)"
  }
}
