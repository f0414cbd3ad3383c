// Path expressions that evaluate more than their path: jq keeps one current path and continues it wherever the next
// part of an expression is evaluated, whatever value that part gets. A step from a value that is not at the end of
// the path is an error. So what jq refuses is refused here, with the same message.

extension Compiler {
  func attemptPaths(_ body: SyntaxNode, _ handler: SyntaxNode?, _ here: Here) throws(ProgramError) -> Paths {
    let all = try paths(body, here)
    let rescue = try handler.map { (node) throws(ProgramError) in try paths(node, here) }
    return { (input, frame, out) throws(Exception) in
      let depth = frame.run.depth
      var downstream: Exception?
      let caught: Value
      do throws(Exception) {
        try all(input, frame) { (output) throws(Exception) in
          do throws(Exception) {
            try out(output)
          } catch {
            downstream = error
            throw error
          }
        }
        return
      } catch {
        guard case .error(let message) = error.reason, error !== downstream else { throw error }
        caught = message
      }
      frame.run.depth = depth
      try rescue?(input.holding(caught), frame, out)
    }
  }

  func labelPaths(_ name: String, _ body: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    let slot = here.layout.newSlot()
    let all = try paths(body, here.with(here.scope.adding(.label(name, here.layout, slot))))
    return { (input, frame, out) throws(Exception) in
      let label = frame.run.nextLabel()
      let depth = frame.run.depth
      let saved = frame.slots[slot]
      frame.slots[slot] = .number(label)
      defer { frame.slots[slot] = saved }
      do throws(Exception) {
        try all(input, frame, out)
      } catch {
        guard case .breakOut(label) = error.reason else { throw error }
        frame.run.depth = depth
      }
    }
  }

  /// Folds in a path expression: each item has a path, and the state is evaluated with the path of the item.
  ///
  /// jq does so, and its `limit` depends on it: it passes on the item, which is at the item's path.
  func foldPaths(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    let parts: (items: SyntaxNode, patterns: [Pattern], initial: SyntaxNode, update: SyntaxNode)
    var extract: SyntaxNode?
    var isReduce = true
    switch node.form {
    case .reduce(let a, let b, let c, let d): parts = (a, b, c, d)
    case .foreach(let a, let b, let c, let d, let e):
      parts = (a, b, c, d)
      (extract, isReduce) = (e, false)
    default: return try calculated(node, here)
    }
    let source = try paths(parts.items, here)
    let starts = try paths(parts.initial, here)
    let matcher = try matcher(parts.patterns, here)
    let inside = here.with(matcher.scope)
    let updates = try paths(parts.update, inside)
    let select = try extract.map { (node) throws(ProgramError) in try paths(node, inside) }
    let slots = matcher.slots
    let foldsWhole = isReduce
    return { (input, frame, out) throws(Exception) in
      let saved = slots.map { frame.slots[$0] }
      defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
      try starts(input, frame) { (first) throws(Exception) in
        var state = first.value
        try source(first.holding(input.value), frame) { (item) throws(Exception) in
          try frame.run.step()
          try matcher.match(item.value, input.value, frame) { () throws(Exception) in
            let before = item.holding(state)
            state = .null
            try updates(before, frame) { (output) throws(Exception) in
              state = output.value
              guard !foldsWhole else { return }
              if let select { try select(output, frame, out) } else { try out(output) }
            }
          }
        }
        if foldsWhole { try out(first.holding(state)) }
      }
    }
  }

  /// An array: made of the values, while the path stays the same.
  func arrayPaths(_ items: SyntaxNode, _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    if constants(items) != nil { return try calculated(node, here) }
    let all = try paths(items, here)
    return { (input, frame, out) throws(Exception) in
      var values: [Value] = []
      try all(input, frame) { (item) throws(Exception) in
        values.append(item.value)
        try frame.run.charge(MemoryLayout<Value>.stride)
      }
      try out(input.holding(.array(values)))
    }
  }

  /// `and` and `or`: the right side is evaluated with the path of the left side.
  func logicPaths(_ left: SyntaxNode, _ right: SyntaxNode, isAnd: Bool, _ here: Here) throws(ProgramError)
    -> Paths
  {
    let first = try paths(left, here)
    let second = try paths(right, here)
    return { (input, frame, out) throws(Exception) in
      try first(input, frame) { (flag) throws(Exception) in
        if flag.value.isTruthy != isAnd { return try out(flag.holding(.bool(!isAnd))) }
        try second(flag.holding(input.value), frame) { (other) throws(Exception) in
          try out(other.holding(.bool(other.value.isTruthy)))
        }
      }
    }
  }

  /// `range(from; to)`: the second bound is evaluated with the path of the first.
  func rangePaths(_ from: SyntaxNode, _ to: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    let starts = try paths(from, here)
    let ends = try paths(to, here)
    return { (input, frame, out) throws(Exception) in
      try starts(input, frame) { (start) throws(Exception) in
        try ends(start.holding(input.value), frame) { (end) throws(Exception) in
          guard let from = start.value.double, let to = end.value.double else {
            throw Exception("Range bounds must be numeric")
          }
          try Builtins.count(from, to, frame.run) { (number) throws(Exception) in try out(end.holding(number))
          }
        }
      }
    }
  }

  /// An update, whose result has no path: jq takes it out of a pair that it has just made, which is an error.
  func updatePaths(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Paths {
    switch node.form {
    case .updateWith(_, _, let value):
      let values = try paths(value, here)
      let slot = here.layout.newSlot()
      let change = try assignmentChange(node, slot, here)
      return { (input, frame, _) throws(Exception) in
        let saved = frame.slots[slot]
        defer { frame.slots[slot] = saved }
        try values(input, frame) { (value) throws(Exception) in
          frame.slots[slot] = value.value
          var state = input.value
          try change(&state, frame)
          throw Exception.noPath(.number(0), of: .array([state, .array([])]))
        }
      }
    case .update(let target, let expression):
      let targets = try paths(target, here)
      let outputs = try paths(expression, here)
      return { (input, frame, _) throws(Exception) in
        var state = input.value
        var doomed: [Value] = []
        try targets(PathValue(root: input.value), frame) { (target) throws(Exception) in
          try frame.run.step()
          let path = try target.checkedSteps()
          let inner = input.holding(try getPath(state, .array(path)))
          if let value = try Compiler.firstValue(outputs, inner, frame) {
            try updatePath(&state, path, 0, frame.run) { (inner) throws(Exception) in inner = value }
          } else {
            doomed.append(.array(path))
          }
        }
        throw Exception.noPath(.number(0), of: .array([state, .array(doomed)]))
      }
    default: return try calculated(node, here)
    }
  }

  /// The first output's value.
  private static func firstValue(_ paths: Paths, _ input: PathValue, _ frame: Frame) throws(Exception)
    -> Value?
  {
    var first: Value?
    let depth = frame.run.depth
    let label = frame.run.nextLabel()
    do throws(Exception) {
      try paths(input, frame) { (output) throws(Exception) in
        first = output.value
        throw Exception(.breakOut(label))
      }
    } catch {
      guard case .breakOut(label) = error.reason else { throw error }
      frame.run.depth = depth
    }
    return first
  }
}
