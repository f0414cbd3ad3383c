// try, label and break, variables, reduce and foreach.

extension Compiler {
  // MARK: try

  /// `try body catch handler`.
  ///
  /// It does not catch errors of the receiver of its outputs.
  func attempt(_ body: SyntaxNode, _ handler: SyntaxNode?, _ here: Here) throws(ProgramError) -> Code {
    let code = try compile(body, here.inner)
    let rescue = try handler.map { (node) throws(ProgramError) in try compile(node, here) } ?? .never
    if code.constant != nil { return code }
    if let run = code.single, let rescueRun = rescue.single {
      return .single(total: code.isTotal && rescue.isTotal) { (value, frame) throws(Exception) in
        let depth = frame.run.depth
        let caught: Value
        do throws(Exception) {
          return try run(value, frame)
        } catch {
          guard case .error(let message) = error.reason else { throw error }
          caught = message
        }
        frame.run.depth = depth
        return try rescueRun(caught, frame)
      }
    }
    let (all, rescueAll) = (code.many, rescue.many)
    return .many { (value, frame, out) throws(Exception) in
      let depth = frame.run.depth
      var downstream: Exception?
      let caught: Value
      do throws(Exception) {
        try all(value, frame) { (output) throws(Exception) in
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
      try rescueAll(caught, frame, out)
    }
  }

  // MARK: label

  func label(_ name: String, _ body: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let slot = here.layout.newSlot()
    let scope = here.scope.adding(.label(name, here.layout, slot))
    let code = try compile(body, Here(scope: scope, layout: here.layout))
    if let run = code.single {
      return .single(total: false) { (value, frame) throws(Exception) in
        let label = frame.run.nextLabel()
        frame.slots[slot] = .number(label)
        do throws(Exception) {
          return try run(value, frame)
        } catch {
          guard case .breakOut(label) = error.reason else { throw error }
          return nil
        }
      }
    }
    let all = code.many
    return .many { (value, frame, out) throws(Exception) in
      let label = frame.run.nextLabel()
      let depth = frame.run.depth
      let saved = frame.slots[slot]
      frame.slots[slot] = .number(label)
      defer { frame.slots[slot] = saved }
      do throws(Exception) {
        try all(value, frame) { (output) throws(Exception) in try out(output) }
      } catch {
        guard case .breakOut(label) = error.reason else { throw error }
        frame.run.depth = depth
      }
    }
  }

  /// The slot of a label's number, for `break`.
  func labelSlot(_ name: String, _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> (
    hops: Int, slot: Int
  ) {
    guard let (layout, slot) = here.scope.label(name) else {
      throw ProgramError(
        "there is no label $\(name)", in: here.scope.source, at: node.span,
        hint: "write label $\(name) | … break $\(name)")
    }
    return (here.hops(to: layout), slot)
  }

  func breakOut(_ name: String, _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let (hops, slot) = try labelSlot(name, node, here)
    return .single(total: false) { (_, frame) throws(Exception) in
      throw Exception(.breakOut(Int(frame.up(hops).slots[slot].double ?? 0)))
    }
  }

  // MARK: Variables

  func bind(_ items: SyntaxNode, _ patterns: [Pattern], _ body: SyntaxNode, _ here: Here) throws(ProgramError)
    -> Code
  {
    let source = try compile(items, here.inner)
    if patterns.count == 1, case .variable(let name) = patterns[0] {
      if let constant = source.constant {
        return try compile(body, here.with(here.scope.adding(.variable(name, .constant(constant)))))
      }
      let slot = here.layout.newSlot()
      let scope = here.scope.adding(.variable(name, .slot(here.layout, slot)))
      let isSingle = source.single != nil
      let code = try compile(body, Here(scope: scope, layout: here.layout, isTail: here.isTail && isSingle))
      return Compiler.bind(source, slot, code)
    }
    let matcher = try matcher(patterns, here)
    let code = try compile(body, Here(scope: matcher.scope, layout: here.layout))
    return Compiler.destructure(source, matcher, code)
  }

  /// Puts each output of `source` into a variable and runs `body` on the input.
  static func bind(_ source: Code, _ slot: Int, _ body: Code) -> Code {
    switch (source.form, body.form) {
    case (.single(let make), .single(let run)):
      return .single(total: source.isTotal && body.isTotal) { (value, frame) throws(Exception) in
        guard let bound = try make(value, frame) else { return nil }
        frame.slots[slot] = bound
        return try run(value, frame)
      }
    case (.single(let make), .many(let run)):
      return .many { (value, frame, out) throws(Exception) in
        guard let bound = try make(value, frame) else { return }
        // The receiver of an output may enter this code again before it returns, so the slot is restored. A tail call is
        // still to be made, and its arguments may use the variable.
        let saved = frame.slots[slot]
        defer { if frame.run.tail == nil { frame.slots[slot] = saved } }
        frame.slots[slot] = bound
        try run(value, frame, out)
      }
    case (.many(let all), _):
      let run = body.many
      return .many { (value, frame, out) throws(Exception) in
        let saved = frame.slots[slot]
        defer { frame.slots[slot] = saved }
        try all(value, frame) { (bound) throws(Exception) in
          frame.slots[slot] = bound
          try run(value, frame, out)
        }
      }
    }
  }

  private static func destructure(_ source: Code, _ matcher: Matcher, _ body: Code) -> Code {
    let (all, run) = (source.many, body.many)
    return .many { (value, frame, out) throws(Exception) in
      try all(value, frame) { (item) throws(Exception) in
        try matcher.match(item, value, frame) { () throws(Exception) in try run(value, frame, out) }
      }
    }
  }

  // MARK: Folds

  func reduce(
    _ items: SyntaxNode, _ patterns: [Pattern], _ initial: SyntaxNode, _ update: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Code {
    let here = here.inner
    let source = try compile(items, here).many
    let start = try compile(initial, here)
    let matcher = try matcher(patterns, here)
    let outer = foldsInputs
    foldsInputs = outer || items.readsInputs
    defer { foldsInputs = outer }
    let change = try self.change(update, here.with(matcher.scope))
    let slots = matcher.slots
    let fold: One = { (value, frame) throws(Exception) in
      guard let first = try start.single?(value, frame) else { return nil }
      return try Compiler.fold(first, value, frame, source, matcher, change, slots)
    }
    if start.single != nil { return .single(total: start.isTotal, fold) }
    let starts = start.many
    return .many { (value, frame, out) throws(Exception) in
      try starts(value, frame) { (first) throws(Exception) in
        try out(try Compiler.fold(first, value, frame, source, matcher, change, slots))
      }
    }
  }

  private static func fold(
    _ first: Value, _ value: Value, _ frame: Frame, _ source: @escaping Many, _ matcher: Matcher,
    _ change: @escaping Update,
    _ slots: Range<Int>
  ) throws(Exception) -> Value {
    var state = first
    let run = frame.run
    let saved = slots.map { frame.slots[$0] }
    defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
    if let slot = matcher.onlySlot {
      try source(value, frame) { (item) throws(Exception) in
        try run.step()
        frame.slots[slot] = item
        try change(&state, frame)
      }
    } else {
      try source(value, frame) { (item) throws(Exception) in
        try run.step()
        try matcher.match(item, value, frame) { () throws(Exception) in try change(&state, frame) }
      }
    }
    return state
  }

  func foreach(
    _ items: SyntaxNode, _ patterns: [Pattern], _ initial: SyntaxNode, _ update: SyntaxNode,
    _ extract: SyntaxNode?, _ here: Here
  ) throws(ProgramError) -> Code {
    let here = here.inner
    let source = try compile(items, here).many
    let starts = try compile(initial, here).many
    let matcher = try matcher(patterns, here)
    let inside = here.with(matcher.scope)
    let slots = matcher.slots
    let outer = foldsInputs
    foldsInputs = outer || items.readsInputs
    defer { foldsInputs = outer }
    let updates = try compile(update, inside)
    let change: Update? = updates.single == nil ? nil : try self.change(update, inside)
    let isTotal = updates.isTotal
    let select = try extract.map { (node) throws(ProgramError) in try compile(node, inside) }
    let (many, emit) = (updates.many, select?.many)
    return .many { (value, frame, out) throws(Exception) in
      let run = frame.run
      try starts(value, frame) { (first) throws(Exception) in
        var state = first
        let saved = slots.map { frame.slots[$0] }
        defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
        try source(value, frame) { (item) throws(Exception) in
          try run.step()
          try matcher.match(item, value, frame) { () throws(Exception) in
            if let change, isTotal {
              try change(&state, frame)
              if let emit { try emit(state, frame, out) } else { try out(state) }
              return
            }
            let before = state
            state = .null
            try many(before, frame) { (output) throws(Exception) in
              state = output
              if let emit { try emit(output, frame, out) } else { try out(output) }
            }
          }
        }
      }
    }
  }
}
