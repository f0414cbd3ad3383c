// The outputs of path expressions: values with their paths.

/// A value and its path from the root of a path expression.
///
/// It also keeps the value at the end of the path. The two are the same object unless the value was calculated on the
/// way, and then the path cannot be continued from it.
struct PathValue {
  let value: Value
  let path: PathStep?
  private let anchor: Value

  /// The root of a path expression.
  init(root: Value) { self.init(root, nil) }

  init(_ value: Value, _ path: PathStep?) {
    self.value = value
    self.path = path
    anchor = value
  }

  private init(_ value: Value, _ path: PathStep?, _ anchor: Value) {
    self.value = value
    self.path = path
    self.anchor = anchor
  }

  /// The same path with another value, which may have been calculated.
  func holding(_ other: Value) -> PathValue { PathValue(other, path, anchor) }

  /// Whether the value is the one at the end of the path, by identity rather than equality.
  var isPath: Bool { value.isIdentical(to: anchor) }

  /// The steps from the root as an array.
  var steps: [Value] {
    var steps: [Value] = []
    var step = path
    while let current = step {
      steps.append(current.key)
      step = current.parent
    }
    steps.reverse()
    return steps
  }
}

extension Value {
  /// Whether both are one object in memory; null, true and false are identical everywhere.
  func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.view(let a, let i), .view(let b, let j)) where a === b && i == j: return true
    case (.array(let a), .array(let b)): return a === b
    case (.object(let a), .object(let b)): return a === b
    case (.projection(let a), .projection(let b)): return a === b
    case (.literal(let a), .literal(let b)): return a === b
    case (.number(let a), .number(let b)): return a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)):
      return a.withUnsafeBufferPointer { left in
        b.withUnsafeBufferPointer { left.baseAddress == $0.baseAddress }
      }
        && a.count == b.count
    default:
      let kind = kind
      return kind == other.kind && (kind == .null || (kind == .boolean && isTruthy == other.isTruthy))
    }
  }
}

/// One step of a path, linked to those before it.
final class PathStep {
  let key: Value
  private(set) var parent: PathStep?

  init(_ key: Value, after parent: PathStep?) {
    self.key = key
    self.parent = parent
  }

  deinit {
    // A long path is released in a loop rather than recursively.
    var current = parent
    parent = nil
    while var step = current {
      current = nil
      guard isKnownUniquelyReferenced(&step) else { return }
      current = step.parent
      step.parent = nil
    }
  }
}

extension PathValue {
  /// The path continued by a key; nil where an optional key leads nowhere.
  func at(_ key: Value, isOptional: Bool) throws(Exception) -> PathValue? {
    guard isPath else {
      throw .noPath(key, of: value)
    }
    if isOptional {
      guard let inner = try? index(value, key) else { return nil }
      return PathValue(inner, PathStep(key, after: path))
    }
    return PathValue(try index(value, key), PathStep(key, after: path))
  }

  // `getpath`
  func at(path keys: Value) throws(Exception) -> PathValue {
    let target = try getPath(value, keys)
    guard isPath else { return holding(target) }
    var step = path
    keys.forEachElement { step = PathStep($0, after: step) }
    return PathValue(target, step)
  }

  /// The elements or members with their paths.
  static func iterate(_ input: PathValue, _ run: Run, _ out: EmitPathValue) throws(Exception) {
    guard input.isPath else {
      throw Exception("Invalid path expression near attempt to iterate through \(input.value.excerpt)")
    }
    switch input.value.kind {
    case .array:
      var elements = input.value.elements
      var number = 0
      while let element = elements.next() {
        try run.step()
        try out(PathValue(element, PathStep(.number(number), after: input.path)))
        number += 1
      }
    case .object:
      var members = input.value.members
      while let member = members.next() {
        try run.step()
        try out(PathValue(member.value, PathStep(member.key, after: input.path)))
      }
    default: throw Exception("Cannot iterate over \(input.value.described)")
    }
  }

  /// The value and everything beneath it, with their paths.
  static func descend(_ input: PathValue, _ run: Run, _ out: EmitPathValue) throws(Exception) {
    try run.checkStack()
    try out(input)
    let kind = input.value.kind
    guard kind == .array || kind == .object || !input.isPath else { return }
    try iterate(input, run) { (inner) throws(Exception) in try descend(inner, run, out) }
  }
}

extension PathValue {
  /// The path as `path` gives it; an error for a value that was calculated.
  func pathArray() throws(Exception) -> Value {
    guard isPath else { throw Exception("Invalid path expression with result \(value.excerpt)") }
    return .array(steps)
  }

  /// The steps of a path whose value will be changed.
  func checkedSteps() throws(Exception) -> [Value] {
    guard isPath else { throw Exception("Invalid path expression with result \(value.excerpt)") }
    let steps = steps
    if steps.count > 10_000 { throw Exception("Path too deep") }
    return steps
  }
}
