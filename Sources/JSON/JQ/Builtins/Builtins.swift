// The builtins that are written in Swift, by name and number of arguments.

enum Builtins {
  static let table: [String: Builtin] = [
    forms, core, collections, texts, math, formats, regex, dates, world, extras,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// The names that `builtins` lists: all but the helpers, which begin with an underscore.
  static var names: [String] {
    var names = Set(table.keys)
    names.formUnion(Prelude.definitions.keys)
    return names.filter { !$0.hasPrefix("_") }.sorted()
  }

  static let core: [String: Builtin] = [
    "not/0": .zero { (value, _) throws(Exception) in .bool(!value.isTruthy) },
    "error/0": .zero { (value, _) throws(Exception) in throw Exception(.error(value)) },
    "type/0": .zero { (value, _) throws(Exception) in kindNames[Int(value.kind.rawValue)] },
    "length/0": .zero { (value, _) throws(Exception) in try length(value) },
    "utf8bytelength/0": .zero { (value, _) throws(Exception) in
      guard let count = value.withText({ $0.count }) else {
        throw typeError(value, "only strings have UTF-8 byte length")
      }
      return .number(count)
    },
    "tostring/0": .zero { (value, frame) throws(Exception) in try textValue(value, frame.run) },
    "tojson/0": .zero { (value, frame) throws(Exception) in try jsonText(value, frame.run) },
    "fromjson/0": .zero { (value, frame) throws(Exception) in try fromJSON(value, frame.run) },
    "tonumber/0": .zero { (value, _) throws(Exception) in try toNumber(value) },
    "toboolean/0": .zero { (value, _) throws(Exception) in
      if value.bool != nil { return value }
      if value.isText(Array("true".utf8)) { return .bool(true) }
      if value.isText(Array("false".utf8)) { return .bool(false) }
      throw typeError(value, "cannot be parsed as a boolean")
    },
    "toarray/0": .zero { (value, _) throws(Exception) in value.kind == .array ? value : .array([value]) },
    "has/1": .one { (value, key, _) throws(Exception) in .bool(try has(value, key)) },
    "contains/1": .one { (value, other, frame) throws(Exception) in
      // To jq, true and false are of two kinds.
      guard value.kind == other.kind, value.bool == other.bool else {
        throw typeError(value, other, "cannot have their containment checked")
      }
      return .bool(try contains(value, other, 0, frame.run))
    },
    "getpath/1": .one { (value, path, _) throws(Exception) in try getPath(value, path) },
    "setpath/2": .two { (value, path, inner, frame) throws(Exception) in
      var root = value
      try setPath(&root, path, inner, frame.run)
      return root
    },
    "delpaths/1": .one { (value, paths, frame) throws(Exception) in
      var root = value
      try deletePaths(&root, paths, frame.run)
      return root
    },
    "tostream/0": .form { (_, _, _) throws(ProgramError) in
      .many { (value, frame, out) throws(Exception) in
        try stream(value, nil, isTop: true, frame.run, out)
      }
    },
    "builtins/0": .zero { (_, _) throws(Exception) in .array(names.map { .string($0) }) },
    "have_decnum/0": .zero { (_, _) throws(Exception) in .bool(true) },
    "have_literal_numbers/0": .zero { (_, _) throws(Exception) in .bool(true) },
    "_plus/2": .two { (_, a, b, frame) throws(Exception) in try add(a, b, frame.run) },
    "_minus/2": .two { (_, a, b, _) throws(Exception) in try subtract(a, b) },
    "_multiply/2": .two { (_, a, b, frame) throws(Exception) in try multiply(a, b, frame.run) },
    "_divide/2": .two { (_, a, b, frame) throws(Exception) in try divide(a, b, frame.run) },
    "_mod/2": .two { (_, a, b, _) throws(Exception) in try modulo(a, b) },
    "_equal/2": .two { (_, a, b, _) throws(Exception) in .bool(try equal(a, b)) },
    "_notequal/2": .two { (_, a, b, _) throws(Exception) in .bool(!(try equal(a, b))) },
    "_less/2": .two { (_, a, b, _) throws(Exception) in .bool(try compare(a, b) < 0) },
    "_lesseq/2": .two { (_, a, b, _) throws(Exception) in .bool(try compare(a, b) <= 0) },
    "_greater/2": .two { (_, a, b, _) throws(Exception) in .bool(try compare(a, b) > 0) },
    "_greatereq/2": .two { (_, a, b, _) throws(Exception) in .bool(try compare(a, b) >= 0) },
    "_negate/0": .zero { (value, _) throws(Exception) in try negative(value) },
  ]

  private static let kindNames: [Value] = [Kind.null, .boolean, .number, .string, .array, .object].map {
    .string($0.name.description)
  }

  static func length(_ value: Value) throws(Exception) -> Value {
    switch value.kind {
    case .null: return .number(0)
    case .array, .object: return .number(value.count ?? 0)
    case .string:
      let count = value.withText { bytes in
        var count = 0
        for byte in bytes where byte & 0xc0 != 0x80 { count += 1 }
        return count
      }
      return .number(count ?? 0)
    case .number: return value.magnitude ?? value
    case .boolean: throw typeError(value, "has no length")
    }
  }

  private static func fromJSON(_ value: Value, _ run: Run) throws(Exception) -> Value {
    guard let bytes = value.textBytes else { throw typeError(value, "only strings can be parsed") }
    try run.reserve(bytes.count * 2)
    do throws(ParseError) {
      return try Value.parse(bytes)
    } catch {
      throw Exception("\(error.description) (while parsing '\(String(decoding: bytes, as: UTF8.self))')")
    }
  }

  static func toNumber(_ value: Value) throws(Exception) -> Value {
    if value.kind == .number { return value }
    guard let bytes = value.textBytes, let number = bytes.withUnsafeBufferPointer({ Value.literal($0) })
    else {
      throw typeError(value, "cannot be parsed as a number")
    }
    return number
  }

  private static func contains(_ a: Value, _ b: Value, _ level: Int, _ run: Run) throws(Exception) -> Bool {
    if level > 20_000 { throw Exception("Containment check too deep") }
    guard a.kind == b.kind else { return false }
    switch a.kind {
    case .object:
      try run.checkStack()
      var members = b.members
      while let (name, wanted) = members.next() {
        guard let key = Key(name), let own = a.member(key), try contains(own, wanted, level + 2, run) else {
          return false
        }
      }
      return true
    case .array:
      try run.checkStack()
      var wanted = b.elements
      while let element = wanted.next() {
        var isFound = false
        var own = a.elements
        while !isFound, let candidate = own.next() {
          isFound = try contains(candidate, element, level + 2, run)
        }
        if !isFound { return false }
      }
      return true
    case .string:
      guard let text = a.textBytes, let part = b.textBytes else { return false }
      return part.isEmpty || find(part, in: text, from: 0) != nil
    default: return try equal(a, b)
    }
  }

  /// The leaves with their paths, and an end mark after each container.
  private static func stream(
    _ value: Value, _ path: PathStep?, isTop: Bool, _ run: Run, _ out: Emit
  ) throws(Exception) {
    try run.checkStack()
    func leaf() throws(Exception) { try out(.array([.array(PathValue(value, path).steps), value])) }
    guard let count = value.count, count > 0 else { return try leaf() }
    var last: PathStep?
    if value.kind == .array {
      var elements = value.elements
      var number = 0
      while let element = elements.next() {
        try run.step()
        let step = PathStep(.number(number), after: path)
        try stream(element, step, isTop: false, run, out)
        last = step
        number += 1
      }
    } else {
      var members = value.members
      while let member = members.next() {
        try run.step()
        let step = PathStep(member.key, after: path)
        try stream(member.value, step, isTop: false, run, out)
        last = step
      }
    }
    try out(.array([.array(PathValue(value, last).steps)]))
  }
}

// `tojson`
func jsonText(_ value: Value, _ run: Run) throws(Exception) -> Value {
  let text = value.json
  try run.charge(text.count)
  return .string(text)
}

// `tostring`
func textValue(_ value: Value, _ run: Run) throws(Exception) -> Value {
  value.isString ? value : try jsonText(value, run)
}
