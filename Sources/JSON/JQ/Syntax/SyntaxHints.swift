// Messages about tokens in plain words, and hints for the mistakes that users of other languages make.

extension Parser {
  /// A token as messages show it: its text, or its role where the text alone says little.
  func description(of token: Token) -> String {
    switch token.kind {
    case .symbol(let symbol): return symbol.description
    case .endOfFile: return "end of the expression"
    case .stringStart: return "string"
    case .stringEnd: return "end of a string"
    case .stringText, .badEscape: return "text"
    case .interpolationStart: return "'\\('"
    case .interpolationEnd: return "')'"
    default:
      let text = text(token.span)
      return text.count <= 24 ? "'\(text)'" : "'\(text.prefix(23))…'"
    }
  }

  private func text(_ span: Span) -> String {
    String(decoding: source.bytes[span.start..<max(span.start, span.end)], as: UTF8.self)
  }

  private var previous: Token? { at > 0 ? tokens[min(at, tokens.count) - 1] : nil }

  /// Whether the text at the present token, or one byte before it, is an operator of another language.
  private func stands(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return [token.span.start, token.span.start - 1, token.span.start - 2].contains { start in
      start >= 0 && start + bytes.count <= source.bytes.count
        && source.bytes[start..<start + bytes.count].elementsEqual(bytes)
        && start + bytes.count > token.span.start
    }
  }

  /// The hint for a token that another language would allow here.
  var mistakeHint: String? {
    if stands("&&") { return "for && write and" }
    if stands("||") { return "for || write or" }
    if stands("===") { return "for === write ==" }
    if stands("=>") { return "for “at least” write >=" }
    if stands("<>") { return "for <> write !=" }
    if stands("$.") { return "the event is . alone: write .name, not $.name" }
    switch token.kind {
    case .invalid where text(token.span) == "'": return "strings are in double quotes, as in \"Go\""
    case .invalid where text(token.span) == "!": return "for !.a write (.a | not)"
    case .invalid where ["“", "”", "„"].contains(text(token.span)):
      return "strings are in straight quotes, as in \"Go\""
    case .symbol(.assign) where stands("=="): return "compare once: .a == .b and .b == .c"
    case .invalid where [")", "]", "}"].contains(text(token.span)):
      return openBracket.map { "close what is open first, with \($0)" } ?? "nothing is open here: remove it"
    case .name("elseif"), .name("elsif"): return "write elif"
    case .symbol(.openParen):
      // `.name.startswith("a")`.
      guard case .field(let name)? = previous?.kind else { break }
      return "a function is given a value with |, as in .name | \(name)(…)"
    case .name("in") where at > 0:
      return "for .a in [\"x\", \"y\"] write .a | IN(\"x\", \"y\")"
    case .invalid where text(token.span) == "~": return "for ~ write test, as in .name | test(\"^A\")"
    case .name("not") where at > 0: return "write | not behind the condition"
    case .keyword(.end) where openBracket != "end": return "no if is open here: remove end"
    default: break
    }
    if previous?.kind == .symbol(.question), token.kind != .endOfFile {
      return "a choice is written if … then … else … end"
    }
    return nil
  }

  /// The hint at the end of a text in which something is still open.
  var unclosedHint: String? {
    guard token.kind == .endOfFile else { return nil }
    let hint = openBracket.map { "close it with \($0)" }
    let isComment = source.bytes.contains(UInt8(ascii: "#")) && openBracket != "\""
    return hint.map { isComment ? "\($0) (a # begins a comment)" : $0 }
  }

  /// The token that closes the innermost bracket, string or condition that is open before the present one.
  private var openBracket: String? {
    var open: [String] = []
    for token in tokens.prefix(at) {
      switch token.kind {
      case .symbol(.openParen), .interpolationStart: open.append(")")
      case .symbol(.openBracket): open.append("]")
      case .symbol(.openBrace): open.append("}")
      case .stringStart: open.append("\"")
      case .keyword(.if): open.append("end")
      case .symbol(.closeParen), .symbol(.closeBracket), .symbol(.closeBrace), .interpolationEnd, .stringEnd,
        .keyword(.end):
        if !open.isEmpty { open.removeLast() }
      default: break
      }
    }
    return open.last
  }
}
