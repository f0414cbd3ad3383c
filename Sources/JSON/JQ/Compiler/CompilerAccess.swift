// Paths, operators and constructions.

extension Compiler {
  /// The names of `.a.b.c`, when the expression is nothing else.
  func names(of node: SyntaxNode) -> [Key]? {
    var names: [Key] = []
    var current = node
    while true {
      switch current.form {
      case .identity: return names.isEmpty ? nil : names.reversed()
      case .index(let target, let key, let isOptional):
        guard case .text(let name) = key.form, !isOptional else { return nil }
        names.append(Key(bytes: name))
        current = target
      default: return nil
      }
    }
  }

  func access(_ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    if let names = names(of: node) { return path(names) }
    let here = here.inner
    switch node.form {
    case .index(let target, let key, let isOptional):
      let target = try compile(target, here)
      if case .text(let name) = key.form { return member(of: target, Key(bytes: name), isOptional) }
      let key = try compile(key, here)
      if isOptional {
        return Compiler.combine(target, key, total: false) { (target, key, _) throws(Exception) in
          try? index(target, key)
        }
      }
      return Compiler.combine(target, key) { (target, key, _) throws(Exception) in try index(target, key) }
    case .slice(let target, let from, let to, let isOptional):
      let target = try compile(target, here)
      let bounds = try sliceBounds(from, to, here)
      return Compiler.combine(target, bounds, total: !isOptional) { (target, key, _) throws(Exception) in
        if isOptional { return try? index(target, key) }
        return try index(target, key)
      }
    case .iterate(let target, let isOptional):
      let target = try compile(target, here)
      switch target.form {
      case .single(let run):
        return .many { (value, frame, out) throws(Exception) in
          guard let container = try run(value, frame) else { return }
          if isOptional, container.count == nil { return }
          try iterate(container, frame.run, out)
        }
      case .many(let all):
        return .many { (value, frame, out) throws(Exception) in
          try all(value, frame) { (container) throws(Exception) in
            if isOptional, container.count == nil { return }
            try iterate(container, frame.run, out)
          }
        }
      }
    default: return .never
    }
  }

  /// The bounds of a slice as the key that stands for it in a path.
  func sliceBounds(_ from: SyntaxNode?, _ to: SyntaxNode?, _ here: Here) throws(ProgramError) -> Code {
    let lower = try from.map { (node) throws(ProgramError) in try compile(node, here) } ?? .constant(.null)
    let upper = try to.map { (node) throws(ProgramError) in try compile(node, here) } ?? .constant(.null)
    return Compiler.combine(upper, lower) { (upper, lower, _) throws(Exception) in sliceKey(lower, upper) }
  }

  private func path(_ names: [Key]) -> Code {
    let hints = newHints(names.count)
    let path = NamePath(names)
    return .single { (value, frame) throws(Exception) in try path.value(in: value, frame.hints + hints) }
  }

  private func member(of target: Code, _ name: Key, _ isOptional: Bool) -> Code {
    let hint = newHints(1)
    if isOptional {
      return Compiler.pipe(
        target,
        .single(total: false) { (value, frame) throws(Exception) in
          let kind = value.kind
          guard kind == .object || kind == .null else { return nil }
          return value.member(name, hint: &frame.hints[hint]) ?? .null
        })
    }
    return Compiler.pipe(
      target, .single { (value, frame) throws(Exception) in try index(value, name, hint: &frame.hints[hint]) }
    )
  }

