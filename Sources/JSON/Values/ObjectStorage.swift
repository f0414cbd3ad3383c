// Objects that were built rather than read: names in a shape that objects made alike share, values beside it.

/// The names of an object in the order of their insertion, with a hash table once there are more than a few.
///
/// A program that makes `{a, b}` for each record makes one shape and shares it between all of them.
public final class Shape: @unchecked Sendable {
  private(set) var keys: [Key]
  /// Names in use; `keys` also holds places of removed ones.
  private(set) var live: Int
  /// Open addressing: the hash and, below it, the key's number plus one; or 0.
  ///
  /// Empty while the names are few. The hash is here so that of half a million keys none but the right one is looked at.
  private var slots: [UInt64] = []
  private var removed: [Bool] = []
  /// Of a shape that was said to be shared, until it changes.
  private(set) var written: WrittenNames?

  private static let linearLimit = 8

  /// A shape of distinct names; where many objects will be made with it, it is made ready for writing them.
  public init(_ keys: [Key], isShared: Bool = false) {
    self.keys = keys
    live = keys.count
    written = isShared ? WrittenNames(keys) : nil
    if keys.count > Shape.linearLimit { makeSlots(for: keys.count) }
  }

  init(copying other: Shape) {
    keys = other.keys
    live = other.live
    slots = other.slots
    removed = other.removed
  }

  private func makeSlots(for count: Int) {
    var size = 32
    while size < count * 2 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    for number in keys.indices where !isRemoved(number) { insertSlot(number) }
  }

  private func insertSlot(_ number: Int) {
    let mask = slots.count - 1
    let hash = keys[number].hash
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt64(hash) << 32 | UInt64(number + 1)
  }

  @inline(__always)
  var hasRemoved: Bool { !removed.isEmpty }

  @inline(__always)
  func isRemoved(_ number: Int) -> Bool { !removed.isEmpty && removed[number] }

  /// The place of a name, or -1.
  @inline(__always)
  func find(_ key: Key) -> Int {
    if slots.isEmpty {
      for number in 0..<keys.count where keys[number] == key && !isRemoved(number) { return number }
      return -1
    }
    return findSlot(key)
  }

  private func findSlot(_ key: Key) -> Int {
    let mask = slots.count - 1
    var slot = Int(key.hash) & mask
    while slots[slot] != 0 {
      let entry = slots[slot]
      if UInt32(truncatingIfNeeded: entry >> 32) == key.hash {
        let number = Int(UInt32(truncatingIfNeeded: entry)) - 1
        if keys[number] == key && !isRemoved(number) { return number }
      }
      slot = (slot + 1) & mask
    }
    return -1
  }

  @inline(__always)
  func find(_ key: Key, hint: inout Int) -> Int {
    if hint >= 0, hint < keys.count, keys[hint] == key, !isRemoved(hint) { return hint }
    let found = find(key)
    if found >= 0 { hint = found }
    return found
  }

  /// Whether it is this name that stands at a place, which may be no place of a name.
  @inline(__always)
  func isName(_ text: ByteView, at place: Int) -> Bool {
    guard place < keys.count, !isRemoved(place) else { return false }
    return keys[place].bytes.withUnsafeBufferPointer { sameBytes($0, text) }
  }

  /// Adds a name that is not there.
  func append(_ key: Key) {
    written = nil
    keys.append(key)
    live += 1
    if !removed.isEmpty { removed.append(false) }
    if slots.isEmpty {
      if keys.count > Shape.linearLimit { makeSlots(for: keys.count) }
    } else if keys.count * 2 > slots.count {
      makeSlots(for: keys.count)
    } else {
      insertSlot(keys.count - 1)
    }
  }

  /// Leaves a gap where a name was.
  ///
  /// True when gaps outnumber names and the owner should close them.
  func remove(_ number: Int) -> Bool {
    written = nil
    if removed.isEmpty { removed = [Bool](repeating: false, count: keys.count) }
    removed[number] = true
    live -= 1
    return keys.count > 8 && live * 2 < keys.count
  }

  /// The places still in use, before `init` of a new shape from their names.
  var livePlaces: [Int] { keys.indices.filter { !isRemoved($0) } }
}

/// An object that was built: a shape and one value for each of its names.
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
    if !isKnownUniquelyReferenced(&shape) { shape = Shape(copying: shape) }
  }

  @inline(__always)
  func set(_ key: Key, _ given: Value) {
    let value = given.settled(inContainerOf: values.count)
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
