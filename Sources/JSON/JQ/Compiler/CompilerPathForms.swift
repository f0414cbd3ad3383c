// Path expressions that hold more than their places: jq keeps one way and goes on with it wherever the next part of an
// expression is evaluated, whatever value that part is given. A step from a value that is not at the end of the way is
// an error; so what jq refuses is refused here, in the same words.

extension Compiler {
  func attemptPaths(_ body: Node, _ handler: Node?, _ here: Here) throws(ProgramError) -> Paths {
    let all = try paths(body, here)
    let rescue = try handler.map { (node) throws(ProgramError) in try paths(node, here) }
    return { (place, frame, out) throws(Stop) in
      let depth = frame.run.depth
      var downstream: Stop?
      let caught: Value
      do throws(Stop) {
        try all(place, frame) { (output) throws(Stop) in
          do throws(Stop) {
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
      try rescue?(place.holding(caught), frame, out)
    }
  }

  func labelPaths(_ name: String, _ body: Node, _ here: Here) throws(ProgramError) -> Paths {
    let slot = here.layout.newSlot()
    let all = try paths(body, here.with(here.scope.adding(.label(name, here.layout, slot))))
    return { (place, frame, out) throws(Stop) in
      let label = frame.run.nextLabel()
      let depth = frame.run.depth
      let saved = frame.slots[slot]
      frame.slots[slot] = .number(label)
      defer { frame.slots[slot] = saved }
      do throws(Stop) {
        try all(place, frame, out)
      } catch {
        guard case .breakOut(label) = error.reason else { throw error }
        frame.run.depth = depth
      }
    }
  }

  /// Folds in a path expression: the items lead to places, and the state is looked at from there.
  ///
  /// That is jq's way. Its `limit` lives by it: it passes on the item, which is at the place of the item.
  func foldPaths(_ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    let parts: (items: Node, patterns: [Pattern], initial: Node, update: Node)
    var extract: Node?
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
    return { (place, frame, out) throws(Stop) in
      let saved = slots.map { frame.slots[$0] }
      defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
      try starts(place, frame) { (first) throws(Stop) in
        var state = first.value
        try source(first.holding(place.value), frame) { (item) throws(Stop) in
          try frame.run.step()
          try matcher.match(item.value, place.value, frame) { () throws(Stop) in
            let before = item.holding(state)
            state = .null
            try updates(before, frame) { (output) throws(Stop) in
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

  /// An array: made of the values, while the place stays what it was.
  func arrayPaths(_ items: Node, _ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    if constants(items) != nil { return try calculated(node, here) }
    let all = try paths(items, here)
    return { (place, frame, out) throws(Stop) in
      var values: [Value] = []
      try all(place, frame) { (item) throws(Stop) in
        values.append(item.value)
        try frame.run.charge(MemoryLayout<Value>.stride)
      }
      try out(place.holding(.array(values)))
    }
  }

  /// `and` and `or`: the right side is asked where the left side led to.
  func logicPaths(_ left: Node, _ right: Node, isAnd: Bool, _ here: Here) throws(ProgramError) -> Paths {
    let first = try paths(left, here)
    let second = try paths(right, here)
    return { (place, frame, out) throws(Stop) in
      try first(place, frame) { (flag) throws(Stop) in
        if flag.value.isTruthy != isAnd { return try out(flag.holding(.bool(!isAnd))) }
        try second(flag.holding(place.value), frame) { (other) throws(Stop) in
          try out(other.holding(.bool(other.value.isTruthy)))
        }
      }
    }
  }

  /// `range(from; to)`: the bounds are looked for one after the other.
  func rangePaths(_ from: Node, _ to: Node, _ here: Here) throws(ProgramError) -> Paths {
    let starts = try paths(from, here)
    let ends = try paths(to, here)
    return { (place, frame, out) throws(Stop) in
      try starts(place, frame) { (start) throws(Stop) in
        try ends(start.holding(place.value), frame) { (end) throws(Stop) in
          guard let from = start.value.double, let to = end.value.double else {
            throw Stop("Range bounds must be numeric")
          }
          try Builtins.count(from, to, frame.run) { (number) throws(Stop) in try out(end.holding(number)) }
        }
      }
    }
  }

  /// An update, which leads to no place: jq takes the result out of a pair that it has just made, and is refused.
  func updatePaths(_ node: Node, _ here: Here) throws(ProgramError) -> Paths {
    switch node.form {
    case .updateWith(_, _, let value):
      let values = try paths(value, here)
      let slot = here.layout.newSlot()
      let change = try assignmentChange(node, slot, here)
      return { (place, frame, _) throws(Stop) in
        let saved = frame.slots[slot]
        defer { frame.slots[slot] = saved }
        try values(place, frame) { (value) throws(Stop) in
          frame.slots[slot] = value.value
          var state = place.value
          try change(&state, frame)
          throw Stop.noPlace(.number(0), of: .array([state, .array([])]))
        }
      }
    case .update(let target, let expression):
      let places = try paths(target, here)
      let outputs = try paths(expression, here)
      return { (place, frame, _) throws(Stop) in
        var state = place.value
        var doomed: [Value] = []
        try places(Place(root: place.value), frame) { (target) throws(Stop) in
          try frame.run.step()
          let path = try target.checkedSteps()
          let inner = place.holding(try getPath(state, .array(path)))
          if let value = try Compiler.firstValue(outputs, inner, frame) {
            try updatePath(&state, path, 0, frame.run) { (inner) throws(Stop) in inner = value }
          } else {
            doomed.append(.array(path))
          }
        }
        throw Stop.noPlace(.number(0), of: .array([state, .array(doomed)]))
      }
    default: return try calculated(node, here)
    }
  }

  /// The value at the first place a path expression leads to.
  private static func firstValue(_ paths: Paths, _ place: Place, _ frame: Frame) throws(Stop) -> Value? {
    var first: Value?
    let depth = frame.run.depth
    let label = frame.run.nextLabel()
    do throws(Stop) {
      try paths(place, frame) { (output) throws(Stop) in
        first = output.value
        throw Stop(.breakOut(label))
      }
    } catch {
      guard case .breakOut(label) = error.reason else { throw error }
      frame.run.depth = depth
    }
    return first
  }
}
