// Terms: what stands between operators, and the suffixes that follow it.

extension Parser {
  /// A term with its `.field`, `[index]` and `?` suffixes.
  mutating func postfix() throws(ProgramError) -> Node {
    try nested { (parser) throws(ProgramError) in
      var node = try parser.term()
      while try parser.suffix(&node) { node = try parser.checked(node) }
      return node
    }
  }

  /// Takes one suffix.
  ///
  /// False when there is none.
  private mutating func suffix(_ node: inout Node) throws(ProgramError) -> Bool {
    let start = node.span
    switch token.kind {
    case .field(let name):
      let key = Node(.text(Array(name.utf8)), take().span)
      node = Node(.index(node, key: key, isOptional: accept(.question)), span(from: start))
    case .symbol(.question):
      take()
      node = Node(.attempt(node, handler: nil), span(from: start))
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
        node = Node(.index(node, key: key, isOptional: accept(.question)), span(from: start))
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
  private mutating func bracket(on target: Node) throws(ProgramError) -> Node {
    try expect(.openBracket)
    if accept(.closeBracket) {
      return Node(.iterate(target, isOptional: accept(.question)), span(from: target.span))
    }
    if accept(.colon) {
      let to = try query()
      try expect(.closeBracket)
      return Node(.slice(target, from: nil, to: to, isOptional: accept(.question)), span(from: target.span))
    }
    let key = try query()
    if accept(.colon) {
      let to = sees(.closeBracket) ? nil : try query()
      try expect(.closeBracket)
      return Node(.slice(target, from: key, to: to, isOptional: accept(.question)), span(from: target.span))
    }
    guard sees(.closeBracket) else { throw unexpected(expecting: "']' or ':' or '|' or ','") }
    take()
    return Node(.index(target, key: key, isOptional: accept(.question)), span(from: target.span))
  }

  private mutating func term() throws(ProgramError) -> Node {
    let start = token
    switch start.kind {
    case .symbol(let symbol): return try symbolTerm(symbol)
    case .field(let name):
      take()
      let key = Node(.text(Array(name.utf8)), start.span)
      return Node(
        .index(Node(.identity, start.span), key: key, isOptional: accept(.question)), start.span)
    case .number:
      take()
      return Node(.number(Array(source.bytes[start.span.start..<start.span.end])), start.span)
    case .stringStart: return try string()
    case .format(let name):
      if next.kind == .stringStart { return try string() }
      take()
      return Node(.format(name), start.span)
    case .variable(let name):
      take()
      return Node(.variable(name), start.span)
    case .location:
      take()
      return Node(.location(line: source.position(of: start.span.start).line), start.span)
    case .name(let name): return try call(name)
    case .keyword(let word): return try keywordTerm(word)
    default: throw unexpected(wanted: "an expression")
    }
  }

  private mutating func symbolTerm(_ symbol: Symbol) throws(ProgramError) -> Node {
    let start = token.span
    switch symbol {
    case .dot:
      take()
      switch token.kind {
      case .stringStart, .format:
        let key = try string()
        return Node(
          .index(Node(.identity, start), key: key, isOptional: accept(.question)), span(from: start))
      case .name, .number:
        throw failure(
          "syntax error, unexpected \(token.description); try .[\"field\"] instead of .field for unusually named fields",
          token.span)
      default:
        return Node(.identity, start)
      }
    case .recurse:
      take()
      return Node(.recurse, start)
    case .minus:
      take()
      return Node(.negate(try postfix()), span(from: start))
    case .openParen:
      take()
      let inner = try query()
      guard sees(.closeParen) else { throw unexpected(expecting: "')' or '|' or ','") }
      take()
      return Node(inner.form, span(from: start))
    case .openBracket:
      take()
      if accept(.closeBracket) { return Node(.array(nil), span(from: start)) }
      let items = try query()
      guard sees(.closeBracket) else { throw unexpected(expecting: "']' or '|' or ','") }
      take()
      return Node(.array(items), span(from: start))
    case .openBrace: return try object()
    case .dollar: return try rawVariable()
    default: throw unexpected(wanted: "an expression")
    }
  }

  /// `$$$$name`, which jq keeps for its own library: the same as `$name` here.
  private mutating func rawVariable() throws(ProgramError) -> Node {
    let start = take().span
    guard accept(.dollar), accept(.dollar), case .variable(let name) = token.kind else {
      throw unexpected(expecting: "BINDING")
    }
    take()
    return Node(.variable(name), span(from: start))
  }

  private mutating func call(_ name: String) throws(ProgramError) -> Node {
    let start = take().span
    guard accept(.openParen) else {
      switch name {
      case "null": return Node(.null, start)
      case "true": return Node(.yes, start)
      case "false": return Node(.no, start)
      default: return Node(.call(name, []), start)
      }
    }
    var arguments: [Node] = []
    repeat { arguments.append(try query()) } while accept(.semicolon)
    guard sees(.closeParen) else { throw unexpected(expecting: "')' or ';' or '|' or ','") }
    take()
    // Messages point at the name, not at the arguments.
    return Node(.call(name, arguments), start)
  }

  private mutating func keywordTerm(_ word: Keyword) throws(ProgramError) -> Node {
    let start = token.span
    switch word {
    case .if:
      take()
      return try conditional(from: start)
    case .try:
      take()
      let body = try postfix()
      let handler = accept(.catch) ? try postfix() : nil
      return Node(.attempt(body, handler: handler), span(from: start))
    case .reduce, .foreach:
      take()
      return try fold(isReduce: word == .reduce, from: start)
    case .break:
      take()
      guard case .variable(let name) = token.kind else {
        throw failure("break requires a label to break to", span(from: start))
      }
      take()
      return Node(.breakOut(name), span(from: start))
    default: throw unexpected(wanted: "an expression")
    }
  }

  private mutating func conditional(from start: Span) throws(ProgramError) -> Node {
    let condition = try query()
    try expect(.then)
    let then = try query()
    switch token.kind {
    case .keyword(.elif):
      let nestedStart = take().span
      let rest = try nested { (parser) throws(ProgramError) in try parser.conditional(from: nestedStart) }
      return Node(.conditional(condition, then: then, otherwise: rest), span(from: start))
    case .keyword(.else):
      take()
      let otherwise = try query()
      try expect(.end)
      return Node(.conditional(condition, then: then, otherwise: otherwise), span(from: start))
    case .keyword(.end):
      take()
      return Node(.conditional(condition, then: then, otherwise: nil), span(from: start))
    default:
      throw unexpected(expecting: "elif or else or end or '|' or ',' (an 'if' is not finished)")
    }
  }

  private mutating func fold(isReduce: Bool, from start: Span) throws(ProgramError) -> Node {
    let items = try expression()
    try expect(.as)
    let patterns = try patterns()
    try expect(.openParen)
    let initial = try query()
    try expect(.semicolon)
    let update = try query()
    if isReduce {
      try expect(.closeParen)
      return Node(.reduce(items, patterns, initial: initial, update: update), span(from: start))
    }
    let extract = accept(.semicolon) ? try query() : nil
    try expect(.closeParen)
    return Node(
      .foreach(items, patterns, initial: initial, update: update, extract: extract), span(from: start))
  }

  /// A string, with a format before it or not.
  mutating func string() throws(ProgramError) -> Node {
    let start = token.span
    var format = "text"
    if case .format(let name) = token.kind {
      format = name
      take()
    }
    guard token.kind == .stringStart else { throw unexpected(expecting: "QQSTRING_START") }
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
          throw unexpected(expecting: "QQSTRING_INTERP_END or '|' or ','")
        }
        take()
      case .stringEnd:
        take()
        let whole = span(from: start)
        if parts.isEmpty { return Node(.text([]), whole) }
        if parts.count == 1, case .text(let bytes) = parts[0] { return Node(.text(bytes), whole) }
        return Node(.interpolation(format: format, parts), whole)
      default:
        throw unexpected(expecting: "QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END")
      }
    }
  }
}

