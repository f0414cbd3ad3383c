// Calls. A function that is not recursive is compiled into its caller, its arguments wherever its parameters are named;
// a recursive one gets code and frames of its own.

/// A builtin's implementation, by the number of values it takes beside its input.
enum Builtin: Sendable {
  case zero(@Sendable (Value, Frame) throws(Exception) -> Value)
  case one(@Sendable (Value, Value, Frame) throws(Exception) -> Value)
  case two(@Sendable (Value, Value, Value, Frame) throws(Exception) -> Value)
  case three(@Sendable (Value, Value, Value, Value, Frame) throws(Exception) -> Value)
  /// Takes expressions rather than values.
  case form(@Sendable (Compiler, [SyntaxNode], Here) throws(ProgramError) -> Code)
  /// A builtin of jq that is not available here, and the reason.
  case refused(String)
}

extension Compiler {
  func call(_ name: String, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here) throws(ProgramError)
    -> Code
  {
    if let meaning = here.scope.function(name, arguments.count) {
      return try call(meaning, arguments, node, here)
    }
    if let builtin = Builtins.table["\(name)/\(arguments.count)"] {
      return try call(builtin, name, arguments, node, here)
    }
    guard let meaning = preludeMeaning(name, arguments.count) else {
      throw undefined(name, arguments, node, here)
    }
    return try call(meaning, arguments, node, here)
  }

  func undefined(_ name: String, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here) -> ProgramError
  {
    ProgramError(
      "\(name)/\(arguments.count) is not defined", in: here.scope.source, at: node.span,
      undefined: UndefinedFunction(
        name: name, arity: arguments.count, known: here.scope.functions + Builtins.names))
  }

