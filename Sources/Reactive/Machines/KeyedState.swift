/// What a keyed state machine asks of whatever remembers for it: memory here, a database elsewhere.
///
/// Keys are kept in the order in which they were last written.
public protocol KeyedState<Key, Value> {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  var count: Int { get }

  /// What is kept under a key.
  func value(for key: Key) -> Value?

  /// Keeps a value, which makes its key the newest.
  mutating func set(_ value: Value, for key: Key)

  /// Forgets a key, and hands out what was kept under it.
  @discardableResult
  mutating func remove(_ key: Key) -> Value?

  /// The key that was written longest ago.
  var oldest: (key: Key, value: Value)? { get }

  /// Calls `body` for each key, the one written longest ago first.
  func forEach(_ body: (Key, Value) -> Void)
}

/// Keyed state in memory: a table, and a chain through its places from the oldest key to the newest.
public struct MemoryState<Key: Hashable & Sendable, Value: Sendable>: KeyedState, Sendable {
  private struct Place: Sendable {
    var key: Key
    var value: Value
    var older: Int
    var newer: Int
  }

  private static var none: Int { -1 }
  private var index: [Key: Int] = [:]
  private var places: [Place?] = []
  private var free: [Int] = []
  private var first = -1
  private var last = -1

  public init() {}

  public var count: Int { index.count }

  public func value(for key: Key) -> Value? {
    index[key].flatMap { places[$0]?.value }
  }

  public mutating func set(_ value: Value, for key: Key) {
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

  /// Changes what is kept under a key, which does not make the key the newest.
  public mutating func replace(_ value: Value, for key: Key) {
    if let place = index[key] { places[place]?.value = value }
  }

  @discardableResult
  public mutating func remove(_ key: Key) -> Value? {
    guard let place = index.removeValue(forKey: key) else { return nil }
    unlink(place)
    free.append(place)
    defer { places[place] = nil }
    return places[place]?.value
  }

  public var oldest: (key: Key, value: Value)? {
    guard first != Self.none, let place = places[first] else { return nil }
    return (place.key, place.value)
  }

  public func forEach(_ body: (Key, Value) -> Void) {
    var next = first
    while next != Self.none, let place = places[next] {
      body(place.key, place.value)
      next = place.newer
    }
  }

  private mutating func newPlace(_ place: Place) -> Int {
    guard let reused = free.popLast() else {
      places.append(place)
      return places.count - 1
    }
    places[reused] = place
    return reused
  }

  private mutating func unlink(_ place: Int) {
    guard let older = places[place]?.older, let newer = places[place]?.newer else { return }
    if older == Self.none { first = newer } else { places[older]?.newer = newer }
    if newer == Self.none { last = older } else { places[newer]?.older = older }
  }

  private mutating func linkLast(_ place: Int) {
    places[place]?.older = last
    places[place]?.newer = Self.none
    if last == Self.none { first = place } else { places[last]?.newer = place }
    last = place
  }
}