// MARK: - Objects

extension Parser {
  private mutating func object() throws(ProgramError) -> Node {
    let start = take().span
    var members: [Member] = []
    while !sees(.closeBrace) {
      members.append(try member())
      guard accept(.comma) || sees(.closeBrace) else { throw unexpected(expecting: "'}' or ','") }
    }
    take()
    return Node(.object(members), span(from: start))
  }

  private mutating func member() throws(ProgramError) -> Member {
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
      let variable = Node(.variable(name), start.span)
      if accept(.colon) { return Member(key: variable, value: try memberValue()) }
      return Member(key: Node(.text(Array(name.utf8)), start.span), value: variable)
    case .location:
      take()
      let line = source.position(of: start.span.start).line
      return Member(
        key: Node(.text(Array("__loc__".utf8)), start.span), value: Node(.location(line: line), start.span))
    case .stringStart, .format:
      let key = try string()
      if accept(.colon) { return Member(key: key, value: try memberValue()) }
      return Member(
        key: key, value: Node(.index(Node(.identity, key.span), key: key, isOptional: false), key.span))
    case .symbol(.openParen):
      take()
      let key = try query()
      try expect(.closeParen)
      try expect(.colon)
      return Member(key: key, value: try memberValue())
    case .number:
      throw failure("May need parentheses around object key expression", start.span)
    default:
      throw unexpected(wanted: "an object key or '}'")
    }
  }

  private mutating func namedMember(_ name: String, _ span: Span) throws(ProgramError) -> Member {
    let key = Node(.text(Array(name.utf8)), span)
    if accept(.colon) { return Member(key: key, value: try memberValue()) }
    return Member(key: key, value: Node(.index(Node(.identity, span), key: key, isOptional: false), span))
  }

  /// Expressions with `|` between them; a comma ends the member.
  private mutating func memberValue() throws(ProgramError) -> Node {
    var stages = [try expression()]
    while accept(.pipe) {
      stages.append(try expression())
    }
    var result = stages.removeLast()
    while let stage = stages.popLast() {
      result = try checked(Node(.pipe(stage, result), .through(stage.span, result.span)))
    }
    return result
  }
}
