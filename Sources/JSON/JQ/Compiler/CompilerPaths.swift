// Path expressions: the same constructs once more, leading from places to places instead of from values to values.

extension Compiler {
  /// Compiles an expression for the places it leads to.
  func paths(_ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    let here = here.inner
    let checks = try enter(node, here)
    defer { leave() }
    let paths = located(try pathsOf(node, here), node, here)
    guard checks else { return paths }
    return { (place, frame, out) throws(Stop) in
      try frame.run.checkStack()
      try paths(place, frame, out)
    }
  }

  private func pathsOf(_ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    switch node.form {
    case .identity: return { (place, _, out) throws(Stop) in try out(place) }
    case .recurse: return try pathCall("recurse", [], node, here)
    case .index(let target, let key, let isOptional):
      return try accessPaths(target, try compile(key, here).many, isOptional, here)
    case .slice(let target, let from, let to, let isOptional):
      return try accessPaths(target, try sliceBounds(from, to, here).many, isOptional, here)
    case .iterate(let target, let isOptional):
      let targets = try paths(target, here)
      return { (place, frame, out) throws(Stop) in
        try targets(place, frame) { (target) throws(Stop) in
          if isOptional, target.isPath, target.value.count == nil { return }
          try Place.iterate(target, frame.run, out)
        }
      }
    case .attempt(let body, let handler): return try attemptPaths(body, handler, here)
    case .pipe(let left, let right):
      let first = try paths(left, here)
      let second = try paths(right, here)
      return { (place, frame, out) throws(Stop) in
        try first(place, frame) { (middle) throws(Stop) in try second(middle, frame, out) }
      }
    case .commas(let nodes):
      var parts: [Paths] = []
      for node in nodes { parts.append(try paths(node, here)) }
      let all = parts
      return { (place, frame, out) throws(Stop) in
        for part in all { try part(place, frame, out) }
      }
    case .conditional(let condition, let then, let otherwise):
      let tests = try compile(condition, here).many
      let yes = try paths(then, here)
      let no = try otherwise.map { (node) throws(ProgramError) in try paths(node, here) }
      return { (place, frame, out) throws(Stop) in
        try tests(place.value, frame) { (flag) throws(Stop) in
          if flag.isTruthy {
            try yes(place, frame, out)
          } else if let no {
            try no(place, frame, out)
          } else {
            try out(place)
          }
        }
      }
    case .alternative(let left, let right):
      let first = try paths(left, here)
      let second = try paths(right, here)
      return { (place, frame, out) throws(Stop) in
        var found = false
        try first(place, frame) { (output) throws(Stop) in
          guard output.value.isTruthy else { return }
          found = true
          try out(output)
        }
        if !found { try second(place, frame, out) }
      }
    case .reduce, .foreach: return try foldPaths(node, here)
    case .array(let items?): return try arrayPaths(items, node, here)
    case .and(let left, let right): return try logicPaths(left, right, isAnd: true, here)
    case .or(let left, let right): return try logicPaths(left, right, isAnd: false, here)
    case .negate(let operand):
      if try compile(node, here).constant != nil { return try calculated(node, here) }
      let operands = try paths(operand, here)
      return { (place, frame, out) throws(Stop) in
        try operands(place, frame) { (operand) throws(Stop) in
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
      return { (place, frame, out) throws(Stop) in
        let saved = slots.map { frame.slots[$0] }
        defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
        try source(place.value, frame) { (item) throws(Stop) in
          try matcher.match(item, place.value, frame) { () throws(Stop) in try inside(place, frame, out) }
        }
      }
    case .call(let name, let arguments): return try pathCall(name, arguments, node, here)
    default: return try calculated(node, here)
    }
  }

  /// What leads to no place: its outputs are values without a path.
  func calculated(_ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    let all = try compile(node, here).many
    return { (place, frame, out) throws(Stop) in
      try all(place.value, frame) { (value) throws(Stop) in try out(place.holding(value)) }
    }
  }

  /// `target[key]`, the keys changing slowest.
  private func accessPaths(
    _ target: Node, _ keys: @escaping Many, _ isOptional: Bool, _ here: Here
  ) throws(ProgramError) -> Paths {
    let targets = try paths(target, here)
    return { (place, frame, out) throws(Stop) in
      try keys(place.value, frame) { (key) throws(Stop) in
        try targets(place, frame) { (target) throws(Stop) in
          if let next = try target.at(key, isOptional: isOptional) { try out(next) }
        }
      }
    }
  }

  // MARK: Calls

  private func pathCall(
    _ name: String, _ arguments: [Node], _ node: Node, _ here: Here
  ) throws(ProgramError) -> Paths {
    if let meaning = here.scope.function(name, arguments.count) {
      return try pathCall(meaning, arguments, node, here)
    }
    switch "\(name)/\(arguments.count)" {
    case "empty/0": return { (_, _, _) throws(Stop) in }
    case "recurse/0": return { (place, frame, out) throws(Stop) in try Place.descend(place, frame.run, out) }
    case "getpath/1":
      let keys = try compile(arguments[0], here).many
      return { (place, frame, out) throws(Stop) in
        try keys(place.value, frame) { (path) throws(Stop) in try out(try place.at(path: path)) }
      }
    case "last/1":
      let all = try paths(arguments[0], here)
      return { (place, frame, out) throws(Stop) in
        var last: Place?
        try all(place, frame) { (output) throws(Stop) in last = output }
        if let last { try out(last) }
      }
    case "range/2": return try rangePaths(arguments[0], arguments[1], here)
    default: break
    }
    guard let meaning = pathMeaning(name, arguments.count) else { return try calculated(node, here) }
    return try pathCall(meaning, arguments, node, here)
  }

  private func pathCall(
    _ meaning: FunctionMeaning, _ arguments: [Node], _ node: Node, _ here: Here
  ) throws(ProgramError) -> Paths {
    switch meaning.kind {
    case .argument(let argument, let origin): return try paths(argument, here.with(origin.scope))
    case .closure(let layout, let index):
      let hops = here.hops(to: layout)
      return { (place, frame, out) throws(Stop) in
        let closure = frame.up(hops).arguments[index]
        try frame.run.step()
        try frame.run.checkStack()
        try closure.code.paths?(place, closure.frame, out)
      }
    case .definition(let definition):
      guard canInline(meaning) else { return try callPaths(meaning, definition, arguments, here) }
      inlining += 1
      defer { inlining -= 1 }
      let (inside, values) = try inlineScope(meaning, definition, arguments, here)
      var body = try paths(definition.body, inside)
      for (source, slot) in values.reversed() {
        let (all, rest) = (source.many, body)
        body = { (place, frame, out) throws(Stop) in
          let saved = frame.slots[slot]
          defer { frame.slots[slot] = saved }
          try all(place.value, frame) { (value) throws(Stop) in
            frame.slots[slot] = value
            try rest(place, frame, out)
          }
        }
      }
      return body
    }
  }

  private func callPaths(
    _ meaning: FunctionMeaning, _ definition: Definition, _ arguments: [Node], _ here: Here
  ) throws(ProgramError) -> Paths {
    let function = try pathCode(meaning, definition)
    let caller = Caller(
      function: function, try pass(definition, arguments, here), hops: here.hops(to: meaning.layout))
    return { (place, frame, out) throws(Stop) in
      let run = frame.run
      try run.step()
      try run.charge(128)
      let depth = run.depth
      run.depth += 1
      defer { run.depth = depth }
      try run.checkStack()
      try caller.eachFrame(place.value, frame) { (callee) throws(Stop) in
        try function.paths?(place, callee, out)
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
