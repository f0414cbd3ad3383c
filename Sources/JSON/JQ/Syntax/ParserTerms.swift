// Terms: the operands of operators, and their suffixes.

extension Parser {
  /// A term with its `.field`, `[index]` and `?` suffixes.
  mutating func postfix() throws(ProgramError) -> SyntaxNode {
    try nested { (parser) throws(ProgramError) in
      var node = try parser.term()
      while try parser.suffix(&node) { node = try parser.checked(node) }
      return node
    }
  }

  /// Takes one suffix.
  ///
  /// False when there is none.
  private mutating func suffix(_ node: inout SyntaxNode) throws(ProgramError) -> Bool {
    let start = node.span
    switch token.kind {
    case .field(let name):
      let key = SyntaxNode(.text(Array(name.utf8)), take().span)
      node = SyntaxNode(.index(node, key: key, isOptional: accept(.question)), span(from: start))
    case .symbol(.question):
      take()
      node = SyntaxNode(.attempt(node, handler: nil), span(from: start))
    case .symbol(.openBracket):
      node = try bracket(on: node)
    case .symbol(.dot):
      switch next.kind {
      case .symbol(.openBracket):
        take()
        node = try bracket(on: node)
      case .stringStart, .format:
        take()
        let key = try string()
        node = SyntaxNode(.index(node, key: key, isOptional: accept(.question)), span(from: start))
      default:
        take()
        throw unexpected(wanted: "a field name, a string or '['")
      }
    default:
      return false
    }
    return true
  }

  /// `[]`, `[key]`, `[from:to]` after a term.
  private mutating func bracket(on target: SyntaxNode) throws(ProgramError) -> SyntaxNode {
    try expect(.openBracket)
    if accept(.closeBracket) {
      return SyntaxNode(.iterate(target, isOptional: accept(.question)), span(from: target.span))
    }
    if accept(.colon) {
      let to = try query()
      try expect(.closeBracket)
      return SyntaxNode(
        .slice(target, from: nil, to: to, isOptional: accept(.question)), span(from: target.span))
    }
    let key = try query()
    if accept(.colon) {
      let to = sees(.closeBracket) ? nil : try query()
      try expect(.closeBracket)
      return SyntaxNode(
        .slice(target, from: key, to: to, isOptional: accept(.question)), span(from: target.span))
    }
    guard sees(.closeBracket) else { throw unexpected(expecting: "']' or ':' or '|' or ','") }
    take()
    return SyntaxNode(.index(target, key: key, isOptional: accept(.question)), span(from: target.span))
  }

  private mutating func term() throws(ProgramError) -> SyntaxNode {
    let start = token
    switch start.kind {
    case .symbol(let symbol): return try symbolTerm(symbol)
    case .field(let name):
      take()
      let key = SyntaxNode(.text(Array(name.utf8)), start.span)
      return SyntaxNode(
        .index(SyntaxNode(.identity, start.span), key: key, isOptional: accept(.question)), start.span)
    case .number:
      take()
      return SyntaxNode(.number(Array(source.bytes[start.span.start..<start.span.end])), start.span)
    case .stringStart: return try string()
    case .format(let name):
      if next.kind == .stringStart { return try string() }
      take()
      return SyntaxNode(.format(name), start.span)
    case .variable(let name):
      take()
      return SyntaxNode(.variable(name), start.span)
    case .location:
      take()
      return SyntaxNode(.location(line: source.position(of: start.span.start).line), start.span)
    case .name(let name): return try call(name)
    case .keyword(let word): return try keywordTerm(word)
    default: throw unexpected(wanted: "an expression")
    }
  }

