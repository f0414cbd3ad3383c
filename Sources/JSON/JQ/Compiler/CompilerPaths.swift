// Path expressions: the same constructs compiled once more, for values with their paths.

extension Compiler {
  /// Compiles an expression for the paths of its outputs.
  func paths(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    let here = here.inner
    let checks = try enter(node, here)
    defer { leave() }
    let paths = located(try pathsOf(node, here), node, here)
    guard checks else { return paths }
    return { (input, frame, out) throws(Exception) in
      try frame.run.checkStack()
      try paths(input, frame, out)
    }
  }

  private func pathsOf(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    switch node.form {
    case .identity: return { (input, _, out) throws(Exception) in try out(input) }
    case .recurse: return try pathCall("recurse", [], node, here)
    case .index(let target, let key, let isOptional):
      return try accessPaths(target, try compile(key, here).many, isOptional, here)
    case .slice(let target, let from, let to, let isOptional):
      return try accessPaths(target, try sliceBounds(from, to, here).many, isOptional, here)
    case .iterate(let target, let isOptional):
      let targets = try paths(target, here)
      return { (input, frame, out) throws(Exception) in
        try targets(input, frame) { (target) throws(Exception) in
          if isOptional, target.isPath, target.value.count == nil { return }
          try PathValue.iterate(target, frame.run, out)
        }
      }
    case .attempt(let body, let handler): return try attemptPaths(body, handler, here)
    case .pipe(let left, let right):
      let first = try paths(left, here)
      let second = try paths(right, here)
      return { (input, frame, out) throws(Exception) in
        try first(input, frame) { (middle) throws(Exception) in try second(middle, frame, out) }
      }
    case .commas(let nodes):
      var parts: [Paths] = []
      for node in nodes { parts.append(try paths(node, here)) }
      let all = parts
      return { (input, frame, out) throws(Exception) in
        for part in all { try part(input, frame, out) }
      }
    case .conditional(let condition, let then, let otherwise):
      let tests = try compile(condition, here).many
      let yes = try paths(then, here)
      let no = try otherwise.map { (node) throws(ProgramError) in try paths(node, here) }
      return { (input, frame, out) throws(Exception) in
        try tests(input.value, frame) { (flag) throws(Exception) in
          if flag.isTruthy {
            try yes(input, frame, out)
          } else if let no {
            try no(input, frame, out)
          } else {
            try out(input)
          }
        }
      }
    case .alternative(let left, let right):
      let first = try paths(left, here)
      let second = try paths(right, here)
      return { (input, frame, out) throws(Exception) in
        var found = false
        try first(input, frame) { (output) throws(Exception) in
          guard output.value.isTruthy else { return }
          found = true
          try out(output)
        }
        if !found { try second(input, frame, out) }
      }
    case .reduce, .foreach: return try foldPaths(node, here)
    case .array(let items?): return try arrayPaths(items, node, here)
    case .and(let left, let right): return try logicPaths(left, right, isAnd: true, here)
    case .or(let left, let right): return try logicPaths(left, right, isAnd: false, here)
    case .negate(let operand):
      if try compile(node, here).constant != nil { return try calculated(node, here) }
      let operands = try paths(operand, here)
      return { (input, frame, out) throws(Exception) in
        try operands(input, frame) { (operand) throws(Exception) in
          try out(operand.holding(try negative(operand.value)))
        }
      }
    case .update, .updateWith: return try updatePaths(node, here)
    case .label(let name, let body): return try labelPaths(name, body, here)
    case .define(let definition, let body):
      return try paths(body, here.with(here.scope.defining(definition, in: here.layout)))
    case .bind(let items, let patterns, let body):
      let source = try compile(items, here).many
      let matcher = try matcher(patterns, here)
      let inside = try paths(body, here.with(matcher.scope))
      let slots = matcher.slots
      return { (input, frame, out) throws(Exception) in
        let saved = slots.map { frame.slots[$0] }
        defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
        try source(input.value, frame) { (item) throws(Exception) in
          try matcher.match(item, input.value, frame) { () throws(Exception) in try inside(input, frame, out)
          }
        }
      }
    case .call(let name, let arguments): return try pathCall(name, arguments, node, here)
    default: return try calculated(node, here)
    }
  }