  /// Two expressions on the same input, joined: `join` is called with each pair of their outputs.
  ///
  /// The second one's outputs change slowest, as in jq.
  static func combine(
    _ first: Code, _ second: Code, total: Bool = true,
    _ join: @escaping @Sendable (Value, Value, Run) throws(Exception) -> Value?
  ) -> Code {
    if let a = first.single, let b = second.single {
      let isTotal = first.isTotal && second.isTotal && total
      if let constant = second.constant {
        return .single(total: isTotal) { (value, frame) throws(Exception) in
          guard let left = try a(value, frame) else { return nil }
          return try join(left, constant, frame.run)
        }
      }
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        guard let right = try b(value, frame), let left = try a(value, frame) else { return nil }
        return try join(left, right, frame.run)
      }
    }
    let (a, b) = (first.many, second.many)
    return .many { (value, frame, out) throws(Exception) in
      try b(value, frame) { (right) throws(Exception) in
        try a(value, frame) { (left) throws(Exception) in
          if let output = try join(left, right, frame.run) { try out(output) }
        }
      }
    }
  }

  // MARK: Operators

  func binary(_ operation: Operator, _ left: SyntaxNode, _ right: SyntaxNode, _ here: Here)
    throws(ProgramError) -> Code
  {
    let here = here.inner
    if let quick = try comparison(operation, left, right, here) { return quick }
    let a = try compile(left, here)
    let b = try compile(right, here)
    if let first = a.constant, let second = b.constant, let folded = folded(operation, first, second) {
      return folded
    }
    switch operation {
    case .add: return Compiler.combine(a, b) { (x, y, run) throws(Exception) in try add(x, y, run) }
    case .subtract: return Compiler.combine(a, b) { (x, y, _) throws(Exception) in try subtract(x, y) }
    case .equal: return Compiler.combine(a, b) { (x, y, _) throws(Exception) in .bool(try equal(x, y)) }
    case .notEqual: return Compiler.combine(a, b) { (x, y, _) throws(Exception) in .bool(!(try equal(x, y))) }
    default: return Compiler.combine(a, b) { (x, y, run) throws(Exception) in try operation.apply(x, y, run) }
    }
  }

  private func folded(_ operation: Operator, _ a: Value, _ b: Value) -> Code? {
    if operation == .multiply, a.isString || b.isString { return nil }
    let run = Run(Environment(), hints: 0)
    return (try? operation.apply(a, b, run)).map { .constant($0) }
  }

  /// `.a.b == "text"`: compared in the document, without making a value.
  private func comparison(
    _ operation: Operator, _ left: SyntaxNode, _ right: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Code? {
    guard operation == .equal || operation == .notEqual, case .text(let wanted) = right.form,
      let names = names(of: left)
    else { return nil }
    let hints = newHints(names.count)
    let path = NamePath(names)
    let text = ConstantText(wanted)
    let expected = operation == .equal
    return .single { (value, frame) throws(Exception) in
      .bool(try path.leads(from: value, to: text.bytes, frame.hints + hints) == expected)
    }
  }

  func negate(_ operand: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let code = try compile(operand, here.inner)
    if let constant = code.constant, let negated = constant.negated {
      // As a literal zero has no sign.
      return .constant(constant.double == 0 ? .number(0) : negated)
    }
    return Compiler.pipe(
      code, .single { (value, _) throws(Exception) in try negative(value) })
  }

  // MARK: Texts

  func interpolation(
    _ format: String, _ parts: [StringPart], _ node: SyntaxNode, _ here: Here
  ) throws(ProgramError) -> Code {
    let style = Format(rawValue: format)
    var result: Code = .constant(.string([UInt8]()))
    for part in parts {
      switch part {
      case .text(let bytes):
        result = Compiler.combine(result, .constant(.string(bytes))) { (x, y, run) throws(Exception) in
          try add(x, y, run)
        }
      case .value(let node):
        let value = try compile(node, here.inner)
        let text = Compiler.pipe(
          value,
          .single { (value, frame) throws(Exception) in try formatted(value, style, format, frame.run) })
        result = Compiler.combine(result, text) { (x, y, run) throws(Exception) in try add(x, y, run) }
      }
    }
    return result
  }

  func format(_ name: String, _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let style = Format(rawValue: name)
    return .single { (value, frame) throws(Exception) in try formatted(value, style, name, frame.run) }
  }

  // MARK: Arrays and objects

  func array(_ items: SyntaxNode?, _ here: Here) throws(ProgramError) -> Code {
    guard let items else { return .constant(.array([])) }
    if let constants = constants(items) { return .constant(.array(constants)) }
    let code = try compile(items, here.inner)
    switch code.form {
    case .single(let run):
      return .single { (value, frame) throws(Exception) in
        try frame.run.charge(128)
        guard let item = try run(value, frame) else { return .array([]) }
        return .array([item])
      }
    case .many(let all):
      return .single { (value, frame) throws(Exception) in
        var items: [Value] = []
        let run = frame.run
        try all(value, frame) { (item) throws(Exception) in
          items.append(item)
          try run.charge(MemoryLayout<Value>.stride)
        }
        return .array(items)
      }
    }
  }

  /// The values of a list of literals.
  func constants(_ node: SyntaxNode) -> [Value]? {
    switch node.form {
    case .commas(let nodes):
      var values: [Value] = []
      for node in nodes {
        guard let more = constants(node) else { return nil }
        values += more
      }
      return values
    case .number(let text): return [numberLiteral(text)]
    case .text(let bytes): return [.string(bytes)]
    case .array(let items): return (items.map { constants($0) } ?? []).map { [.array($0)] }
    case .object(let members):
      var object = Value.emptyObject
      for member in members {
        guard let name = constants(member.key), let value = constants(member.value), name.count == 1,
          value.count == 1, let key = Key(name[0])
        else { return nil }
        object.setMember(key, value[0])
      }
      return [object]
    case .null: return [.null]
    case .yes: return [.bool(true)]
    case .no: return [.bool(false)]
    default: return nil
    }
  }

  func object(_ members: [ObjectMember], _ node: SyntaxNode, _ here: Here) throws(ProgramError) -> Code {
    let here = here.inner
    var keys: [Code] = []
    var values: [Code] = []
    for member in members {
      let key = try compile(member.key, here)
      if let constant = key.constant, !constant.isString, member.key.isLiteral {
        throw failure("Cannot use \(constant.described) as object key", member.key, here)
      }
      keys.append(key)
      values.append(try compile(member.value, here))
    }
    let names = keys.compactMap { $0.constant.flatMap { Key($0) } }
    if names.count == keys.count, values.allSatisfy({ $0.single != nil }) {
      return record(names, values, members, here)
    }
    return product(keys, values, members)
  }

  /// A record's member: a path is followed without a call.
  private func source(_ code: @escaping One, _ node: SyntaxNode) -> MemberSources.Member {
    (names(of: node).map { (NamePath($0), hints: newHints($0.count)) }, code)
  }

  /// An object of constant names and one output for each: the shape is made once.
  private func record(_ names: [Key], _ values: [Code], _ members: [ObjectMember], _ here: Here) -> Code {
    var unique: [Key] = []
    var places: [Int] = []
    for name in names {
      if let place = unique.firstIndex(of: name) {
        places.append(place)
      } else {
        places.append(unique.count)
        unique.append(name)
      }
    }
    let shape = Shape(unique, isShared: true)
    let constants = values.compactMap(\.constant)
    if constants.count == values.count {
      var contents = [Value](repeating: .null, count: unique.count)
      for (place, value) in zip(places, constants) { contents[place] = value }
      return .constant(.object(shape, contents))
    }
    let runs = values.compactMap(\.single)
    let isTotal = values.allSatisfy(\.isTotal)
    let count = unique.count
    let order = places
    let sources = MemberSources(zip(runs, members).map { source($0, $1.value) })
    // A path that is read here does not note its own location.
    let sites = members.map { here.scope.source.isPrelude ? nil : Site(here.scope.source, $0.value.span) }
    if count == members.count {
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        try frame.run.charge(96 + count * MemoryLayout<Value>.stride)
        if case .view(let document, let start) = value, let names = shape.written,
          let places = sources.places(document, start, frame.hints)
        {
          return .projection(Projection(shape, names, of: document, at: places))
        }
        var contents: [Value] = []
        contents.reserveCapacity(count)
        for place in 0..<count {
          let source = sources[place]
          if let path = source.path {
            do throws(Exception) {
              contents.append(try path.value(in: value, frame.hints + source.hints))
            } catch {
              throw sites[place].map { error.noting($0) } ?? error
            }
          } else {
            guard let member = try sources.codes[place](value, frame) else { return nil }
            contents.append(member)
          }
        }
        return .object(shape, contents)
      }
    }
    return .single(total: isTotal) { (value, frame) throws(Exception) in
      var contents = [Value](repeating: .null, count: count)
      for (place, run) in zip(order, runs) {
        guard let member = try run(value, frame) else { return nil }
        contents[place] = member
      }
      return .object(shape, contents)
    }
  }

  /// An object for each combination of outputs.
  private func product(_ keys: [Code], _ values: [Code], _ members: [ObjectMember]) -> Code {
    if keys.allSatisfy({ $0.single != nil }), values.allSatisfy({ $0.single != nil }) {
      let pairs = zip(keys.compactMap(\.single), values.compactMap(\.single)).map { ($0, $1) }
      let isTotal = keys.allSatisfy(\.isTotal) && values.allSatisfy(\.isTotal)
      return .single(total: isTotal) { (value, frame) throws(Exception) in
        var object = Value.emptyObject
        for (key, run) in pairs {
          guard let name = try key(value, frame), let member = try run(value, frame) else { return nil }
          object.setMember(try objectKey(name), member)
        }
        return object
      }
    }
    var build: Many = { (object, _, out) throws(Exception) in try out(object) }
    // From the last member to the first: each adds itself to the object it gets and continues with the next.
    for (key, (value, member)) in zip(keys, zip(values, members)).reversed() {
      build = Compiler.adding(key.many, member.isOfThatName ? nil : value.many, then: build)
    }
    let all = build
    return .many { (value, frame, out) throws(Exception) in
      // The object under construction travels with the input in a pair.
      try all(.array([value, .emptyObject]), frame) { (pair) throws(Exception) in
        try out(pair.element(1) ?? .null)
      }
    }
  }

  /// Without `member`, the value is the input's member of the same name.
  private static func adding(_ key: @escaping Many, _ member: Many?, then: @escaping Many) -> Many {
    { (pair, frame, out) throws(Exception) in
      let input = pair.element(0) ?? .null
      let object = pair.element(1) ?? .null
      try key(input, frame) { (name) throws(Exception) in
        let key = try objectKey(name)
        func add(_ value: Value) throws(Exception) {
          var larger = object
          larger.setMember(key, value)
          try frame.run.charge(2 * MemoryLayout<Value>.stride)
          try then(.array([input, larger]), frame, out)
        }
        if let member { try member(input, frame, add) } else { try add(try index(input, name)) }
      }
    }
  }
}

/// The key of a calculated name.
func objectKey(_ name: Value) throws(Exception) -> Key {
  guard let key = Key(name) else { throw Exception("Cannot use \(name.described) as object key") }
  return key
}
