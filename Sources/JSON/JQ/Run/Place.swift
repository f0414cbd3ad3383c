// What path expressions hand on: places instead of values.

/// A value, and where a path expression stands: the way from where it began, and the value that is there.
///
/// The two values are the same one unless something was calculated on the way: then the place leads no further.
struct Place {
  let value: Value
  let path: PathStep?
  private let anchor: Value

  /// The place where a path expression begins.
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

  /// The same place with a value in hand that may have come from elsewhere.
  func holding(_ other: Value) -> Place { Place(other, path, anchor) }

  /// Whether the value in hand is the one at the end of the way, and not one that looks the same.
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
  /// Whether both are one value in memory.
  ///
  /// Null, true and false are the same wherever they are.
  func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.view(let a, let i), .view(let b, let j)) where a === b && i == j: return true
    case (.array(let a), .array(let b)): return a === b
    case (.object(let a), .object(let b)): return a === b
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
    // A long path is taken apart in a loop, not by recursion.
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

extension Place {
  /// The place of one key further; nil where an optional key leads nowhere.
  func at(_ key: Value, isOptional: Bool) throws(Stop) -> Place? {
    guard isPath else {
      throw .noPlace(key, of: value)
    }
    if isOptional {
      guard let inner = try? index(value, key) else { return nil }
      return Place(inner, PathStep(key, after: path))
    }
    return Place(try index(value, key), PathStep(key, after: path))
  }

  // `getpath`
  func at(path keys: Value) throws(Stop) -> Place {
    let target = try getPath(value, keys)
    guard isPath else { return holding(target) }
    var step = path
    keys.forEachElement { step = PathStep($0, after: step) }
    return Place(target, step)
  }

  /// The places of the elements or members.
  static func iterate(_ place: Place, _ run: Run, _ out: EmitPlace) throws(Stop) {
    guard place.isPath else {
      throw Stop("Invalid path expression near attempt to iterate through \(place.value.excerpt)")
    }
    switch place.value.kind {
    case .array:
      var elements = place.value.elements
      var number = 0
      while let element = elements.next() {
        try run.step()
        try out(Place(element, PathStep(.number(number), after: place.path)))
        number += 1
      }
    case .object:
      var members = place.value.members
      while let member = members.next() {
        try run.step()
        try out(Place(member.value, PathStep(member.key, after: place.path)))
      }
    default: throw Stop("Cannot iterate over \(place.value.described)")
    }
  }

  /// The place and all beneath it.
  static func descend(_ place: Place, _ run: Run, _ out: EmitPlace) throws(Stop) {
    try run.checkStack()
    try out(place)
    let kind = place.value.kind
    guard kind == .array || kind == .object || !place.isPath else { return }
    try iterate(place, run) { (inner) throws(Stop) in try descend(inner, run, out) }
  }
}

extension Place {
  /// The path as `path` gives it; an error for a value that was calculated.
  func pathValue() throws(Stop) -> Value {
    guard isPath else { throw Stop("Invalid path expression with result \(value.excerpt)") }
    return .array(steps)
  }

  /// The steps of a place that is to be changed.
  func checkedSteps() throws(Stop) -> [Value] {
    guard isPath else { throw Stop("Invalid path expression with result \(value.excerpt)") }
    let steps = steps
    if steps.count > 10_000 { throw Stop("Path too deep") }
    return steps
  }
}
