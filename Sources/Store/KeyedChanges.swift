/// What has changed in a table since the last commit, in the order of the writes.
struct KeyedChanges {
  struct Change {
    let key: StateKey
    /// Nil where the key is to be forgotten.
    var value: KeyedContent?
    let sequence: Int64
    /// Whether the file holds the key, as of the last commit.
    let isStored: Bool
    /// How many bytes the value takes, or about that many until they have been made.
    var size: Int
    /// False once the key has been written again.
    var isCurrent = true
  }

  /// With those that were written again later still among them.
  private var all: [Change] = []
  private var places: [StateKey: Int] = [:]
  /// There is nothing to keep before this one.
  private var first = 0
  private(set) var bytes = 0

  var isEmpty: Bool { places.isEmpty }

  func contains(_ key: StateKey) -> Bool { places[key] != nil }

  /// Nil where the key has not changed; `.some(nil)` where it is to be forgotten.
  func value(for key: StateKey) -> KeyedContent?? {
    guard let place = places[key] else { return nil }
    return .some(all[place].value)
  }

  mutating func set(_ value: KeyedContent?, for key: StateKey, sequence: Int64, isStored: Bool) {
    if all.count > 2 * places.count + 64 { compact() }
    var isStored = isStored
    if let before = places.updateValue(all.count, forKey: key) {
      isStored = all[before].isStored
      bytes -= KeyedCache.cost(key, all[before].size)
      all[before].value = nil
      all[before].isCurrent = false
    }
    let size = value?.size ?? 0
    bytes += KeyedCache.cost(key, size)
    all.append(Change(key: key, value: value, sequence: sequence, isStored: isStored, size: size))
  }

  subscript(place: Int) -> Change { all[place] }

  /// Says how many bytes a change takes, now that they have been made.
  mutating func note(size: Int, at place: Int) {
    bytes += size - all[place].size
    all[place].size = size
  }

  /// The key that was written first and is still to be kept.
  mutating func oldest() -> (key: StateKey, value: KeyedContent)? {
    while first < all.count {
      if let value = all[first].value { return (all[first].key, value) }
      first += 1
    }
    return nil
  }

  func forEach(_ body: (StateKey, KeyedContent) -> Void) {
    for change in all[first...] {
      if let value = change.value { body(change.key, value) }
    }
  }

  /// The changes as they are in the end, of those that take more than `limit` bytes the newest.
  func forEachCurrent(within limit: Int, _ body: (Change) -> Void) {
    var (start, size) = (all.count, 0)
    while start > 0, size <= limit {
      start -= 1
      if all[start].isCurrent { size += KeyedCache.cost(all[start].key, all[start].size) }
    }
    for change in all[start...] where change.isCurrent { body(change) }
  }

  /// Where they are, in the order in which SQLite keeps their keys.
  ///
  /// Sorted by the keys' beginnings, which are compared as numbers, without a hold on every key at each step.
  func placesInKeyOrder() -> [Int] {
    guard let some = all.first?.key.bytes else { return [] }
    var shared = some.count
    for change in all {
      let limit = min(shared, change.key.bytes.count)
      shared = 0
      while shared < limit, some[shared] == change.key.bytes[shared] { shared += 1 }
    }
    var order: [(beginning: UInt64, place: Int)] = []
    order.reserveCapacity(places.count)
    for place in all.indices where all[place].isCurrent {
      order.append((all[place].key.beginning(after: shared), place))
    }
    order.sort { a, b in
      a.beginning == b.beginning ? all[a.place].key < all[b.place].key : a.beginning < b.beginning
    }
    return order.map(\.place)
  }

  private mutating func compact() {
    all = all.filter(\.isCurrent)
    first = 0
    for place in all.indices { places[all[place].key] = place }
  }
}
