import JSON

/// The text of an expression or a template with the values of `${NAME}` in it as values, never as code.
///
/// Within a string, or the text of a template, a value is escaped as in a JSON string. Elsewhere it is a JSON literal: a
/// number, true, false or null where the value reads as one, and a string otherwise; after a dot, as in `.${FIELD}`,
/// always a string.
struct SplicedText {
  private(set) var text: [UInt8] = []
  private(set) var map = TextMap()
  /// The open strings and expressions that the next byte is part of, the innermost last.
  private var contexts: [Context]
  private var isEscaped = false
  private var isComment = false

  private enum Context {
    case string
    /// With its open parentheses.
    case code(depth: Int)
  }

  init(_ scalar: Scalar, isTemplate: Bool) {
    contexts = [isTemplate ? .string : .code(depth: 0)]
    let source = Array(scalar.text.utf8)
    var index = 0
    for insertion in scalar.insertions {
      copy(source, index..<insertion.lowerBound, scalar.map)
      insert(
        String(decoding: source[insertion], as: UTF8.self), from: insertion.isEmpty ? nil : insertion,
        scalar.map)
      index = insertion.upperBound
    }
    copy(source, index..<source.count, scalar.map)
  }

  private var isInString: Bool { if case .string? = contexts.last { true } else { false } }

  private mutating func copy(_ source: [UInt8], _ range: Range<Int>, _ sourceMap: TextMap) {
    for byte in source[range] { follow(byte) }
    text += source[range]
    map.append(range, of: sourceMap)
  }

  private mutating func insert(_ value: String, from range: Range<Int>?, _ sourceMap: TextMap) {
    var written = String(JSON.Value.string(value).description)
    if isInString {
      written = String(written.dropFirst().dropLast())
      // A backslash before the value is one, and does not make an escape with it.
      if isEscaped { written = "\\" + written }
      isEscaped = false
    } else if text.last != UInt8(ascii: ".") {
      if coreMeaning(value) != .string, let literal = try? JSON.Value.parse(value) { written = "\(literal)" }
      written = " \(written) "
    }
    text += written.utf8
    map.append(written.utf8.count, from: range.map { sourceMap.file(of: $0) } ?? 0..<0)
  }

  /// Follows strings, expressions within them, and comments.
  private mutating func follow(_ byte: UInt8) {
    if isComment {
      isComment = byte != UInt8(ascii: "\n")
      return
    }
    switch contexts.last {
    case .string?:
      if isEscaped {
        isEscaped = false
        if byte == UInt8(ascii: "(") { contexts.append(.code(depth: 0)) }
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\""), contexts.count > 1 {
        contexts.removeLast()
      }
    case .code(let depth)?:
      switch byte {
      case UInt8(ascii: "\""): contexts.append(.string)
      case UInt8(ascii: "#"): isComment = true
      case UInt8(ascii: "("): contexts[contexts.count - 1] = .code(depth: depth + 1)
      case UInt8(ascii: ")") where depth > 0: contexts[contexts.count - 1] = .code(depth: depth - 1)
      case UInt8(ascii: ")") where contexts.count > 1: contexts.removeLast()
      default: break
      }
    case nil: break
    }
  }
}

extension Scalar {
  /// The scalar as an expression, where values of the environment are values.
  var asExpression: Scalar { spliced(isTemplate: false) }

  /// The scalar as a template, where values of the environment are text.
  var asTemplate: Scalar { spliced(isTemplate: true) }

  private func spliced(isTemplate: Bool) -> Scalar {
    if insertions.isEmpty { return self }
    let text = SplicedText(self, isTemplate: isTemplate)
    return Scalar(
      text: String(decoding: text.text, as: UTF8.self), written: written, style: style, meaning: .string,
      place: place, variables: variables, map: text.map)
  }

  /// Whether a template has no expressions in what the file says; values of the environment are none.
  var hasNoExpressions: Bool { !written.utf8.contains(UInt8(ascii: "\\")) }
}
