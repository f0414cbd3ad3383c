// From tokens to a tree, by recursive descent: one function per level of precedence, loosest first. Terms are in
// ParserTerms.swift.

/// The parser of one text.
struct Parser {
  let source: ProgramText
  let tokens: [Token]
  var at = 0
  /// Open levels of nesting, so that `((((…` ends in an error and not in a stack overflow.
  private var depth = 0
  private static let depthLimit = 10_000
  private let stack = StackBounds.current()
  /// The largest height of a tree, since walking it uses stack for each level.
  private let heightLimit: Int

  /// Parses a program or a library.
  static func parse(_ source: ProgramText) throws(ProgramError) -> Module {
    var parser = Parser(source: source, tokens: Lexer.tokens(of: source))
    return try parser.module()
  }

  private init(source: ProgramText, tokens: [Token]) {
    self.source = source
    self.tokens = tokens
    heightLimit = min(max(stack.size / 2048, 250), 4000)
  }
}

// MARK: - Looking at tokens

extension Parser {
  var token: Token { tokens[min(at, tokens.count - 1)] }
  var next: Token { tokens[min(at + 1, tokens.count - 1)] }

  @discardableResult
  mutating func take() -> Token {
    let taken = token
    at += 1
    return taken
  }

  func sees(_ symbol: Symbol) -> Bool { token.kind == .symbol(symbol) }
  func sees(_ keyword: Keyword) -> Bool { token.kind == .keyword(keyword) }

  mutating func accept(_ symbol: Symbol) -> Bool {
    guard sees(symbol) else { return false }
    at += 1
    return true
  }

  mutating func accept(_ keyword: Keyword) -> Bool {
    guard sees(keyword) else { return false }
    at += 1
    return true
  }

  mutating func expect(_ symbol: Symbol) throws(ProgramError) {
    guard sees(symbol) else { throw unexpected(expecting: symbol.description) }
    at += 1
  }

  mutating func expect(_ keyword: Keyword) throws(ProgramError) {
    guard sees(keyword) else { throw unexpected(expecting: keyword.rawValue) }
    at += 1
  }

  func failure(_ message: String, _ span: Span, hint: String? = nil) -> ProgramError {
    ProgramError(message, in: source, at: span, hint: hint)
  }

  /// The tokens that may follow a complete expression, for messages.
  static let continuation = "an operator or the end"

  /// A token where another was needed.
  func unexpected(expecting: String) -> ProgramError {
    if case .badEscape(let message) = token.kind {
      return failure(message, token.span, hint: "a backslash in a string is written \\\\")
    }
    return failure(
      "syntax error, unexpected \(description(of: token)), expecting \(expecting)", errorSpan,
      hint: mistakeHint ?? unclosedHint)
  }

  /// A token where one of many was allowed, which a phrase describes.
  func unexpected(wanted: String) -> ProgramError {
    if case .badEscape(let message) = token.kind {
      return failure(message, token.span, hint: "a backslash in a string is written \\\\")
    }
    return failure(
      "syntax error, unexpected \(description(of: token))", errorSpan,
      hint: mistakeHint ?? "\(wanted) was expected")
  }

  /// The span for messages; at the end of the text, that of the last token.
  private var errorSpan: Span {
    token.kind == .endOfFile && at > 0 ? tokens[min(at, tokens.count - 1) - 1].span : token.span
  }

  /// The span from `start` to the token taken last.
  func span(from start: Span) -> Span { .through(start, tokens[max(at - 1, 0)].span) }

  mutating func nested<T>(_ body: (inout Parser) throws(ProgramError) -> T) throws(ProgramError) -> T {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Parser.depthLimit, stack.hasRoom(stackPointer(), depth / 10) else {
      throw failure("the expression is nested too deeply", token.span)
    }
    return try body(&self)
  }
}

// MARK: - Modules

extension Parser {
  private mutating func module() throws(ProgramError) -> Module {
    var metadata: SyntaxNode?
    if accept(.module) {
      metadata = try constantObject()
      try expect(.semicolon)
    }
    var imports: [Import] = []
    while sees(.import) || sees(.include) { imports.append(try importDirective()) }
    var definitions: [Definition] = []
    while sees(.def) { definitions.append(try definition()) }
    var main: SyntaxNode?
    if token.kind != .endOfFile {
      main = try query()
      guard token.kind == .endOfFile else { throw unexpected(expecting: Parser.continuation) }
    }
    return Module(source: source, metadata: metadata, imports: imports, definitions: definitions, main: main)
  }

