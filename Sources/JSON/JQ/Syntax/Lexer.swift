// From text to tokens. Strings are split at their interpolations: `"a\(1 + 2)b"` becomes a string start, a text, an
// interpolation with the tokens of `1 + 2`, a text and a string end.

/// The lexer: it splits a program's text into tokens.
struct Lexer {
  private enum Context { case paren, bracket, brace, interpolation, string }

  private let text: [UInt8]
  private var at = 0
  private var contexts: [Context] = []
  private var tokens: [Token] = []

  /// All tokens of a text, the last one being the end of file.
  static func tokens(of source: ProgramText) -> [Token] {
    var lexer = Lexer(text: source.bytes)
    lexer.run()
    return lexer.tokens
  }

  private init(text: [UInt8]) { self.text = text }

  private func byte(_ ahead: Int = 0) -> UInt8 { at + ahead < text.count ? text[at + ahead] : 0 }

  private mutating func emit(_ kind: TokenKind, from start: Int) {
    tokens.append(Token(kind: kind, span: Span(start: start, end: at)))
  }

  private mutating func run() {
    while at < text.count {
      if contexts.last == .string { scanString() } else { scanToken() }
    }
    emit(.endOfFile, from: at)
  }

  private mutating func scanToken() {
    let start = at
    let first = text[at]
    switch first {
    case 0x20, 0x09, 0x0a, 0x0d:
      at += 1
    case UInt8(ascii: "#"):
      skipComment()
    case UInt8(ascii: "\""):
      at += 1
      contexts.append(.string)
      emit(.stringStart, from: start)
    case _ where isDigit(first) || (first == UInt8(ascii: ".") && isDigit(byte(1))):
      scanNumber()
    case UInt8(ascii: ".") where isNameStart(byte(1)):
      at += 1
      emit(.field(takeWord()), from: start)
    case UInt8(ascii: "$") where isNameStart(byte(1)):
      at += 1
      let name = takeName()
      emit(name == "__loc__" ? .location : .variable(name), from: start)
    case UInt8(ascii: "@") where isWord(byte(1)):
      at += 1
      emit(.format(takeWord()), from: start)
    case _ where isNameStart(first):
      let name = takeName()
      emit(Keyword(rawValue: name).map { .keyword($0) } ?? .name(name), from: start)
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
      open(first)
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      close(first)
    default:
      scanSymbol()
    }
  }

  /// A backslash before a line's end continues the comment, as in Tcl; a doubled one does not.
  private mutating func skipComment() {
    while at < text.count, text[at] != 0x0a {
      if text[at] == UInt8(ascii: "\\") {
        if byte(1) == UInt8(ascii: "\\") || byte(1) == 0x0a {
          at += 2
          continue
        }
        if byte(1) == 0x0d, byte(2) == 0x0a {
          at += 3
          continue
        }
      }
      at += 1
    }
  }

  private mutating func scanNumber() {
    let start = at
    while isDigit(byte()) { at += 1 }
    if byte() == UInt8(ascii: ".") {
      at += 1
      while isDigit(byte()) { at += 1 }
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
      let sign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") ? 1 : 0
      if isDigit(byte(1 + sign)) {
        at += 1 + sign
        while isDigit(byte()) { at += 1 }
      }
    }
    emit(.number, from: start)
  }

  private mutating func open(_ bracket: UInt8) {
    let start = at
    at += 1
    switch bracket {
    case UInt8(ascii: "("):
      contexts.append(.paren)
      emit(.symbol(.openParen), from: start)
    case UInt8(ascii: "["):
      contexts.append(.bracket)
      emit(.symbol(.openBracket), from: start)
    default:
      contexts.append(.brace)
      emit(.symbol(.openBrace), from: start)
    }
  }

  private mutating func close(_ bracket: UInt8) {
    let start = at
    at += 1
    let context = contexts.last
    let kind: TokenKind? =
      switch (context, bracket) {
      case (.paren, UInt8(ascii: ")")): .symbol(.closeParen)
      case (.bracket, UInt8(ascii: "]")): .symbol(.closeBracket)
      case (.brace, UInt8(ascii: "}")): .symbol(.closeBrace)
      case (.interpolation, UInt8(ascii: ")")): .interpolationEnd
      default: nil
      }
    if kind != nil { contexts.removeLast() }
    emit(kind ?? .invalid, from: start)
  }

