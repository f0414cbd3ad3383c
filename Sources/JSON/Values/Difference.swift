/// A change between two values: a leaf, or a whole member or element that only one side has.
public struct Difference: Sendable, Equatable {
  public let path: Pointer
  /// Nil where only the later value has something at the path.
  public let before: Value?
  /// Nil where only the earlier value has something at the path.
  public let after: Value?

  public init(path: Pointer, before: Value?, after: Value?) {
    self.path = path
    self.before = before
    self.after = after
  }

  private static let shapes = (
    both: Shape(["path", "before", "after"], isShared: true),
    before: Shape(["path", "before"], isShared: true), after: Shape(["path", "after"], isShared: true)
  )

  /// `{path, before, after}`, without the side that has nothing.
  public var value: Value {
    let path = Value.string(path.description)
    switch (before, after) {
    case (let before?, let after?): return .object(Difference.shapes.both, [path, before, after])
    case (let before?, nil): return .object(Difference.shapes.before, [path, before])
    case (nil, let after): return .object(Difference.shapes.after, [path, after ?? .null])
    }
  }
}

extension Value {
  /// The changes from one value to a later one: one entry per changed leaf.
  ///
  /// A member or element that only one side has, and a value whose kind changed, is one entry at its own path. Arrays
  /// are compared by position. Where `key` is named, arrays of objects that all have that member, each with a value of
  /// its own, are compared by it: moving an element is no change, and paths count positions in the later array, or in
  /// the earlier one for what was removed.
  ///
  ///     Value.differences(from: {"a":1,"b":[1]}, to: {"a":2,"b":[1,5]})   // /a: 1 → 2, /b/1: → 5
  public static func differences(from before: Value, to after: Value, key: Key? = nil) -> [Difference] {
    withStack(for: min(before.nesting, after.nesting)) {
      var comparison = Comparison(key: key)
      comparison.compare(before, after)
      return comparison.found
    }
  }
}

private struct Comparison {
  let key: Key?
  var found: [Difference] = []
  private var steps: [String] = []

  init(key: Key?) { self.key = key }

  private mutating func add(_ before: Value?, _ after: Value?) {
    found.append(Difference(path: Pointer(steps: steps), before: before, after: after))
  }

  private mutating func step(_ name: @autoclosure () -> String, _ before: Value?, _ after: Value?) {
    // Most members have not changed, and then need no name.
    if let before, let after, before.isScalar, before == after { return }
    steps.append(name())
    if let before, let after { compare(before, after) } else { add(before, after) }
    steps.removeLast()
  }

  mutating func compare(_ before: Value, _ after: Value) {
    guard steps.count < Writer.depthLimit else { return }
    switch (before.kind, after.kind) {
    case (.object, .object): compareObjects(before, after)
    case (.array, .array):
      if let key, let old = elements(of: before, by: key), let new = elements(of: after, by: key) {
        compareKeyed(old, new)
      } else {
        compareArrays(before, after)
      }
    default: if before != after { add(before, after) }
    }
  }

  private mutating func compareObjects(_ before: Value, _ after: Value) {
    var common = 0
    // The index of the next name: mostly the members of both come in the same order.
    var place = 0
    before.forEachNamedMember { name, value in
      let other = after.member(named: name, near: &place)
      if other != nil { common += 1 }
      step(String(decoding: name, as: UTF8.self), value, other)
    }
    if common == after.count { return }
    place = 0
    after.forEachNamedMember { name, value in
      if before.member(named: name, near: &place) == nil {
        step(String(decoding: name, as: UTF8.self), nil, value)
      }
    }
  }

  private mutating func compareArrays(_ before: Value, _ after: Value) {
    var old = before.elements
    var new = after.elements
    var number = 0
    while true {
      let first = old.next()
      let second = new.next()
      if first == nil, second == nil { return }
      step(String(number), first, second)
      number += 1
    }
  }

  /// An array's elements by the value of one of their members.
  private struct KeyedElements {
    var order: [Value] = []
    var items: [Value] = []
    var places: [Value: Int] = [:]
  }

  /// Nil unless each element is an object with that member, and no two have the same.
  private func elements(of array: Value, by key: Key) -> KeyedElements? {
    var keyed = KeyedElements()
    var iterator = array.elements
    while let element = iterator.next() {
      guard let name = element.member(key), keyed.places[name] == nil else { return nil }
      keyed.places[name] = keyed.items.count
      keyed.order.append(name)
      keyed.items.append(element)
    }
    return keyed
  }

  private mutating func compareKeyed(_ old: KeyedElements, _ new: KeyedElements) {
    for (number, name) in old.order.enumerated() {
      if let place = new.places[name] {
        step(String(place), old.items[number], new.items[place])
      } else {
        step(String(number), old.items[number], nil)
      }
    }
    for (number, name) in new.order.enumerated() where old.places[name] == nil {
      step(String(number), nil, new.items[number])
    }
  }
}

extension Value {
  fileprivate var isScalar: Bool { kind != .object && kind != .array }
}
