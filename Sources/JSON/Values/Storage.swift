// Containers that were built rather than read. Storage with one owner is changed in place, see Value.swift.

/// An array that was built rather than read.
///
/// `@unchecked`: storage changes only while a `Value` holds the only reference to it, so threads that share it only
/// read.
public final class ArrayStorage: @unchecked Sendable {
  var items: [Value]
  /// How deep containers nest here, as `Value.depth` counts.
  var depth: UInt32

  init(_ items: [Value]) {
    self.items = items
    depth = nesting(over: items)
  }

  init(copying other: ArrayStorage) {
    items = other.items
    depth = other.depth
  }

  deinit { if depth > deepNesting { dismantle(&items) } }
}

/// An object that was built: a shape and one value for each of its names.
///
/// `@unchecked` for the same reason as `ArrayStorage`.
public final class ObjectStorage: @unchecked Sendable {
  var shape: Shape
  var values: [Value]
  /// How deep containers nest here, as `Value.depth` counts.
  var depth: UInt32

  init(shape: Shape, values: [Value]) {
    self.shape = shape
    self.values = values
    depth = nesting(over: values)
  }

  init(copying other: ObjectStorage) {
    shape = other.shape
    values = other.values
    depth = other.depth
  }

  /// The same names with other values.
  init(copying other: ObjectStorage, values: [Value]) {
    shape = other.shape
    self.values = values
    depth = nesting(over: values)
  }

  deinit { if depth > deepNesting { dismantle(&values) } }

  func ensureOwnShape() {
    if shape.written != nil || !isKnownUniquelyReferenced(&shape) { shape = Shape(copying: shape) }
  }

  @inline(__always)
  func set(_ key: Key, _ given: Value) {
    let value = given.compacted(inContainerOf: values.count)
    depth = max(depth, value.nesting &+ 1)
    let place = shape.find(key)
    if place >= 0 {
      values[place] = value
    } else {
      ensureOwnShape()
      shape.append(key)
      values.append(value)
    }
  }

  func remove(_ key: Key) {
    let place = shape.find(key)
    guard place >= 0 else { return }
    ensureOwnShape()
    values[place] = .null
    if shape.remove(place) {
      let places = shape.livePlaces
      values = places.map { values[$0] }
      shape = Shape(places.map { shape.keys[$0] })
    }
  }
}

/// The depth from which on nested containers are released in a loop: releasing them recursively would use stack for
/// each level.
let deepNesting: UInt32 = 500

@inline(__always)
func nesting(over values: [Value]) -> UInt32 {
  var deepest: UInt32 = 0
  for value in values { deepest = max(deepest, value.nesting) }
  return deepest &+ 1
}

/// Empties `values`, and releases nested containers with no other owner in a loop.
@inline(never)
func dismantle(_ values: inout [Value]) {
  var pending: [Value] = []
  moveDeep(&values, to: &pending)
  while !pending.isEmpty {
    var next = pending.removeLast()
    // Without `next` set to null the storage would have a second owner.
    if case .array(var storage) = next {
      next = .null
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.items, to: &pending) }
    } else if case .object(var storage) = next {
      next = .null
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.values, to: &pending) }
    }
  }
}

private func moveDeep(_ values: inout [Value], to pending: inout [Value]) {
  for index in values.indices where values[index].nesting > deepNesting / 2 {
    pending.append(values[index])
    values[index] = .null
  }
}
