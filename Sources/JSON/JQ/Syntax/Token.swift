/// The words of the language.
enum Keyword: String, Sendable {
  case `as`, def, module, `import`, include, `if`, then, `else`, elif, end, and, or, reduce, foreach, `try`
  case `catch`, label, `break`
}

/// Operators and punctuation, by their text.
enum Symbol: String, Sendable {
  case notEqual = "!="
  case equal = "=="
  case alternative = "//"
  case update = "|="
  case updateAdd = "+="
  case updateSubtract = "-="
  case updateMultiply = "*="
  case updateDivide = "/="
  case updateModulo = "%="
  case updateAlternative = "//="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case recurse = ".."
  case patternAlternative = "?//"
  case dot = "."
  case question = "?"
  case assign = "="
  case semicolon = ";"
  case comma = ","
  case colon = ":"
  case pipe = "|"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divide = "/"
  case modulo = "%"
  case dollar = "$"
  case less = "<"
  case greater = ">"
  case openParen = "("
  case closeParen = ")"
  case openBracket = "["
  case closeBracket = "]"
  case openBrace = "{"
  case closeBrace = "}"
}

extension Symbol {
  /// The symbol in messages.
  var description: String { "'\(rawValue)'" }
}

/// The kinds of tokens.
enum TokenKind: Equatable, Sendable {
  case name(String)
  // `.name`
  case field(String)
  // `$name`
  case variable(String)
  case location
  case number
  // `@name`
  case format(String)
  case keyword(Keyword)
  case symbol(Symbol)
  case stringStart
  case stringText([UInt8])
  case interpolationStart
  case interpolationEnd
  case stringEnd
  /// An escape that JSON does not know, with the message about it.
  case badEscape(String)
  case invalid
  case endOfFile
}

struct Token: Sendable {
  let kind: TokenKind
  let span: Span
}