  private mutating func symbolTerm(_ symbol: Symbol) throws(ProgramError) -> SyntaxNode {
    let start = token.span
    switch symbol {
    case .dot:
      take()
      switch token.kind {
      case .stringStart, .format:
        let key = try string()
        return SyntaxNode(
          .index(SyntaxNode(.identity, start), key: key, isOptional: accept(.question)), span(from: start))
      case .name, .number:
        throw failure(
          "syntax error, unexpected \(description(of: token)); try .[\"field\"] instead of .field for unusually named fields",
          token.span)
      default:
        return SyntaxNode(.identity, start)
      }
    case .recurse:
      take()
      return SyntaxNode(.recurse, start)
    case .minus:
      take()
      return SyntaxNode(.negate(try postfix()), span(from: start))
    case .openParen:
      take()
      let inner = try query()
      guard sees(.closeParen) else { throw unexpected(expecting: "')' or '|' or ','") }
      take()
      return SyntaxNode(inner.form, span(from: start))
    case .openBracket:
      take()
      if accept(.closeBracket) { return SyntaxNode(.array(nil), span(from: start)) }
      let items = try query()
      guard sees(.closeBracket) else { throw unexpected(expecting: "']' or '|' or ','") }
      take()
      return SyntaxNode(.array(items), span(from: start))
    case .openBrace: return try object()
    case .dollar: return try rawVariable()
    default: throw unexpected(wanted: "an expression")
    }
  }

  /// `$$$$name`, which jq keeps for its own library: the same as `$name` here.
  private mutating func rawVariable() throws(ProgramError) -> SyntaxNode {
    let start = take().span
    guard accept(.dollar), accept(.dollar), case .variable(let name) = token.kind else {
      throw unexpected(expecting: "a variable as in $x")
    }
    take()
    return SyntaxNode(.variable(name), span(from: start))
  }

  private mutating func call(_ name: String) throws(ProgramError) -> SyntaxNode {
    let start = take().span
    guard accept(.openParen) else {
      switch name {
      case "null": return SyntaxNode(.null, start)
      case "true": return SyntaxNode(.yes, start)
      case "false": return SyntaxNode(.no, start)
      default: return SyntaxNode(.call(name, []), start)
      }
    }
    var arguments: [SyntaxNode] = []
    repeat { arguments.append(try query()) } while accept(.semicolon)
    guard sees(.closeParen) else { throw unexpected(expecting: "')' or ';' or '|' or ','") }
    take()
    // Messages point at the name, not at the arguments.
    return SyntaxNode(.call(name, arguments), start)
  }

  private mutating func keywordTerm(_ word: Keyword) throws(ProgramError) -> SyntaxNode {
    let start = token.span
    switch word {
    case .if:
      take()
      return try conditional(from: start)
    case .try:
      take()
      let body = try postfix()
      let handler = accept(.catch) ? try postfix() : nil
      return SyntaxNode(.attempt(body, handler: handler), span(from: start))
    case .reduce, .foreach:
      take()
      return try fold(isReduce: word == .reduce, from: start)
    case .break:
      take()
      guard case .variable(let name) = token.kind else {
        throw failure("break requires a label to break to", span(from: start))
      }
      take()
      return SyntaxNode(.breakOut(name), span(from: start))
    default: throw unexpected(wanted: "an expression")
    }
  }

  private mutating func conditional(from start: Span) throws(ProgramError) -> SyntaxNode {
    let condition = try query()
    try expect(.then)
    let then = try query()
    switch token.kind {
    case .keyword(.elif):
      let nestedStart = take().span
      let rest = try nested { (parser) throws(ProgramError) in try parser.conditional(from: nestedStart) }
      return SyntaxNode(.conditional(condition, then: then, otherwise: rest), span(from: start))
    case .keyword(.else):
      take()
      let otherwise = try query()
      try expect(.end)
      return SyntaxNode(.conditional(condition, then: then, otherwise: otherwise), span(from: start))
    case .keyword(.end):
      take()
      return SyntaxNode(.conditional(condition, then: then, otherwise: nil), span(from: start))
    default:
      throw unexpected(expecting: "elif or else or end or '|' or ',' (an 'if' is not finished)")
    }
  }

