// Builtins that take expressions: generators and loops in Swift, so that they run in constant stack where jq's do, and
// stop as soon as no more outputs are needed.

extension Builtins {
  static let forms: [String: Builtin] = [
    "empty/0": .form { (_, _, _) throws(ProgramError) in .never },
    "path/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let paths = try compiler.paths(arguments[0], here)
      return .many { (value, frame, out) throws(Exception) in
        try paths(PathValue(root: value), frame) { (place) throws(Exception) in
          guard place.isPath else {
            throw Exception("Invalid path expression with result \(place.value.excerpt)")
          }
          try out(.array(place.steps))
        }
      }
    },
    "first/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let code = try compiler.compile(arguments[0], here)
      if code.single != nil { return code }
      let all = code.many
      return .single(total: false) { (value, frame) throws(Exception) in try firstOutput(all, value, frame) }
    },
    "last/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let code = try compiler.compile(arguments[0], here)
      if code.single != nil { return code }
      let all = code.many
      return .single(total: false) { (value, frame) throws(Exception) in
        var last: Value?
        try all(value, frame) { (output) throws(Exception) in last = output }
        return last
      }
    },
    "isempty/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let all = try compiler.compile(arguments[0], here).many
      return .single { (value, frame) throws(Exception) in .bool(try firstOutput(all, value, frame) == nil) }
    },
    "any/2": .form { (compiler, arguments, here) throws(ProgramError) in
      try quantifier(compiler, arguments[0], arguments[1], here, stopsAt: true)
    },
    "all/2": .form { (compiler, arguments, here) throws(ProgramError) in
      try quantifier(compiler, arguments[0], arguments[1], here, stopsAt: false)
    },
    "limit/2": .form { (compiler, arguments, here) throws(ProgramError) in
      let counts = try compiler.compile(arguments[0], here).many
      let all = try compiler.compile(arguments[1], here).many
      return .many { (value, frame, out) throws(Exception) in
        try counts(value, frame) { (count) throws(Exception) in try limit(count, all, value, frame, out) }
      }
    },
    "range/2": .form { (compiler, arguments, here) throws(ProgramError) in
      let starts = try compiler.compile(arguments[0], here).many
      let ends = try compiler.compile(arguments[1], here).many
      return .many { (value, frame, out) throws(Exception) in
        try starts(value, frame) { (start) throws(Exception) in
          try ends(value, frame) { (end) throws(Exception) in
            guard let from = start.double, let to = end.double else {
              throw Exception("Range bounds must be numeric")
            }
            try count(from, to, frame.run, out)
          }
        }
      }
    },
    "recurse/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let code = try compiler.compile(arguments[0], here)
      if let next = code.single {
        return .many { (value, frame, out) throws(Exception) in
          var current: Value? = value
          while let output = current {
            try frame.run.step()
            try out(output)
            current = try next(output, frame)
          }
        }
      }
      let all = code.many
      return .many { (value, frame, out) throws(Exception) in try recurse(all, value, frame, out) }
    },
    "recurse/0": .form { (_, _, _) throws(ProgramError) in
      .many { (value, frame, out) throws(Exception) in try descend(value, frame.run, out) }
    },
    "repeat/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let all = try compiler.compile(arguments[0], here).many
      return .many { (value, frame, out) throws(Exception) in
        while true {
          try frame.run.step()
          try all(value, frame, out)
        }
      }
    },
    "while/2": .form { (compiler, arguments, here) throws(ProgramError) in
      let condition = try compiler.compile(arguments[0], here)
      let update = try compiler.compile(arguments[1], here)
      guard let test = condition.single, let next = update.single, condition.isTotal else {
        return try compiler.callPrelude("while", arguments, here)
      }
      return .many { (value, frame, out) throws(Exception) in
        var current: Value? = value
        while let output = current, let flag = try test(output, frame), flag.isTruthy {
          try frame.run.step()
          try out(output)
          current = try next(output, frame)
        }
      }
    },
    "until/2": .form { (compiler, arguments, here) throws(ProgramError) in
      let condition = try compiler.compile(arguments[0], here)
      let update = try compiler.compile(arguments[1], here)
      guard let test = condition.single, let next = update.single, condition.isTotal else {
        return try compiler.callPrelude("until", arguments, here)
      }
      return .single(total: update.isTotal) { (value, frame) throws(Exception) in
        var current = value
        while let flag = try test(current, frame) {
          if flag.isTruthy { return current }
          try frame.run.step()
          guard let following = try next(current, frame) else { return nil }
          current = following
        }
        return nil
      }
    },
    "walk/1": .form { (compiler, arguments, here) throws(ProgramError) in
      let code = try compiler.compile(arguments[0], here)
      guard let change = code.single else { return try compiler.callPrelude("walk", arguments, here) }
      return .single(total: code.isTotal) { (value, frame) throws(Exception) in try walk(value, change, frame)
      }
    },
    "sort_by/1": .form { (compiler, arguments, here) throws(ProgramError) in
      try keyed(compiler, arguments[0], here) { (value, keys, _) throws(Exception) in
        try sorted(value, by: keys, "cannot be sorted, as they are not both arrays")
      }
    },
    "group_by/1": .form { (compiler, arguments, here) throws(ProgramError) in
      try keyed(compiler, arguments[0], here) { (value, keys, _) throws(Exception) in
        try grouped(value, by: keys)
      }
    },
    "unique_by/1": .form { (compiler, arguments, here) throws(ProgramError) in
      try keyed(compiler, arguments[0], here) { (value, keys, _) throws(Exception) in
        try unique(value, by: keys)
      }
    },
    "min_by/1": .form { (compiler, arguments, here) throws(ProgramError) in
      try keyed(compiler, arguments[0], here) { (value, keys, _) throws(Exception) in
        try extreme(value, by: keys, wantsLeast: true)
      }
    },
    "max_by/1": .form { (compiler, arguments, here) throws(ProgramError) in
      try keyed(compiler, arguments[0], here) { (value, keys, _) throws(Exception) in
        try extreme(value, by: keys, wantsLeast: false)
      }
    },
    "inputs/0": .form { (_, _, _) throws(ProgramError) in
      .many { (_, frame, out) throws(Exception) in
        while let input = try nextInput(frame.run, for: "inputs") {
          try frame.run.step()
          try out(input)
        }
      }
    },
    "input_line_number/0": .zero { (_, frame) throws(Exception) in
      guard let line = frame.run.environment.inputLineNumber else {
        throw frame.run.refusal("input_line_number", "there is no input stream")
      }
      return .number(line())
    },
  ]

  // MARK: Runtime

  /// The first output; later ones are not calculated.
  static func firstOutput(_ all: @escaping Many, _ value: Value, _ frame: Frame) throws(Exception) -> Value? {
    var first: Value?
    let depth = frame.run.depth
    let label = frame.run.nextLabel()
    do throws(Exception) {
      try all(value, frame) { (output) throws(Exception) in
        first = output
        throw Exception(.breakOut(label))
      }
    } catch {
      guard case .breakOut(label) = error.reason else { throw error }
      frame.run.depth = depth
    }
    return first
  }

  private static func quantifier(
    _ compiler: Compiler, _ items: SyntaxNode, _ condition: SyntaxNode, _ here: Here, stopsAt flag: Bool
  ) throws(ProgramError) -> Code {
    let tests = Compiler.pipe(try compiler.compile(items, here), try compiler.compile(condition, here))
    let decisive = Compiler.pipe(
      tests,
      .single(total: false) { (value, _) throws(Exception) in value.isTruthy == flag ? value : nil })
    let all = decisive.many
    return .single { (value, frame) throws(Exception) in
      .bool((try firstOutput(all, value, frame) != nil) == flag)
    }
  }

  private static func limit(
    _ count: Value, _ all: @escaping Many, _ value: Value, _ frame: Frame, _ out: Emit
  ) throws(Exception) {
    guard try compare(count, .number(0)) > 0 else {
      if try compare(count, .number(0)) < 0 { throw Exception("limit doesn't support negative count") }
      return
    }
    guard var left = count.double else {
      // What is not a number can be compared, yet not counted down.
      return try all(value, frame) { (_) throws(Exception) in
        throw typeError(count, .number(1), "cannot be subtracted")
      }
    }
    let depth = frame.run.depth
    let label = frame.run.nextLabel()
    do throws(Exception) {
      try all(value, frame) { (output) throws(Exception) in
        left -= 1
        try out(output)
        if left <= 0 { throw Exception(.breakOut(label)) }
      }
    } catch {
      guard case .breakOut(label) = error.reason else { throw error }
      frame.run.depth = depth
    }
  }

  static func count(_ from: Double, _ to: Double, _ run: Run, _ out: Emit) throws(Exception) {
    var current = from
    while current < to {
      try run.step()
      try out(.number(current))
      current += 1
    }
  }

  private static func recurse(_ all: @escaping Many, _ value: Value, _ frame: Frame, _ out: Emit)
    throws(Exception)
  {
    try frame.run.step()
    try frame.run.checkStack()
    try out(value)
    try all(value, frame) { (inner) throws(Exception) in try recurse(all, inner, frame, out) }
  }

  /// The value and everything beneath it.
  static func descend(_ value: Value, _ run: Run, _ out: Emit) throws(Exception) {
    try run.step()
    try run.checkStack()
    try out(value)
    switch value.kind {
    case .array:
      var elements = value.elements
      while let element = elements.next() { try descend(element, run, out) }
    case .object:
      var members = value.members
      while let member = members.next() { try descend(member.value, run, out) }
    default: break
    }
  }

  private static func walk(_ value: Value, _ change: One, _ frame: Frame) throws(Exception) -> Value? {
    let run = frame.run
    try run.step()
    try run.checkStack()
    switch value.kind {
    case .array:
      var items: [Value] = []
      items.reserveCapacity(value.count ?? 0)
      var elements = value.elements
      while let element = elements.next() {
        try run.charge(MemoryLayout<Value>.stride)
        if let item = try walk(element, change, frame) { items.append(item) }
      }
      return try change(.array(items), frame)
    case .object:
      var keys: [Key] = []
      var values: [Value] = []
      var members = value.members
      while let member = members.next() {
        try run.charge(2 * MemoryLayout<Value>.stride)
        guard let key = Key(member.key), let inner = try walk(member.value, change, frame) else { continue }
        keys.append(key)
        values.append(inner)
      }
      return try change(.object(Shape(keys), values), frame)
    default: return try change(value, frame)
    }
  }

  /// Collects the outputs of an expression for each element, for builtins that order by them.
  private static func keyed(
    _ compiler: Compiler, _ key: SyntaxNode, _ here: Here,
    _ use: @escaping @Sendable (Value, [Value], Run) throws(Exception) -> Value
  ) throws(ProgramError) -> Code {
    let code = try compiler.compile(key, here)
    let (single, all) = (code.single, code.many)
    return .single { (value, frame) throws(Exception) in
      let run = frame.run
      var keys: [Value] = []
      try iterate(value, run) { (element) throws(Exception) in
        try run.charge(4 * MemoryLayout<Value>.stride)
        if let single {
          // One output orders as the array of it would.
          let output = try single(element, frame)
          keys.append(output.map { .array([$0]) } ?? .array([]))
          return
        }
        var outputs: [Value] = []
        try all(element, frame) { (output) throws(Exception) in outputs.append(output) }
        keys.append(.array(outputs))
      }
      return try use(value, keys, run)
    }
  }
}