  func call(
    _ meaning: FunctionMeaning, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Code {
    switch meaning.kind {
    case .argument(let argument, let origin):
      return try compile(argument, here.with(origin.scope))
    case .closure(let layout, let index):
      let hops = here.hops(to: layout)
      return .many { (value, frame, out) throws(Exception) in
        let closure = frame.up(hops).arguments[index]
        try frame.run.step()
        try frame.run.checkStack()
        try closure.code.many(value, closure.frame, out)
      }
    case .definition(let definition):
      guard canInline(meaning) else { return try callFunction(meaning, definition, arguments, here) }
      inlining += 1
      defer { inlining -= 1 }
      let (inside, values) = try inlineScope(meaning, definition, arguments, here)
      var code = try compile(definition.body, inside)
      for (source, slot) in values.reversed() { code = Compiler.bind(source, slot, code) }
      return code
    }
  }

  func canInline(_ meaning: FunctionMeaning) -> Bool {
    !meaning.isRecursive && inlining < Compiler.inlineDepth && nodes < Compiler.inlineLimit
  }

  /// The scope of a function's body inside its caller, and the values to bind before it.
  func inlineScope(
    _ meaning: FunctionMeaning, _ definition: Definition, _ arguments: [SyntaxNode], _ here: Here
  ) throws(ProgramError) -> (Here, [(Code, Int)]) {
    var scope = meaning.scope
    var values: [(Code, Int)] = []
    var isTail = here.isTail
    for (parameter, argument) in zip(definition.parameters, arguments) {
      let expression = FunctionMeaning(.argument(argument, here), scope: here.scope, layout: here.layout)
      scope = scope.adding(.function(parameter.name, 0, expression))
      guard parameter.isValue else { continue }
      let code = try compile(argument, here.inner)
      if let constant = code.constant {
        scope = scope.adding(.variable(parameter.name, .constant(constant)))
        continue
      }
      if code.single == nil { isTail = false }
      let slot = here.layout.newSlot()
      scope = scope.adding(.variable(parameter.name, .slot(here.layout, slot)))
      values.append((code, slot))
    }
    return (Here(scope: scope, layout: here.layout, isTail: isTail), values)
  }

  // MARK: Functions of their own

  /// The arguments of a call, as the callee's frame holds them.
  struct PassedArguments {
    enum Origin: Sendable {
      case code(ArgumentCode)
      /// A parameter of an enclosing function, passed on unchanged.
      case forwarded(hops: Int, index: Int)
    }

    var closures: [Origin] = []
    /// Values and the slots they go to.
    var values: [(code: Code, slot: Int)] = []
  }

  func pass(
    _ definition: Definition, _ arguments: [SyntaxNode], _ here: Here
  ) throws(ProgramError) -> PassedArguments {
    var passed = PassedArguments()
    var slot = 0
    for (parameter, argument) in zip(definition.parameters, arguments) {
      if parameter.isValue {
        passed.values.append((try compile(argument, here.inner), slot))
        slot += 1
      }
      if !parameter.isValue || definition.body.mentions(parameter.name, 0) {
        passed.closures.append(try closure(argument, here))
      }
    }
    return passed
  }

  private func closure(_ argument: SyntaxNode, _ here: Here) throws(ProgramError) -> PassedArguments.Origin {
    var (node, scope) = (argument, here.scope)
    while case .call(let name, let none) = node.form, none.isEmpty, let meaning = scope.function(name, 0) {
      if case .closure(let layout, let index) = meaning.kind {
        return .forwarded(hops: here.hops(to: layout), index: index)
      }
      guard case .argument(let inner, let origin) = meaning.kind else { break }
      (node, scope) = (inner, origin.scope)
    }
    let inside = here.inner.with(scope)
    let code = try compile(node, inside)
    return .code(ArgumentCode(many: code.many, single: code.single, paths: try paths(node, inside)))
  }

  /// The scope of a body that has a frame of its own.
  func functionScope(
    _ meaning: FunctionMeaning, _ definition: Definition, _ layout: FrameLayout
  ) -> Scope {
    var scope = meaning.scope.adding(.function(definition.name, definition.parameters.count, meaning))
    var index = 0
    for parameter in definition.parameters {
      if parameter.isValue {
        scope = scope.adding(.variable(parameter.name, .slot(layout, layout.newSlot())))
      }
      if !parameter.isValue || definition.body.mentions(parameter.name, 0) {
        let closure = FunctionMeaning(.closure(layout, index), scope: scope, layout: layout)
        scope = scope.adding(.function(parameter.name, 0, closure))
        index += 1
      }
    }
    return scope
  }

  /// Compiles the body of a function that is called: first as if it had one output, and again if that was wrong.
  private func functionCode(
    _ meaning: FunctionMeaning, _ definition: Definition
  ) throws(ProgramError) -> FunctionCode {
    if let code = meaning.code { return code }
    let code = FunctionCode(name: definition.name)
    meaning.code = code
    while true {
      let layout = FrameLayout(inside: meaning.layout)
      let scope = functionScope(meaning, definition, layout)
      let body = try compile(definition.body, Here(scope: scope, layout: layout, isTail: true))
      let outputs: Outputs = body.single == nil ? .many : body.isTotal ? .one : .optional
      code.body = body
      code.slots = layout.slots
      if outputs.rawValue <= meaning.outputs.rawValue { return code }
      meaning.outputs = outputs
    }
  }

  private func callFunction(
    _ meaning: FunctionMeaning, _ definition: Definition, _ arguments: [SyntaxNode], _ here: Here
  ) throws(ProgramError) -> Code {
    let function = try functionCode(meaning, definition)
    let passed = try pass(definition, arguments, here)
    let caller = Caller(function: function, passed, hops: here.hops(to: meaning.layout))
    let isSingle = passed.values.allSatisfy { $0.code.single != nil }
    guard isSingle else {
      return .many { (value, frame, out) throws(Exception) in
        try caller.eachFrame(value, frame) { (callee) throws(Exception) in
          try function.callMany(value, callee, out)
        }
      }
    }
    let isTotal = passed.values.allSatisfy(\.code.isTotal) && meaning.outputs == .one
    let isTail = here.isTail
    if meaning.outputs == .many {
      return .many { (value, frame, out) throws(Exception) in
        guard let callee = try caller.frame(value, frame) else { return }
        if isTail {
          frame.run.tail = TailCall(function: function, input: value, frame: callee)
        } else {
          try function.callMany(value, callee, out)
        }
      }
    }
    return .single(total: isTotal) { (value, frame) throws(Exception) in
      guard let callee = try caller.frame(value, frame) else { return nil }
      if isTail {
        frame.run.tail = TailCall(function: function, input: value, frame: callee)
        return nil
      }
      return try function.callSingle(value, callee)
    }
  }
}

/// Makes the frames of one call.
struct Caller: Sendable {
  let function: FunctionCode
  let closures: [Compiler.PassedArguments.Origin]
  let singles: [(run: One, slot: Int)]
  let values: [(run: Many, slot: Int)]
  /// From the calling frame to the one around the called function.
  let hops: Int

