/// The storage of a keyed state machine: memory here, a database elsewhere.
///
/// Keys are kept in the order in which they were last written.
@usableFromInline package protocol KeyedState<Key, Value> {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  var count: Int { get }

  /// What is kept under a key.
  func value(for key: Key) -> Value?

  /// Whether anything is kept under a key.
  func contains(_ key: Key) -> Bool

  /// Keeps a value, which makes its key the newest.
  mutating func set(_ value: Value, for key: Key)

  /// Removes a key and returns its value.
  @discardableResult
  mutating func remove(_ key: Key) -> Value?

  /// The key that was written longest ago.
  var oldest: (key: Key, value: Value)? { get }

  /// Forgets the keys written longest ago that are more than `bound`.
  mutating func forget(beyond bound: Int)

  /// Calls `body` for each key, the one written longest ago first.
  func forEach(_ body: (Key, Value) -> Void)
}

extension KeyedState {
  @inlinable
  package mutating func forget(beyond bound: Int) {
    while count > bound, let oldest { remove(oldest.key) }
  }
}

/// Keyed state in memory: a table, and a chain through its places from the oldest key to the newest.
///
/// Inlinable, since code that is not specialised for the key and value would look up their types at each step.
@usableFromInline package struct MemoryState<Key: Hashable & Sendable, Value: Sendable>: KeyedState, Sendable
{
  @usableFromInline struct Place: Sendable {
    @usableFromInline var key: Key
    @usableFromInline var value: Value
    @usableFromInline var older: Int
    @usableFromInline var newer: Int

    @inlinable init(key: Key, value: Value, older: Int, newer: Int) {
      (self.key, self.value, self.older, self.newer) = (key, value, older, newer)
    }
  }

  @inlinable static var none: Int { -1 }
  @usableFromInline var index: [Key: Int] = [:]
  @usableFromInline var places: [Place?] = []
  @usableFromInline var free: [Int] = []
  @usableFromInline var first = -1
  @usableFromInline var last = -1

  @inlinable package init() {}

  @inlinable package var count: Int { index.count }

  @inlinable package func value(for key: Key) -> Value? {
    index[key].flatMap { places[$0]?.value }
  }

  @inlinable package func contains(_ key: Key) -> Bool { index[key] != nil }

  @inlinable package mutating func set(_ value: Value, for key: Key) {
    if let place = index[key] {
      places[place]?.value = value
      if place != last {
        unlink(place)
        linkLast(place)
      }
      return
    }
    let place = newPlace(Place(key: key, value: value, older: Self.none, newer: Self.none))
    index[key] = place
    linkLast(place)
  }

  @discardableResult @inlinable
  package mutating func remove(_ key: Key) -> Value? {
    guard let place = index.removeValue(forKey: key) else { return nil }
    unlink(place)
    free.append(place)
    defer { places[place] = nil }
    return places[place]?.value
  }

  @inlinable package var oldest: (key: Key, value: Value)? {
    guard first != Self.none, let place = places[first] else { return nil }
    return (place.key, place.value)
  }

  @inlinable package func forEach(_ body: (Key, Value) -> Void) {
    var next = first
    while next != Self.none, let place = places[next] {
      body(place.key, place.value)
      next = place.newer
    }
  }

  @inlinable mutating func newPlace(_ place: Place) -> Int {
    guard let reused = free.popLast() else {
      places.append(place)
      return places.count - 1
    }
    places[reused] = place
    return reused
  }

  @inlinable mutating func unlink(_ place: Int) {
    guard let older = places[place]?.older, let newer = places[place]?.newer else { return }
    if older == Self.none { first = newer } else { places[older]?.newer = newer }
    if newer == Self.none { last = older } else { places[newer]?.older = older }
  }

  @inlinable mutating func linkLast(_ place: Int) {
    places[place]?.older = last
    places[place]?.newer = Self.none
    if last == Self.none { first = place } else { places[last]?.newer = place }
    last = place
  }
}
