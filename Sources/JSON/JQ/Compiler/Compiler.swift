// From the tree to closures. An expression with at most one output becomes a plain function, any other a generator,
// which depends on its compiled parts. Calls of functions that are not recursive are compiled into the caller.

/// The compiler of one program.
final class Compiler {
  /// The number of lookup hints: each remembers in a run where a name was last found.
  private(set) var hints = 0
  /// Names of the environment's variables.
  let globals: Set<String>
  let modules: ModuleLoader?
  /// Nodes compiled so far: past the limit functions are called instead of being compiled into their callers.
  var nodes = 0
  /// The nesting depth of the node that is being compiled.
  private var nesting = 0
  private let stack = StackBounds.current()

  static let inlineLimit = 5_000
  static let inlineDepth = 24
  var inlining = 0
  /// Whether this is inside a fold over the inputs, whose state must not keep the chunks of the input alive.
  var foldsInputs = false
  let rootLayout = FrameLayout(inside: nil)
  var preludeMeanings: [String: FunctionMeaning] = [:]
  /// Module files that were read, by path, and those that are being read.
  var libraries: [String: ModuleDefinitions] = [:]
  var loading: Set<String> = []

  init(globals: [String], modules: ModuleLoader?) {
    self.globals = Set(globals)
    self.modules = modules
  }

  func newHints(_ count: Int) -> Int {
    hints += count
    return hints - count
  }

  func failure(_ message: String, _ node: SyntaxNode, _ here: Here) -> ProgramError {
    ProgramError(message, in: here.scope.source, at: node.span)
  }

  /// The compiled code checks the stack once per so many levels of nesting.
  private static let levelsBetweenChecks = 24

