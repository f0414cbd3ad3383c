// Locations in a program's text, which error messages show.

/// A location in a program's text, as messages show it.
public struct Location: Sendable, Equatable {
  /// The text: `<top-level>` or a file's path.
  public let source: String
  /// From one; zero when no location is known.
  public let line: Int
  /// From one, counted in characters.
  public let column: Int
  /// The bytes of the text that it covers; empty when no location is known.
  public let range: Range<Int>
  /// The line with carets under the location, indented; empty when no location is known.
  public let excerpt: String

  init(in source: ProgramText, at span: Span, hint: String? = nil) {
    self.source = source.name
    range = span.start..<max(span.start, span.end)
    (line, column) = source.position(of: span.start)
    // Of a long line only the part around the location is shown.
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

  /// A text without a location in it.
  init(unknownIn source: String) {
    self.source = source
    line = 0
    column = 0
    range = 0..<0
    excerpt = ""
  }
}

/// The site of a possible run-time error: a part of a program.
final class Site: Sendable {
  private let source: ProgramText
  private let span: Span

  init(_ source: ProgramText, _ span: Span) {
    self.source = source
    self.span = span
  }

  var location: Location { Location(in: source, at: span) }
}

extension Compiler {
  /// Adds an expression's location to its errors; the innermost expression that may fail is the one reported.
  ///
  /// It costs a call at run time, so it is done only for what can fail by itself, and not for the prelude: an error
  /// there is reported at the call.
  func located(_ code: Code, _ node: SyntaxNode, _ here: Here) -> Code {
    guard node.form.mayFail, code.constant == nil, !code.isNever, !here.scope.source.isPrelude else {
      return code
    }
    let site = Site(here.scope.source, node.span)
    switch code.form {
    case .single(let run):
      return .single(total: code.isTotal) { (value, frame) throws(Exception) in
        do throws(Exception) { return try run(value, frame) } catch { throw error.noting(site) }
      }
    case .many(let run):
      return .many { (value, frame, out) throws(Exception) in
        do throws(Exception) { try run(value, frame, out) } catch { throw error.noting(site) }
      }
    }
  }

  /// The same for a path expression.
  func located(_ paths: @escaping Paths, _ node: SyntaxNode, _ here: Here) -> Paths {
    guard node.form.mayFail, !here.scope.source.isPrelude else { return paths }
    let site = Site(here.scope.source, node.span)
    return { (input, frame, out) throws(Exception) in
      do throws(Exception) { try paths(input, frame, out) } catch { throw error.noting(site) }
    }
  }
}

extension Form {
  /// Whether it can raise an error of its own, not only pass on those of its parts.
  fileprivate var mayFail: Bool {
    switch self {
    case .index, .slice, .iterate, .negate, .format, .assign, .update, .updateWith, .object, .call: true
    case .binary(let operation, _, _): operation.mayFail
    default: false
    }
  }
}

extension Operator {
  fileprivate var mayFail: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .modulo: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: false
    }
  }
}
