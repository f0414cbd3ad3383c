// A program's text and positions in it, and the compiler's errors.

/// A range of bytes in a program's text.
struct Span: Sendable, Equatable {
  var start: Int
  var end: Int

  static func through(_ first: Span, _ last: Span) -> Span { Span(start: first.start, end: last.end) }
}

/// One program text: from the command line, an option of a pipeline, or a module file.
final class ProgramText: Sendable {
  /// The name in messages: `<top-level>` or a file.
  let name: String
  let bytes: [UInt8]
  /// Whether it is one of the builtins that are written in the language.
  let isPrelude: Bool

  init(name: String, text: [UInt8], isPrelude: Bool = false) {
    self.name = name
    self.isPrelude = isPrelude
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

/// An error in a program: what is wrong, where, and the line with carets under it.
///
///     do { _ = try Program("{a: }") } catch { print(error.description) }
///
/// prints
///
///     syntax error, unexpected '}' at <top-level>, line 1, column 5:
///         {a: }
///             ^ an expression was expected
public struct ProgramError: Error, Sendable, CustomStringConvertible {
  /// The flaw, without the location.
  public let message: String
  /// Where it is wrong.
  public let location: Location
  /// How to write it instead; nil where that is unknown.
  public let hint: String?
  /// The call of a function that does not exist.
  package let undefined: UndefinedFunction?

  /// The text it is wrong in: `<top-level>` or a file's path.
  public var source: String { location.source }
  /// From one; zero when no location is known.
  public var line: Int { location.line }
  /// From one, counted in characters.
  public var column: Int { location.column }
  /// The offending line with carets under the location, indented; empty when no location is known.
  public var excerpt: String { location.excerpt }

  init(
    _ message: String, in source: ProgramText, at span: Span, hint: String? = nil,
    undefined: UndefinedFunction? = nil
  ) {
    self.message = message
    self.hint = hint
    self.undefined = undefined
    location = Location(in: source, at: span, hint: hint)
  }

  /// An error without a location, such as a module that cannot be found.
  init(_ message: String, source: String = "<top-level>") {
    self.message = message
    hint = nil
    undefined = nil
    location = Location(unknownIn: source)
  }

  public var description: String {
    line == 0 ? message : "\(message) at \(source), line \(line), column \(column):\n\(excerpt)"
  }
}

/// A call of a function that does not exist, with those that do.
package struct UndefinedFunction: Sendable {
  package let name: String
  /// The number of its arguments.
  package let arity: Int
  /// The functions that may be called there, as in `map/1`.
  package let known: [String]
}