  private mutating func constantObject() throws(ProgramError) -> SyntaxNode {
    let node = try query()
    guard isConstant(node) else { throw failure("Module metadata must be constant", node.span) }
    guard case .object = node.form else { throw failure("Module metadata must be an object", node.span) }
    return node
  }

  private func isConstant(_ node: SyntaxNode) -> Bool {
    switch node.form {
    case .number, .text, .null, .yes, .no, .array(nil): true
    case .array(let items?): isConstant(items)
    case .commas(let nodes): nodes.allSatisfy { isConstant($0) }
    case .object(let members): members.allSatisfy { isConstant($0.key) && isConstant($0.value) }
    default: false
    }
  }

  private mutating func importDirective() throws(ProgramError) -> Import {
    let start = token.span
    let isInclude = take().kind == .keyword(.include)
    guard token.kind == .stringStart else { throw unexpected(expecting: "a string") }
    let path = try string()
    guard case .text(let bytes) = path.form else { throw failure("Import path must be constant", path.span) }
    var alias: String?
    var isData = false
    if !isInclude {
      try expect(.as)
      switch token.kind {
      case .variable(let name): (alias, isData) = (name, true)
      case .name(let name): alias = name
      default: throw unexpected(expecting: "a name, or a variable as in $x")
      }
      take()
    }
    let metadata = sees(.semicolon) ? nil : try constantObject()
    try expect(.semicolon)
    return Import(
      path: String(decoding: bytes, as: UTF8.self), alias: alias, isData: isData, metadata: metadata,
      span: span(from: start))
  }

  mutating func definition() throws(ProgramError) -> Definition {
    let start = take().span
    guard case .name(let name) = token.kind else { throw unexpected(expecting: "a name") }
    take()
    var parameters: [Parameter] = []
    if accept(.openParen) {
      repeat {
        switch token.kind {
        case .variable(let name): parameters.append(Parameter(name: name, isValue: true))
        case .name(let name): parameters.append(Parameter(name: name, isValue: false))
        default: throw unexpected(expecting: "a name, or a variable as in $x")
        }
        take()
      } while accept(.semicolon)
      try expect(.closeParen)
    }
    try expect(.colon)
    let body = try query()
    try expect(.semicolon)
    return Definition(name: name, parameters: parameters, body: body, span: span(from: start))
  }
}

// MARK: - Operators

extension Parser {
  /// The loosest level: definitions, `as`, `label`, `|` and `,`.
  mutating func query() throws(ProgramError) -> SyntaxNode {
    try nested { (parser) throws(ProgramError) in
      try parser.checked(try parser.pipeline { (parser) throws(ProgramError) in try parser.commas() })
    }
  }

  /// Operands with `|` between them.
  mutating func pipeline(
    _ operand: (inout Parser) throws(ProgramError) -> SyntaxNode
  ) throws(ProgramError) -> SyntaxNode {
    // Right associative: gathered first and folded from the end, so that long pipelines need no deep stack here.
    var stages = [try operand(&self)]
    while accept(.pipe) { stages.append(try operand(&self)) }
    var result = stages.removeLast()
    while let stage = stages.popLast() {
      result = try checked(SyntaxNode(.pipe(stage, result), .through(stage.span, result.span)))
    }
    return result
  }

  private mutating func commas() throws(ProgramError) -> SyntaxNode {
    let first = try stage()
    guard sees(.comma) else { return first }
    var operands = [first]
    while accept(.comma) { operands.append(try stage()) }
    return SyntaxNode(.commas(operands), span(from: first.span))
  }

  /// The node, unless its tree is too high.
  func checked(_ node: SyntaxNode) throws(ProgramError) -> SyntaxNode {
    if node.height > heightLimit {
      throw failure("the expression is nested too deeply, or is too long a chain of operators", token.span)
    }
    return node
  }

  /// An operand of `|` and `,`.
  ///
  /// Definitions and bindings reach as far right as they can.
  private mutating func stage() throws(ProgramError) -> SyntaxNode {
    let start = token.span
    if sees(.def) {
      var definitions: [Definition] = []
      while sees(.def) {
        definitions.append(try definition())
      }
      var body = try query()
      while let definition = definitions.popLast() {
        body = try checked(SyntaxNode(.define(definition, body), .through(definition.span, body.span)))
      }
      return body
    }
    if accept(.label) {
      guard case .variable(let name) = token.kind else { throw unexpected(expecting: "a variable as in $x") }
      take()
      try expect(.pipe)
      return SyntaxNode(.label(name, try query()), span(from: start))
    }
    let expression = try expression()
    guard accept(.as) else { return expression }
    let patterns = try patterns()
    try expect(.pipe)
    return SyntaxNode(.bind(expression, patterns, try query()), span(from: start))
  }