  init(function: FunctionCode, _ passed: Compiler.PassedArguments, hops: Int) {
    self.function = function
    self.hops = hops
    closures = passed.closures
    let all = passed.values.compactMap { value in value.code.single.map { (run: $0, slot: value.slot) } }
    singles = all.count == passed.values.count ? all : []
    values = passed.values.map { ($0.code.many, $0.slot) }
  }

  private func makeFrame(_ frame: Frame) -> Frame {
    let arguments = closures.map { source in
      switch source {
      case .code(let code): Closure(code: code, frame: frame)
      case .forwarded(let hops, let index): frame.up(hops).arguments[index]
      }
    }
    return Frame(frame.run, parent: frame.up(hops), slots: function.slots, arguments: arguments)
  }

  /// The frame of a call whose values have one output each; nil where one has none.
  @inline(__always)
  func frame(_ value: Value, _ frame: Frame) throws(Exception) -> Frame? {
    try frame.run.charge(128)
    let callee = makeFrame(frame)
    for (run, slot) in singles {
      guard let argument = try run(value, frame) else { return nil }
      callee.slots[slot] = argument
    }
    return callee
  }

  /// A frame for each combination of the values' outputs, the first one's changing slowest.
  func eachFrame(
    _ value: Value, _ frame: Frame, _ body: (Frame) throws(Exception) -> Void
  ) throws(Exception) {
    try combine(0, [], value, frame, body)
  }

  private func combine(
    _ number: Int, _ bound: [Value], _ value: Value, _ frame: Frame, _ body: (Frame) throws(Exception) -> Void
  ) throws(Exception) {
    if number == values.count {
      let callee = makeFrame(frame)
      for (index, argument) in bound.enumerated() { callee.slots[values[index].slot] = argument }
      return try body(callee)
    }
    try values[number].run(value, frame) { (argument) throws(Exception) in
      try combine(number + 1, bound + [argument], value, frame, body)
    }
  }
}

// MARK: - Builtins

extension Compiler {
  func call(
    _ builtin: Builtin, _ name: String, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Code {
    switch builtin {
    case .form(let compile): return try compile(self, arguments, here.inner)
    case .refused(let reason):
      throw failure("\(name)/\(arguments.count) is not available: \(reason)", node, here)
    case .zero(let function):
      return .single { (value, frame) throws(Exception) in try function(value, frame) }
    default: break
    }
    var codes: [Code] = []
    for argument in arguments { codes.append(try compile(argument, here.inner)) }
    let isTotal = codes.allSatisfy(\.isTotal)
    let singles = codes.compactMap(\.single)
    guard singles.count == codes.count else { return generated(builtin, codes) }
    switch builtin {
    case .one(let function):
      let a = singles[0]
      if let constant = codes[0].constant {
        return .single { (value, frame) throws(Exception) in try function(value, constant, frame) }
      }
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        guard let first = try a(value, frame) else { return nil }
        return try function(value, first, frame)
      }
    case .two(let function):
      let (a, b) = (singles[0], singles[1])
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        guard let second = try b(value, frame), let first = try a(value, frame) else { return nil }
        return try function(value, first, second, frame)
      }
    case .three(let function):
      let (a, b, c) = (singles[0], singles[1], singles[2])
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        guard let third = try c(value, frame), let second = try b(value, frame),
          let first = try a(value, frame)
        else { return nil }
        return try function(value, first, second, third, frame)
      }
    default: return .never
    }
  }

  /// A builtin whose arguments have several outputs: called for each combination, the last one's changing
  /// slowest.
  private func generated(_ builtin: Builtin, _ codes: [Code]) -> Code {
    let generators = codes.map(\.many)
    return .many { (value, frame, out) throws(Exception) in
      try Compiler.combine(generators, generators.count - 1, [], value, frame) {
        (arguments) throws(Exception) in
        switch builtin {
        case .one(let function): try out(try function(value, arguments[0], frame))
        case .two(let function): try out(try function(value, arguments[0], arguments[1], frame))
        case .three(let function):
          try out(try function(value, arguments[0], arguments[1], arguments[2], frame))
        default: break
        }
      }
    }
  }

  private static func combine(
    _ generators: [Many], _ number: Int, _ chosen: [Value], _ value: Value, _ frame: Frame,
    _ body: ([Value]) throws(Exception) -> Void
  ) throws(Exception) {
    if number < 0 { return try body(chosen) }
    try generators[number](value, frame) { (argument) throws(Exception) in
      try combine(generators, number - 1, [argument] + chosen, value, frame, body)
    }
  }
}