  private mutating func fold(isReduce: Bool, from start: Span) throws(ProgramError) -> SyntaxNode {
    let items = try expression()
    try expect(.as)
    let patterns = try patterns()
    try expect(.openParen)
    let initial = try query()
    try expect(.semicolon)
    let update = try query()
    if isReduce {
      try expect(.closeParen)
      return SyntaxNode(.reduce(items, patterns, initial: initial, update: update), span(from: start))
    }
    let extract = accept(.semicolon) ? try query() : nil
    try expect(.closeParen)
    return SyntaxNode(
      .foreach(items, patterns, initial: initial, update: update, extract: extract), span(from: start))
  }

  /// A string, with a format before it or not.
  mutating func string() throws(ProgramError) -> SyntaxNode {
    let start = token.span
    var format = "text"
    if case .format(let name) = token.kind {
      format = name
      take()
    }
    guard token.kind == .stringStart else { throw unexpected(expecting: "a string") }
    take()
    var parts: [StringPart] = []
    while true {
      switch token.kind {
      case .stringText(let bytes):
        take()
        if case .text(let before)? = parts.last {
          parts[parts.count - 1] = .text(before + bytes)
        } else {
          parts.append(.text(bytes))
        }
      case .interpolationStart:
        take()
        parts.append(.value(try query()))
        guard token.kind == .interpolationEnd else {
          throw unexpected(expecting: "')' or '|' or ','")
        }
        take()
      case .stringEnd:
        take()
        let whole = span(from: start)
        if parts.isEmpty { return SyntaxNode(.text([]), whole) }
        if parts.count == 1, case .text(let bytes) = parts[0] { return SyntaxNode(.text(bytes), whole) }
        return SyntaxNode(.interpolation(format: format, parts), whole)
      default:
        throw unexpected(expecting: "the end of the string")
      }
    }
  }
}

// MARK: - Objects

extension Parser {
  private mutating func object() throws(ProgramError) -> SyntaxNode {
    let start = take().span
    var members: [ObjectMember] = []
    while !sees(.closeBrace) {
      members.append(try member())
      guard accept(.comma) || sees(.closeBrace) else { throw unexpected(expecting: "'}' or ','") }
    }
    take()
    return SyntaxNode(.object(members), span(from: start))
  }

  private mutating func member() throws(ProgramError) -> ObjectMember {
    let start = token
    switch start.kind {
    case .name(let name):
      take()
      return try namedMember(name, start.span)
    case .keyword(let word):
      take()
      return try namedMember(word.rawValue, start.span)
    case .variable(let name):
      take()
      let variable = SyntaxNode(.variable(name), start.span)
      if accept(.colon) { return ObjectMember(key: variable, value: try memberValue()) }
      return ObjectMember(key: SyntaxNode(.text(Array(name.utf8)), start.span), value: variable)
    case .location:
      take()
      let line = source.position(of: start.span.start).line
      return ObjectMember(
        key: SyntaxNode(.text(Array("__loc__".utf8)), start.span),
        value: SyntaxNode(.location(line: line), start.span))
    case .stringStart, .format:
      let key = try string()
      if accept(.colon) { return ObjectMember(key: key, value: try memberValue()) }
      return ObjectMember(
        key: key,
        value: SyntaxNode(.index(SyntaxNode(.identity, key.span), key: key, isOptional: false), key.span),
        isOfThatName: true)
    case .symbol(.openParen):
      take()
      let key = try query()
      try expect(.closeParen)
      try expect(.colon)
      return ObjectMember(key: key, value: try memberValue())
    case .number:
      throw failure("May need parentheses around object key expression", start.span)
    default:
      throw unexpected(wanted: "an object key or '}'")
    }
  }

  private mutating func namedMember(_ name: String, _ span: Span) throws(ProgramError) -> ObjectMember {
    let key = SyntaxNode(.text(Array(name.utf8)), span)
    if accept(.colon) { return ObjectMember(key: key, value: try memberValue()) }
    return ObjectMember(
      key: key, value: SyntaxNode(.index(SyntaxNode(.identity, span), key: key, isOptional: false), span))
  }

  /// Expressions with `|` between them; a comma ends the member.
  private mutating func memberValue() throws(ProgramError) -> SyntaxNode {
    try pipeline { (parser) throws(ProgramError) in try parser.expression() }
  }
}