  /// Everything tighter than `,`.
  mutating func expression() throws(ProgramError) -> SyntaxNode {
    try nested { (parser) throws(ProgramError) in try parser.alternatives() }
  }

  private mutating func alternatives() throws(ProgramError) -> SyntaxNode {
    var operands = [try assignments()]
    while accept(.alternative) {
      operands.append(try assignments())
    }
    var result = operands.removeLast()
    while let left = operands.popLast() {
      result = try checked(SyntaxNode(.alternative(left, result), .through(left.span, result.span)))
    }
    return result
  }

  private mutating func assignments() throws(ProgramError) -> SyntaxNode {
    let left = try disjunctions()
    guard case .symbol(let symbol) = token.kind else { return left }
    let make: (SyntaxNode, SyntaxNode) -> Form
    switch symbol {
    case .assign: make = { .assign($0, $1) }
    case .update: make = { .update($0, $1) }
    case .updateAdd: make = { .updateWith(.add, $0, $1) }
    case .updateSubtract: make = { .updateWith(.subtract, $0, $1) }
    case .updateMultiply: make = { .updateWith(.multiply, $0, $1) }
    case .updateDivide: make = { .updateWith(.divide, $0, $1) }
    case .updateModulo: make = { .updateWith(.modulo, $0, $1) }
    case .updateAlternative: make = { .updateWith(nil, $0, $1) }
    default: return left
    }
    take()
    let right = try disjunctions()
    if case .symbol(let another) = token.kind, Parser.isAssignment(another) {
      throw unexpected(expecting: Parser.continuation)
    }
    return SyntaxNode(make(left, right), .through(left.span, right.span))
  }

  private static func isAssignment(_ symbol: Symbol) -> Bool {
    switch symbol {
    case .assign, .update, .updateAdd, .updateSubtract, .updateMultiply, .updateDivide, .updateModulo,
      .updateAlternative:
      true
    default: false
    }
  }

  private mutating func disjunctions() throws(ProgramError) -> SyntaxNode {
    var result = try conjunctions()
    while accept(.or) {
      let right = try conjunctions()
      result = try checked(SyntaxNode(.or(result, right), .through(result.span, right.span)))
    }
    return result
  }

  private mutating func conjunctions() throws(ProgramError) -> SyntaxNode {
    var result = try comparisons()
    while accept(.and) {
      let right = try comparisons()
      result = try checked(SyntaxNode(.and(result, right), .through(result.span, right.span)))
    }
    return result
  }

  private mutating func comparisons() throws(ProgramError) -> SyntaxNode {
    let left = try sums()
    guard let comparison = comparison else { return left }
    take()
    let right = try sums()
    guard self.comparison == nil else { throw unexpected(expecting: Parser.continuation) }
    return SyntaxNode(.binary(comparison, left, right), .through(left.span, right.span))
  }

  private var comparison: Operator? {
    switch token.kind {
    case .symbol(.equal): .equal
    case .symbol(.notEqual): .notEqual
    case .symbol(.less): .less
    case .symbol(.lessOrEqual): .lessOrEqual
    case .symbol(.greater): .greater
    case .symbol(.greaterOrEqual): .greaterOrEqual
    default: nil
    }
  }

  private mutating func sums() throws(ProgramError) -> SyntaxNode {
    var result = try products()
    while sees(.plus) || sees(.minus) {
      let operation: Operator = take().kind == .symbol(.plus) ? .add : .subtract
      let right = try products()
      result = try checked(SyntaxNode(.binary(operation, result, right), .through(result.span, right.span)))
    }
    return result
  }

  private mutating func products() throws(ProgramError) -> SyntaxNode {
    var result = try postfix()
    while true {
      let operation: Operator
      switch token.kind {
      case .symbol(.times): operation = .multiply
      case .symbol(.divide): operation = .divide
      case .symbol(.modulo): operation = .modulo
      default: return result
      }
      take()
      let right = try postfix()
      result = try checked(SyntaxNode(.binary(operation, result, right), .through(result.span, right.span)))
    }
  }
}
