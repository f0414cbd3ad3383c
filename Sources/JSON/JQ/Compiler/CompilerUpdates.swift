// Assignments, and the state of folds: expressions compiled to changes in place. The fold gives up its own reference to
// the state before a change, so that the change costs the same however large the state is.

extension Compiler {
  /// An assignment for its output: the input is copied as far as it is changed.
  func assignment(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let here = here.inner
    switch node.form {
    case .assign(_, let value), .updateWith(_, _, let value):
      // The right side is evaluated on the input; each of its outputs makes an output of the assignment.
      let values = try compile(value, here)
      let slot = here.layout.newSlot()
      let change = try assignmentChange(node, slot, here)
      return Compiler.bind(values, slot, Compiler.copying(change))
    default:
      return Compiler.copying(try assignmentChange(node, nil, here))
    }
  }

  private static func copying(_ change: @escaping Update) -> Code {
    .single { (value, frame) throws(Exception) in
      var copy = value
      try change(&copy, frame)
      return copy
    }
  }

  /// Compiles an expression as a change of a fold's state: its last output becomes the state, null if there is none.
  func change(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Update {
    let here = here.inner
    let checks = try enter(node, here)
    defer { leave() }
    let change = try changeOf(node, here)
    guard checks else { return change }
    return { (state, frame) throws(Exception) in
      try frame.run.checkStack()
      try change(&state, frame)
    }
  }

  private func changeOf(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Update {
    switch node.form {
    case .identity: return { (_, _) throws(Exception) in }
    case .pipe(let left, let right):
      // Only where nothing is lost when the first part has no output.
      guard let first = try totalChange(left, here) else { break }
      let second = try change(right, here)
      return { (state, frame) throws(Exception) in
        try first(&state, frame)
        try second(&state, frame)
      }
    case .conditional(let condition, let then, let otherwise):
      let test = try compile(condition, here)
      guard let check = test.single, test.isTotal else { break }
      let yes = try change(then, here)
      let no = try otherwise.map { (node) throws(ProgramError) in try change(node, here) }
      return { (state, frame) throws(Exception) in
        let flag = try check(state, frame)?.isTruthy ?? false
        if flag { try yes(&state, frame) } else { try no?(&state, frame) }
      }
    case .bind(let items, let patterns, let body):
      let source = try compile(items, here)
      guard patterns.count == 1, case .variable(let name) = patterns[0], let make = source.single,
        source.isTotal
      else { break }
      if let constant = source.constant {
        return try change(body, here.with(here.scope.adding(.variable(name, .constant(constant)))))
      }
      let slot = here.layout.newSlot()
      let scope = here.scope.adding(.variable(name, .slot(here.layout, slot)))
      let inside = try change(body, here.with(scope))
      return { (state, frame) throws(Exception) in
        frame.slots[slot] = try make(state, frame) ?? .null
        try inside(&state, frame)
      }
    case .define(let definition, let body):
      return try change(body, here.with(here.scope.defining(definition, in: here.layout)))
    case .binary(.add, let left, let right): return try addition(left, right, here)
    case .assign(_, let value), .updateWith(_, _, let value):
      let values = try compile(value, here)
      guard let make = values.single, values.isTotal else { break }
      let slot = here.layout.newSlot()
      let change = try assignmentChange(node, slot, here)
      return { (state, frame) throws(Exception) in
        frame.slots[slot] = try make(state, frame) ?? .null
        try change(&state, frame)
      }
    case .update: return try assignmentChange(node, nil, here)
    case .call(let name, let arguments): return try callChange(name, arguments, node, here)
    default: break
    }
    return Compiler.replacing(try compile(node, here))
  }

  /// A change that replaces the state by the expression's last output.
  private static func replacing(_ code: Code) -> Update {
    if let run = code.single {
      return { (state, frame) throws(Exception) in state = try run(state, frame) ?? .null }
    }
    let all = code.many
    return { (state, frame) throws(Exception) in
      let before = state
      state = .null
      var last: Value?
      try all(before, frame) { (output) throws(Exception) in last = output }
      if let last { state = last }
    }
  }

  /// A change for an expression that always has an output, nil for others.
  private func totalChange(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Update? {
    switch node.form {
    case .assign(_, let value), .updateWith(_, _, let value):
      let code = try compile(value, here)
      return code.single != nil && code.isTotal ? try change(node, here) : nil
    case .update, .identity: return try change(node, here)
    case .pipe(let left, let right):
      guard let first = try totalChange(left, here), let second = try totalChange(right, here) else {
        return nil
      }
      return { (state, frame) throws(Exception) in
        try first(&state, frame)
        try second(&state, frame)
      }
    default:
      let code = try compile(node, here)
      guard code.single != nil, code.isTotal else { return nil }
      return try change(node, here)
    }
  }

  // `. + x`
  private func addition(_ left: SyntaxNode, _ right: SyntaxNode, _ here: Here) throws(ProgramError) -> Update
  {
    let target = try totalChange(left, here)
    let code = try compile(right, here)
    guard let target, let make = code.single, code.isTotal, leadsWithState(left) else {
      return Compiler.replacing(
        Compiler.combine(try compile(left, here), code) { (x, y, run) throws(Exception) in try add(x, y, run)
        })
    }
    let detaches = foldsInputs
    return { (state, frame) throws(Exception) in
      var operand = try make(state, frame) ?? .null
      if detaches { operand = operand.detach() }
      try target(&state, frame)
      try add(operand, to: &state, frame.run)
    }
  }

  /// Whether a change in place is worth it: the expression is the state, or the state with something added.
  private func leadsWithState(_ node: SyntaxNode) -> Bool {
    switch node.form {
    case .identity: true
    case .binary(.add, let left, _): leadsWithState(left)
    default: false
    }
  }

  private func callChange(
    _ name: String, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Update {
    if let meaning = here.scope.function(name, arguments.count) {
      if let change = try inlineChange(meaning, arguments, here) { return change }
    } else if name == "setpath", arguments.count == 2 {
      let path = try compile(arguments[0], here)
      let value = try compile(arguments[1], here)
      if let a = path.single, let b = value.single, path.isTotal, value.isTotal {
        return { (state, frame) throws(Exception) in
          let (keys, inner) = (try a(state, frame) ?? .null, try b(state, frame) ?? .null)
          try setPath(&state, keys, inner, frame.run)
        }
      }
    } else if name == "delpaths", arguments.count == 1 {
      let paths = try compile(arguments[0], here)
      if let list = paths.single, paths.isTotal {
        return { (state, frame) throws(Exception) in
          let keys = try list(state, frame) ?? .null
          try deletePaths(&state, keys, frame.run)
        }
      }
    } else if Builtins.table["\(name)/\(arguments.count)"] == nil,
      let meaning = preludeMeaning(name, arguments.count),
      let change = try inlineChange(meaning, arguments, here)
    {
      return change
    }
    return Compiler.replacing(try compile(node, here))
  }

  private func inlineChange(
    _ meaning: FunctionMeaning, _ arguments: [SyntaxNode], _ here: Here
  ) throws(ProgramError) -> Update? {
    switch meaning.kind {
    case .argument(let argument, let origin): return try change(argument, here.with(origin.scope))
    case .closure: return nil
    case .definition(let definition):
      guard canInline(meaning) else { return nil }
      inlining += 1
      defer { inlining -= 1 }
      let (inside, values) = try inlineScope(meaning, definition, arguments, here)
      let body = try change(definition.body, inside)
      var makes: [(One, Int)] = []
      for (code, slot) in values {
        guard let make = code.single, code.isTotal else { return nil }
        makes.append((make, slot))
      }
      guard !makes.isEmpty else { return body }
      let parameters = makes
      return { (state, frame) throws(Exception) in
        for (make, slot) in parameters { frame.slots[slot] = try make(state, frame) ?? .null }
        try body(&state, frame)
      }
    }
  }

  // MARK: Assignments

  /// The change that an assignment makes to its input; a right side that is evaluated before is in a slot.
  func assignmentChange(_ node: SyntaxNode, _ slot: Int?, _ here: Here) throws(ProgramError) -> Update {
    switch node.form {
    case .assign(let target, _):
      let slot = slot ?? 0
      if let keys = try keys(of: target, here) {
        let detaches = foldsInputs
        return { (state, frame) throws(Exception) in
          let path = try keys(state, frame)
          let value = detaches ? frame.slots[slot].detach() : frame.slots[slot]
          try updatePath(&state, path, 0, frame.run) { (inner) throws(Exception) in inner = value }
        }
      }
      let targets = try paths(target, here)
      return { (state, frame) throws(Exception) in
        let root = state
        try targets(PathValue(root: root), frame) { (found) throws(Exception) in
          try frame.run.step()
          try setPath(&state, try found.pathArray(), frame.slots[slot], frame.run)
        }
      }
    case .updateWith(let operation, let target, _):
      let slot = slot ?? 0
      let change: Update
      switch operation {
      case nil:
        change = { (inner, frame) throws(Exception) in if !inner.isTruthy { inner = frame.slots[slot] } }
      case .add:
        let detaches = foldsInputs
        change = { (inner, frame) throws(Exception) in
          let value = frame.slots[slot]
          try add(detaches ? value.detach() : value, to: &inner, frame.run)
        }
      case let operation?:
        change = { (inner, frame) throws(Exception) in
          inner = try operation.apply(inner, frame.slots[slot], frame.run)
        }
      }
      return try modify(target, change, here)
    case .update(let target, let expression):
      let code = try compile(expression, here)
      if code.single != nil, code.isTotal { return try modify(target, try change(expression, here), here) }
      if let single = code.single { return try modify(target, single, here) }
      let all = code.many
      let first: One = { (inner, frame) throws(Exception) in try Builtins.firstOutput(all, inner, frame) }
      return try modify(target, first, here)
    default: return { (_, _) throws(Exception) in }
    }
  }

  // `target |= change`
  private func modify(_ target: SyntaxNode, _ change: @escaping Update, _ here: Here) throws(ProgramError)
    -> Update
  {
    if let keys = try keys(of: target, here) {
      return { (state, frame) throws(Exception) in
        let path = try keys(state, frame)
        try updatePath(&state, path, 0, frame.run) { (inner) throws(Exception) in try change(&inner, frame) }
      }
    }
    if case .iterate(let inner, false) = target.form, case .identity = inner.form {
      return { (state, frame) throws(Exception) in try Compiler.modifyEach(&state, frame, change) }
    }
    let targets = try paths(target, here)
    return { (state, frame) throws(Exception) in
      let root = state
      try targets(PathValue(root: root), frame) { (found) throws(Exception) in
        try frame.run.step()
        let path = try found.checkedSteps()
        try updatePath(&state, path, 0, frame.run) { (inner) throws(Exception) in try change(&inner, frame) }
      }
    }
  }

  /// `target |= output` where there may be no output: such paths are deleted, after all others are changed.
  private func modify(_ target: SyntaxNode, _ output: @escaping One, _ here: Here) throws(ProgramError)
    -> Update
  {
    let targets = try paths(target, here)
    return { (state, frame) throws(Exception) in
      let root = state
      var doomed: [Value] = []
      try targets(PathValue(root: root), frame) { (found) throws(Exception) in
        try frame.run.step()
        let path = try found.checkedSteps()
        if let value = try output(try getPath(state, .array(path)), frame) {
          try updatePath(&state, path, 0, frame.run) { (inner) throws(Exception) in inner = value }
        } else {
          doomed.append(.array(path))
        }
      }
      if !doomed.isEmpty { try deletePaths(&state, .array(doomed), frame.run) }
    }
  }

  // `.[] |= change`
  private static func modifyEach(_ state: inout Value, _ frame: Frame, _ change: Update) throws(Exception) {
    let run = frame.run
    switch state.kind {
    case .array:
      var items = state.items ?? []
      state = .null
      try run.charge(items.count * MemoryLayout<Value>.stride)
      for number in items.indices {
        try run.step()
        var item = items[number]
        items[number] = .null
        try change(&item, frame)
        items[number] = item
      }
      state = .array(items)
    case .object:
      for key in state.keys {
        try run.step()
        try run.charge(2 * MemoryLayout<Value>.stride)
        var inner = state.takeMember(key) ?? .null
        try change(&inner, frame)
        state.setMember(key, inner)
      }
    default: throw Exception("Cannot iterate over \(state.described)")
    }
  }

  /// The keys of a path expression with exactly one output: `.a.b`, `.[$id].count`.
  private func keys(
    of node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> (@Sendable (Value, Frame) throws(Exception) -> [Value])? {
    var nodes: [SyntaxNode] = []
    var current = node
    while case .index(let target, let key, false) = current.form {
      nodes.append(key)
      current = target
    }
    guard case .identity = current.form, !nodes.isEmpty else { return nil }
    var codes: [Code] = []
    for key in nodes.reversed() {
      let code = try compile(key, here)
      guard code.single != nil, code.isTotal else { return nil }
      codes.append(code)
    }
    let constants = codes.compactMap(\.constant)
    if constants.count == codes.count { return { (_, _) throws(Exception) in constants } }
    let makes = codes.compactMap(\.single)
    return { (value, frame) throws(Exception) in
      var keys: [Value] = []
      keys.reserveCapacity(makes.count)
      for make in makes { keys.append(try make(value, frame) ?? .null) }
      return keys
    }
  }
}