  /// Begins a recursive step of the compiler, which ends with `leave`; whether its code should check the stack.
  func enter(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Bool {
    guard stack.hasRoom(stackPointer(), nesting / 10) else {
      throw failure("the expression is nested too deeply", node, here)
    }
    nesting += 1
    nodes += 1
    return nesting % Compiler.levelsBetweenChecks == 0
  }

  func leave() { nesting -= 1 }

  /// Compiles an expression for its outputs.
  func compile(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let checks = try enter(node, here)
    defer { leave() }
    let code = located(try dispatch(node, here), node, here)
    return checks ? checked(code) : code
  }

  private func checked(_ code: Code) -> Code {
    switch code.form {
    case _ where code.constant != nil: return code
    case .single(let run):
      return .single(total: code.isTotal) { (value, frame) throws(Exception) in
        try frame.run.checkStack()
        return try run(value, frame)
      }
    case .many(let run):
      return .many { (value, frame, out) throws(Exception) in
        try frame.run.checkStack()
        try run(value, frame, out)
      }
    }
  }

  private func dispatch(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    switch node.form {
    case .identity: return .single { (value, _) throws(Exception) in value }
    case .recurse: return try call("recurse", [], node, here)
    case .number(let text): return .constant(numberLiteral(text))
    case .text(let bytes): return .constant(.string(bytes))
    case .null: return .constant(.null)
    case .yes: return .constant(.bool(true))
    case .no: return .constant(.bool(false))
    case .location(let line): return .constant(locationValue(here.scope.source.name, line))
    case .interpolation(let format, let parts): return try interpolation(format, parts, node, here)
    case .format(let name): return try format(name, node, here)
    case .index, .slice, .iterate: return try access(node, here)
    case .attempt(let body, let handler): return try attempt(body, handler, here)
    case .negate(let operand): return try negate(operand, here)
    case .pipe(let left, let right): return try pipe(left, right, here)
    case .commas(let nodes): return try commas(nodes, here)
    case .binary(let operation, let left, let right): return try binary(operation, left, right, here)
    case .and(let left, let right): return try logic(left, right, isAnd: true, here)
    case .or(let left, let right): return try logic(left, right, isAnd: false, here)
    case .alternative(let left, let right): return try alternative(left, right, here)
    case .assign, .update, .updateWith: return try assignment(node, here)
    case .object(let members): return try object(members, node, here)
    case .array(let items): return try array(items, here)
    case .reduce(let items, let patterns, let initial, let update):
      return try reduce(items, patterns, initial, update, here)
    case .foreach(let items, let patterns, let initial, let update, let extract):
      return try foreach(items, patterns, initial, update, extract, here)
    case .conditional(let condition, let then, let otherwise):
      return try conditional(condition, then, otherwise, here)
    case .label(let name, let body): return try label(name, body, here)
    case .breakOut(let name): return try breakOut(name, node, here)
    case .variable(let name): return try variable(name, node, here)
    case .call(let name, let arguments): return try call(name, arguments, node, here)
    case .define(let definition, let body):
      return try compile(body, here.with(here.scope.defining(definition, in: here.layout)))
    case .bind(let items, let patterns, let body): return try bind(items, patterns, body, here)
    }
  }

  func numberLiteral(_ text: [UInt8]) -> Value {
    text.withUnsafeBufferPointer { Value.literal($0) } ?? .null
  }

  private func locationValue(_ file: String, _ line: Int) -> Value {
    .object(Shape([Key("file"), Key("line")]), [.string(file), .number(line)])
  }

  // MARK: Variables

  private func variable(_ name: String, _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    guard let home = here.scope.variable(name) ?? builtinVariable(name) else {
      throw failure("$\(name) is not defined", node, here)
    }
    switch home {
    case .constant(let value): return .constant(value)
    case .slot(let layout, let slot):
      let hops = here.hops(to: layout)
      if hops == 0 { return .single { (_, frame) throws(Exception) in frame.slots[slot] } }
      if hops == 1 { return .single { (_, frame) throws(Exception) in (frame.parent ?? frame).slots[slot] } }
      return .single { (_, frame) throws(Exception) in frame.up(hops).slots[slot] }
    case .global("ENV"):
      return .single { (_, frame) throws(Exception) in try environmentObject(frame.run) }
    case .global(let name):
      return .single { (_, frame) throws(Exception) in
        guard let value = frame.run.environment.variables[name] else {
          throw Exception(.refused("$\(name) was given no value"))
        }
        return value
      }
    }
  }

  private func builtinVariable(_ name: String) -> VariableHome? {
    if globals.contains(name) || name == "ENV" { return .global(name) }
    if name == "JQ_BUILD_CONFIGURATION" { return .constant(.string("flow")) }
    return nil
  }

  // MARK: Pipes and commas

  private func pipe(_ left: SyntaxNode, _ right: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    if case .identity = left.form { return try compile(right, here) }
    if case .identity = right.form { return try compile(left, here) }
    let first = try compile(left, here.inner)
    // After a generator the stage is entered again for its next output, so nothing in it is a tail position.
    let second = try compile(right, first.single == nil ? here.inner : here)
    return Compiler.pipe(first, second)
  }

  static func pipe(_ first: Code, _ second: Code) -> Code {
    switch (first.form, second.form) {
    case (.single, _) where second.constant != nil && first.isTotal && first.constant != nil: return second
    case (.single(let a), .single(let b)):
      return .single(total: first.isTotal && second.isTotal) { (value, frame) throws(Exception) in
        guard let middle = try a(value, frame) else { return nil }
        return try b(middle, frame)
      }
    case (.single(let a), .many(let b)):
      return .many { (value, frame, out) throws(Exception) in
        if let middle = try a(value, frame) { try b(middle, frame, out) }
      }
    case (.many(let a), .single(let b)):
      return .many { (value, frame, out) throws(Exception) in
        try a(value, frame) { (middle) throws(Exception) in
          if let output = try b(middle, frame) { try out(output) }
        }
      }
    case (.many(let a), .many(let b)):
      return .many { (value, frame, out) throws(Exception) in
        try a(value, frame) { (middle) throws(Exception) in try b(middle, frame, out) }
      }
    }
  }

  private func commas(_ operands: [SyntaxNode], _ here: Here) throws(ProgramError) -> Code {
    var codes: [Code] = []
    for (number, operand) in operands.enumerated() {
      codes.append(try compile(operand, number == operands.count - 1 ? here : here.inner))
    }
    codes.removeAll { $0.isNever }
    guard codes.count > 1 else { return codes.first ?? .never }
    let parts = codes.map(\.many)
    if parts.count == 2 {
      let (a, b) = (parts[0], parts[1])
      return .many { (value, frame, out) throws(Exception) in
        try a(value, frame, out)
        try b(value, frame, out)
      }
    }
    return .many { (value, frame, out) throws(Exception) in
      for part in parts { try part(value, frame, out) }
    }
  }

  // MARK: Conditions

  private func conditional(
    _ condition: SyntaxNode, _ then: SyntaxNode, _ otherwise: SyntaxNode?, _ here: Here
  ) throws(ProgramError) -> Code {
    let test = try compile(condition, here.inner)
    let branch = test.single == nil ? here.inner : here
    let yes = try compile(then, branch)
    let no = try otherwise.map { (node) throws(ProgramError) in try compile(node, branch) } ?? .identity
    if let constant = test.constant { return constant.isTruthy ? yes : no }
    guard let test = test.single.map({ ($0, test.isTotal) }) else {
      let (all, a, b) = (test.many, yes.many, no.many)
      return .many { (value, frame, out) throws(Exception) in
        try all(value, frame) { (flag) throws(Exception) in
          if flag.isTruthy { try a(value, frame, out) } else { try b(value, frame, out) }
        }
      }
    }
    let (check, isTotal) = test
    if let a = yes.single, let b = no.single {
      return .single(total: isTotal && yes.isTotal && no.isTotal) { (value, frame) throws(Exception) in
        guard let flag = try check(value, frame) else { return nil }
        return flag.isTruthy ? try a(value, frame) : try b(value, frame)
      }
    }
    let (a, b) = (yes.many, no.many)
    return .many { (value, frame, out) throws(Exception) in
      guard let flag = try check(value, frame) else { return }
      if flag.isTruthy { try a(value, frame, out) } else { try b(value, frame, out) }
    }
  }

  private func logic(_ left: SyntaxNode, _ right: SyntaxNode, isAnd: Bool, _ here: Here) throws(ProgramError)
    -> Code
  {
    let first = try compile(left, here.inner)
    let second = try compile(right, here.inner)
    if let constant = first.constant, constant.isTruthy != isAnd { return .constant(.bool(!isAnd)) }
    if let a = first.single, let b = second.single {
      return .single(total: first.isTotal && second.isTotal) { (value, frame) throws(Exception) in
        guard let flag = try a(value, frame) else { return nil }
        if flag.isTruthy != isAnd { return .bool(!isAnd) }
        guard let other = try b(value, frame) else { return nil }
        return .bool(other.isTruthy)
      }
    }
    let (a, b) = (first.many, second.many)
    return .many { (value, frame, out) throws(Exception) in
      try a(value, frame) { (flag) throws(Exception) in
        if flag.isTruthy != isAnd { return try out(.bool(!isAnd)) }
        try b(value, frame) { (other) throws(Exception) in try out(.bool(other.isTruthy)) }
      }
    }
  }

  /// `a // b`: the outputs of `a` that are neither false nor null, or those of `b` where there is none.
  private func alternative(_ left: SyntaxNode, _ right: SyntaxNode, _ here: Here) throws(ProgramError) -> Code
  {
    let first = try compile(left, here.inner)
    let second = try compile(right, here)
    if let a = first.single, let b = second.single {
      return .single(total: second.isTotal) { (value, frame) throws(Exception) in
        if let output = try a(value, frame), output.isTruthy { return output }
        return try b(value, frame)
      }
    }
    let (a, b) = (first.many, second.many)
    return .many { (value, frame, out) throws(Exception) in
      var found = false
      try a(value, frame) { (output) throws(Exception) in
        guard output.isTruthy else { return }
        found = true
        try out(output)
      }
      if !found { try b(value, frame, out) }
    }
  }
}

extension Code {
  static var identity: Code { .single { (value, _) throws(Exception) in value } }

  /// No output ever.
  static var never: Code {
    Code(form: .single({ (_, _) throws(Exception) in nil }), isTotal: false, constant: nil, isNever: true)
  }
}
