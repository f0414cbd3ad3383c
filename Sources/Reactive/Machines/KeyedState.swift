/// The storage of a keyed state machine: memory here, a database elsewhere.
///
/// Keys are kept in the order in which they were last written.
@usableFromInline package protocol KeyedState<Key, Value> {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  var count: Int { get }

  /// The value that is kept under a key.
  func value(for key: Key) -> Value?

  /// Whether anything is kept under a key.
  func contains(_ key: Key) -> Bool

  /// Keeps a value, which makes its key the newest.
  mutating func set(_ value: Value, for key: Key)

  /// Keeps a value of a key that has none; false, without a change, for one that has.
  mutating func insert(_ value: Value, for key: Key) -> Bool

  /// Changes the value of a key, which makes the key the newest; nil is for none, before and after.
  mutating func update(_ key: Key, _ change: (inout Value?) throws -> Void) rethrows

  /// Removes a key and returns its value.
  @discardableResult
  mutating func remove(_ key: Key) -> Value?

  /// The key that was written longest ago.
  var oldest: (key: Key, value: Value)? { get }

  /// Removes the key that was written longest ago, and returns it.
  @discardableResult
  mutating func removeOldest() -> (key: Key, value: Value)?

  /// Forgets the keys written longest ago that are more than `bound`.
  mutating func forget(beyond bound: Int)

  /// Calls `body` for each key, the one written longest ago first.
  func forEach(_ body: (Key, Value) -> Void)
}

extension KeyedState {
  @inlinable
  package mutating func forget(beyond bound: Int) {
    while count > bound, removeOldest() != nil {}
  }
}

/// Keyed state in memory: a hash table of places, and a chain through the places from the oldest key to the newest.
///
/// Inlinable, since code that is not specialised for the key and value would look up their types at each step.
@usableFromInline package struct MemoryState<Key: Hashable & Sendable, Value: Sendable>: KeyedState, Sendable
{
  @usableFromInline struct Place: Sendable {
    /// Nil in a place that is free.
    @usableFromInline var key: Key?
    @usableFromInline var value: Value?
    @usableFromInline var older: Int32
    @usableFromInline var newer: Int32

    @inlinable init(key: Key?, value: Value?, older: Int32, newer: Int32) {
      (self.key, self.value, self.older, self.newer) = (key, value, older, newer)
    }
  }

  @inlinable static var none: Int32 { -1 }
  @usableFromInline var index = HashIndex()
  @usableFromInline var places: [Place] = []
  @usableFromInline var free: [Int32] = []
  @usableFromInline var first: Int32 = -1
  @usableFromInline var last: Int32 = -1

  @inlinable package init() {}

  @inlinable package var count: Int { index.count }

  @inlinable package func value(for key: Key) -> Value? {
    let slot = find(key, HashIndex.hash(key))
    return slot < 0 ? nil : places[index.place(slot)].value
  }

  @inlinable package func contains(_ key: Key) -> Bool { find(key, HashIndex.hash(key)) >= 0 }

  @inlinable package mutating func set(_ value: Value, for key: Key) { set(value, for: key) { $0 } }

  /// The same with a copy of the key, if it is a new one.
  @inlinable package mutating func set(_ value: Value, for key: Key, copying copy: (Key) -> Key) {
    let hash = HashIndex.hash(key)
    let slot = find(key, hash)
    if slot < 0 { return add(copy(key), value, hash, at: ~slot) }
    let place = index.place(slot)
    places[place].value = value
    makeNewest(Int32(truncatingIfNeeded: place))
  }

  @inlinable package mutating func insert(_ value: Value, for key: Key) -> Bool {
    insert(value, for: key) { $0 }
  }

  @inlinable package mutating func insert(_ value: Value, for key: Key, copying copy: (Key) -> Key) -> Bool {
    let hash = HashIndex.hash(key)
    let slot = find(key, hash)
    if slot < 0 { add(copy(key), value, hash, at: ~slot) }
    return slot < 0
  }

  @inlinable package mutating func update(_ key: Key, _ change: (inout Value?) throws -> Void) rethrows {
    try update(key, copying: { $0 }, change)
  }

  @inlinable package mutating func update(
    _ key: Key, copying copy: (Key) -> Key, _ change: (inout Value?) throws -> Void
  ) rethrows {
    let hash = HashIndex.hash(key)
    let slot = find(key, hash)
    if slot < 0 {
      var value: Value?
      try change(&value)
      if let value { add(copy(key), value, hash, at: ~slot) }
      return
    }
    let place = index.place(slot)
    try change(&places[place].value)
    if places[place].value == nil {
      removePlace(at: slot)
    } else {
      makeNewest(Int32(truncatingIfNeeded: place))
    }
  }

  @discardableResult @inlinable
  package mutating func remove(_ key: Key) -> Value? {
    let slot = find(key, HashIndex.hash(key))
    return slot < 0 ? nil : removePlace(at: slot)
  }

  @inlinable package var oldest: (key: Key, value: Value)? {
    guard first != Self.none, let key = places[Int(first)].key, let value = places[Int(first)].value else {
      return nil
    }
    return (key, value)
  }

  /// Without a look at keys: the slot is known by its place.
  @discardableResult @inlinable package mutating func removeOldest() -> (key: Key, value: Value)? {
    guard first != Self.none, let key = places[Int(first)].key else { return nil }
    let place = Int(first)
    let slot = index.find(HashIndex.hash(key)) { $0 == place }
    return removePlace(at: slot).map { (key, $0) }
  }

  @inlinable package func forEach(_ body: (Key, Value) -> Void) {
    var next = first
    while next != Self.none {
      let place = places[Int(next)]
      if let key = place.key, let value = place.value { body(key, value) }
      next = place.newer
    }
  }

  /// The slot of a key; of one that is not there, the slot that it would have, negative (`~slot`).
  @inlinable func find(_ key: Key, _ hash: UInt64) -> Int {
    places.withUnsafeBufferPointer { places in index.find(hash) { places[$0].key == key } }
  }

  @inlinable mutating func add(_ key: Key, _ value: Value, _ hash: UInt64, at slot: Int) {
    let entry = Place(key: key, value: value, older: Self.none, newer: Self.none)
    let place = free.popLast() ?? Int32(truncatingIfNeeded: places.count)
    if Int(place) == places.count { places.append(entry) } else { places[Int(place)] = entry }
    index.insert(hash, Int(place), at: slot)
    linkLast(place)
  }

  @discardableResult @inlinable mutating func removePlace(at slot: Int) -> Value? {
    let place = Int32(truncatingIfNeeded: index.place(slot))
    index.remove(at: slot)
    unlink(place)
    free.append(place)
    places[Int(place)].key = nil
    return places[Int(place)].value.take()
  }

  @inlinable mutating func makeNewest(_ place: Int32) {
    if place == last { return }
    unlink(place)
    linkLast(place)
  }

  @inlinable mutating func unlink(_ place: Int32) {
    let (older, newer) = (places[Int(place)].older, places[Int(place)].newer)
    if older == Self.none { first = newer } else { places[Int(older)].newer = newer }
    if newer == Self.none { last = older } else { places[Int(newer)].older = older }
  }

  @inlinable mutating func linkLast(_ place: Int32) {
    places[Int(place)].older = last
    places[Int(place)].newer = Self.none
    if last == Self.none { first = place } else { places[Int(last)].newer = place }
    last = place
  }
}