  private mutating func scanSymbol() {
    let start = at
    for length in [3, 2, 1] where at + length <= text.count {
      let slice = String(decoding: text[at..<at + length], as: UTF8.self)
      if let symbol = Symbol(rawValue: slice) {
        at += length
        emit(.symbol(symbol), from: start)
        return
      }
    }
    at += 1
    while at < text.count, text[at] & 0xc0 == 0x80 { at += 1 }
    emit(.invalid, from: start)
  }

  /// A run of letters, digits and underscores.
  private mutating func takeWord() -> String {
    let start = at
    while isWord(byte()) { at += 1 }
    return String(decoding: text[start..<at], as: UTF8.self)
  }

  /// A word, or several with `::` between them.
  private mutating func takeName() -> String {
    let start = at
    _ = takeWord()
    while byte() == UInt8(ascii: ":"), byte(1) == UInt8(ascii: ":"), isNameStart(byte(2)) {
      at += 2
      _ = takeWord()
    }
    return String(decoding: text[start..<at], as: UTF8.self)
  }
}

// MARK: - Strings

extension Lexer {
  private mutating func scanString() {
    let start = at
    switch text[at] {
    case UInt8(ascii: "\""):
      at += 1
      contexts.removeLast()
      emit(.stringEnd, from: start)
    case UInt8(ascii: "\\") where byte(1) == UInt8(ascii: "("):
      at += 2
      contexts.append(.interpolation)
      emit(.interpolationStart, from: start)
    case UInt8(ascii: "\\"):
      scanEscapes()
    default:
      while at < text.count, text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\") { at += 1 }
      emit(.stringText(Array(text[start..<at])), from: start)
    }
  }

  /// A run of escapes, taken together because surrogates come in pairs.
  private mutating func scanEscapes() {
    let start = at
    var decoded: [UInt8] = []
    var high: UInt32 = 0
    var problem: String?
    while byte() == UInt8(ascii: "\\"), at + 1 < text.count, byte(1) != UInt8(ascii: "(") {
      guard byte(1) == UInt8(ascii: "u") else {
        flushSurrogate(&high, &decoded)
        if let plain = plainEscape(byte(1)) {
          decoded.append(plain)
        } else {
          let column = at - start + 4
          problem = problem ?? "Invalid escape at line 1, column \(column)"
        }
        at += 2
        continue
      }
      var unit: UInt32 = 0
      var digits = 0
      while digits < 4, let digit = hexDigit(byte(2 + digits)) {
        unit = unit << 4 | digit
        digits += 1
      }
      if digits < 4 { problem = problem ?? "Invalid escape at line 1, column \(at - start + 4 + digits)" }
      at += 2 + digits
      if high != 0, (0xdc00..<0xe000).contains(unit) {
        appendScalar(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), &decoded)
        high = 0
        continue
      }
      flushSurrogate(&high, &decoded)
      if (0xd800..<0xdc00).contains(unit) { high = unit } else { appendScalar(unit, &decoded) }
    }
    flushSurrogate(&high, &decoded)
    if at == start { at += 1 }
    if let problem {
      let escapes = String(decoding: text[start..<at], as: UTF8.self)
      emit(.badEscape("\(problem) (while parsing '\"\(escapes)\"')"), from: start)
    } else if decoded.isEmpty {
      emit(.invalid, from: start)
    } else {
      emit(.stringText(decoded), from: start)
    }
  }

  private func flushSurrogate(_ high: inout UInt32, _ decoded: inout [UInt8]) {
    if high != 0 { appendScalar(0xfffd, &decoded) }
    high = 0
  }

  private func appendScalar(_ code: UInt32, _ decoded: inout [UInt8]) {
    decoded.append(contentsOf: Array(String(Character(Unicode.Scalar(code) ?? "\u{fffd}")).utf8))
  }

  private func plainEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
private func isNameStart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == 0x5f }
private func isWord(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }
