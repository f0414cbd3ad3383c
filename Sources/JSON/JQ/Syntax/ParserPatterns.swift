// The left side of `as`: variables, arrays and objects to take apart.

extension Parser {
  // `pattern ?// pattern …`
  mutating func patterns() throws(ProgramError) -> [Pattern] {
    var result = [try pattern()]
    while accept(.patternAlternative) { result.append(try pattern()) }
    return result
  }

  private mutating func pattern() throws(ProgramError) -> Pattern {
    try nested { (parser) throws(ProgramError) in
      switch parser.token.kind {
      case .variable(let name):
        parser.take()
        return .variable(name)
      case .symbol(.openBracket):
        parser.take()
        var items: [Pattern] = []
        repeat { items.append(try parser.pattern()) } while parser.accept(.comma)
        try parser.expect(.closeBracket)
        return .array(items)
      case .symbol(.openBrace):
        parser.take()
        var members: [PatternMember] = []
        repeat { members.append(try parser.patternMember()) } while parser.accept(.comma)
        try parser.expect(.closeBrace)
        return .object(members)
      default:
        throw parser.unexpected(expecting: "a variable as in $x, or '[' or '{'")
      }
    }
  }

  private mutating func patternMember() throws(ProgramError) -> PatternMember {
    let start = token
    switch start.kind {
    case .variable(let name):
      take()
      let key = SyntaxNode(.text(Array(name.utf8)), start.span)
      return PatternMember(key: key, variable: name, pattern: accept(.colon) ? try pattern() : nil)
    case .name(let name):
      take()
      let key = SyntaxNode(.text(Array(name.utf8)), start.span)
      try expect(.colon)
      return PatternMember(key: key, variable: nil, pattern: try pattern())
    case .keyword(let word):
      take()
      let key = SyntaxNode(.text(Array(word.rawValue.utf8)), start.span)
      try expect(.colon)
      return PatternMember(key: key, variable: nil, pattern: try pattern())
    case .stringStart, .format:
      let key = try string()
      try expect(.colon)
      return PatternMember(key: key, variable: nil, pattern: try pattern())
    case .symbol(.openParen):
      take()
      let key = try query()
      try expect(.closeParen)
      try expect(.colon)
      return PatternMember(key: key, variable: nil, pattern: try pattern())
    default:
      throw unexpected(wanted: "a variable or an object key")
    }
  }
}
