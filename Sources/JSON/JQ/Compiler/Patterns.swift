// Destructuring: `as [$a, {b: $c}] ?// $d`.

/// Takes values apart into variables.
struct Matcher: Sendable {
  /// The code that binds variables and then runs the next step; the last one runs the body.
  typealias Step = @Sendable (Value, Value, Frame, () throws(Exception) -> Void) throws(Exception) -> Void

  let alternatives: [Step]
  /// The slots of its variables, all in a row.
  let slots: Range<Int>
  /// The slot of a pattern that is one variable.
  let onlySlot: Int?
  /// The scope of the body, used only while compiling.
  nonisolated(unsafe) let scope: Scope

  /// Calls `body` for each way to bind the variables.
  ///
  /// An error, even one that the body raises, leads to the next alternative.
  @inline(__always)
  func match(
    _ item: Value, _ input: Value, _ frame: Frame, _ body: () throws(Exception) -> Void
  ) throws(Exception) {
    if let onlySlot {
      frame.slots[onlySlot] = item
      return try body()
    }
    try matchAlternatives(item, input, frame, body)
  }

  private func matchAlternatives(
    _ item: Value, _ input: Value, _ frame: Frame, _ body: () throws(Exception) -> Void
  ) throws(Exception) {
    let saved = slots.map { frame.slots[$0] }
    defer { for (slot, value) in zip(slots, saved) { frame.slots[slot] = value } }
    for (number, step) in alternatives.enumerated() {
      for slot in slots { frame.slots[slot] = .null }
      if number == alternatives.count - 1 { return try step(item, input, frame, body) }
      do throws(Exception) {
        return try step(item, input, frame, body)
      } catch {
        guard error.isError else { throw error }
      }
    }
  }
}

extension Compiler {
  /// Compiles patterns; the scope it returns has their variables in it.
  func matcher(_ patterns: [Pattern], _ here: Here) throws(ProgramError) -> Matcher {
    var names: [String] = []
    for pattern in patterns {
      for name in pattern.variables where !names.contains(name) { names.append(name) }
    }
    var slots: [String: Int] = [:]
    var scope = here.scope
    var first: Int?
    for name in names {
      let slot = here.layout.newSlot()
      first = first ?? slot
      slots[name] = slot
      scope = scope.adding(.variable(name, .slot(here.layout, slot)))
    }
    let start = first ?? 0
    let inside = Here(scope: scope, layout: here.layout)
    var steps: [Matcher.Step] = []
    for pattern in patterns { steps.append(try step(pattern, slots, inside)) }
    var onlySlot: Int?
    if patterns.count == 1, case .variable = patterns[0] { onlySlot = start }
    return Matcher(
      alternatives: steps, slots: start..<(start + names.count), onlySlot: onlySlot, scope: scope)
  }

  private func step(_ pattern: Pattern, _ slots: [String: Int], _ here: Here) throws(ProgramError)
    -> Matcher.Step
  {
    switch pattern {
    case .variable(let name):
      let slot = slots[name] ?? 0
      return { (item, _, frame, next) throws(Exception) in
        frame.slots[slot] = item
        try next()
      }
    case .array(let items):
      var steps: [Matcher.Step] = []
      for item in items { steps.append(try step(item, slots, here)) }
      // jq goes from the last element to the first.
      return Compiler.inTurn(
        steps.enumerated().reversed().map { number, step in
          { (item, input, frame, next) throws(Exception) in
            guard item.kind == .array || item.isNull else {
              throw Exception("Cannot index \(item.typeName) with number (\(number))")
            }
            try step(item.element(number) ?? .null, input, frame, next)
          }
        })
    case .object(let members):
      var steps: [Matcher.Step] = []
      for member in members { steps.append(try step(member, slots, here)) }
      return Compiler.inTurn(steps)
    }
  }

  private func step(
    _ member: PatternMember, _ slots: [String: Int], _ here: Here
  ) throws(ProgramError) -> Matcher.Step {
    let key = try compile(member.key, here)
    if let constant = key.constant, !constant.isString, member.key.isLiteral {
      throw failure("Cannot use \(constant.described) as object key", member.key, here)
    }
    let keys = key.many
    let rest = try member.pattern.map { (pattern) throws(ProgramError) in try step(pattern, slots, here) }
    let slot = member.variable.flatMap { slots[$0] }
    return { (item, input, frame, next) throws(Exception) in
      try keys(input, frame) { (key) throws(Exception) in
        guard key.isString else { throw Exception("Cannot index \(item.typeName) with \(key.described)") }
        let value = try index(item, key)
        if let slot { frame.slots[slot] = value }
        if let rest { try rest(value, input, frame, next) } else { try next() }
      }
    }
  }

  private static func inTurn(_ steps: [Matcher.Step]) -> Matcher.Step {
    var all: Matcher.Step = { (_, _, _, next) throws(Exception) in try next() }
    for step in steps.reversed() {
      let rest = all
      all = { (item, input, frame, next) throws(Exception) in
        try step(item, input, frame) { () throws(Exception) in try rest(item, input, frame, next) }
      }
    }
    return all
  }
}