  /// A calculation: its outputs have no path of their own.
  func calculated(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    let all = try compile(node, here).many
    return { (input, frame, out) throws(Exception) in
      try all(input.value, frame) { (value) throws(Exception) in try out(input.holding(value)) }
    }
  }

  /// `target[key]`, the keys changing slowest.
  private func accessPaths(
    _ target: SyntaxNode, _ keys: @escaping Many, _ isOptional: Bool, _ here: Here
  ) throws(ProgramError) -> Paths {
    let targets = try paths(target, here)
    return { (input, frame, out) throws(Exception) in
      try keys(input.value, frame) { (key) throws(Exception) in
        try targets(input, frame) { (target) throws(Exception) in
          if let next = try target.at(key, isOptional: isOptional) { try out(next) }
        }
      }
    }
  }

  // MARK: Calls

  private func pathCall(
    _ name: String, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Paths {
    if let meaning = here.scope.function(name, arguments.count) {
      return try pathCall(meaning, arguments, node, here)
    }
    switch "\(name)/\(arguments.count)" {
    case "empty/0": return { (_, _, _) throws(Exception) in }
    case "recurse/0":
      return { (input, frame, out) throws(Exception) in try PathValue.descend(input, frame.run, out) }
    case "getpath/1":
      let keys = try compile(arguments[0], here).many
      return { (input, frame, out) throws(Exception) in
        try keys(input.value, frame) { (path) throws(Exception) in try out(try input.at(path: path)) }
      }
    case "last/1":
      let all = try paths(arguments[0], here)
      return { (input, frame, out) throws(Exception) in
        var last: PathValue?
        try all(input, frame) { (output) throws(Exception) in last = output }
        if let last { try out(last) }
      }
    case "range/2": return try rangePaths(arguments[0], arguments[1], here)
    default: break
    }
    guard let meaning = pathMeaning(name, arguments.count) else { return try calculated(node, here) }
    return try pathCall(meaning, arguments, node, here)
  }

  private func pathCall(
    _ meaning: FunctionMeaning, _ arguments: [SyntaxNode], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Paths {
    switch meaning.kind {
    case .argument(let argument, let origin): return try paths(argument, here.with(origin.scope))
    case .closure(let layout, let index):
      let hops = here.hops(to: layout)
      return { (input, frame, out) throws(Exception) in
        let closure = frame.up(hops).arguments[index]
        try frame.run.step()
        try frame.run.checkStack()
        try closure.code.paths?(input, closure.frame, out)
      }
    case .definition(let definition):
      guard canInline(meaning) else { return try callPaths(meaning, definition, arguments, here) }
      inlining += 1
      defer { inlining -= 1 }
      let (inside, values) = try inlineScope(meaning, definition, arguments, here)
      var body = try paths(definition.body, inside)
      for (source, slot) in values.reversed() {
        let (all, rest) = (source.many, body)
        body = { (input, frame, out) throws(Exception) in
          let saved = frame.slots[slot]
          defer { frame.slots[slot] = saved }
          try all(input.value, frame) { (value) throws(Exception) in
            frame.slots[slot] = value
            try rest(input, frame, out)
          }
        }
      }
      return body
    }
  }

  private func callPaths(
    _ meaning: FunctionMeaning, _ definition: Definition, _ arguments: [SyntaxNode], _ here: Here
  ) throws(ProgramError) -> Paths {
    let function = try pathCode(meaning, definition)
    let caller = Caller(
      function: function, try pass(definition, arguments, here), hops: here.hops(to: meaning.layout))
    return { (input, frame, out) throws(Exception) in
      let run = frame.run
      try run.step()
      try run.charge(128)
      let depth = run.depth
      run.depth += 1
      defer { run.depth = depth }
      try run.checkStack()
      try caller.eachFrame(input.value, frame) { (callee) throws(Exception) in
        try function.paths?(input, callee, out)
      }
    }
  }

  private func pathCode(
    _ meaning: FunctionMeaning, _ definition: Definition
  ) throws(ProgramError) -> FunctionCode {
    if let code = meaning.pathCode { return code }
    let code = FunctionCode(name: definition.name)
    meaning.pathCode = code
    let layout = FrameLayout(inside: meaning.layout)
    let scope = functionScope(meaning, definition, layout)
    code.paths = try paths(definition.body, Here(scope: scope, layout: layout))
    code.slots = layout.slots
    return code
  }
}
