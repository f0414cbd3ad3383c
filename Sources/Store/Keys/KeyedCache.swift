/// A cache of the entries that were read or written last, limited in bytes.
///
/// Two generations approximate LRU: when the young one reaches half the limit it becomes the old one, and what was
/// in the old one and not used since is dropped. A hit costs one or two look-ups and no bookkeeping. A key that is
/// written again and again takes the room of two values at most, and some kilobytes.
struct KeyedCache {
  private var young = KeyedEntries()
  private var old = KeyedEntries()
  /// The cost of the current entries of the young generation.
  private var youngBytes = 0
  private let half: Int

  /// So much that is no longer current may lie in the young generation.
  private static let room = 16 << 10

  init(bytes: Int) { half = bytes / 2 }

  /// The bytes of all entries, with those that are no longer current.
  var bytes: Int { [young, old].reduce(0) { $0 + $1.arenaBytes + $1.count * KeyedEntries.overhead } }

  /// The limit in bytes.
  var limit: Int { 2 * half }

  /// Nil for a key that the cache does not know; `.nothing` for one known to be missing.
  mutating func find(_ key: StateKey) -> KeyedEntries.Found? {
    if let number = young.find(key) { return young.found(number) }
    guard let number = old.find(key) else { return nil }
    return insert(old.found(number), for: key, size: old[number].size)
  }

  /// Inserts the value of a key, `size` bytes, and returns it where it is stored now.
  ///
  /// A value that is too large is left out, with any former entry of its key: then the result is nil.
  @discardableResult
  mutating func insert(_ found: KeyedEntries.Found, for key: StateKey, size: Int) -> KeyedEntries.Found? {
    let cost = KeyedEntries.overhead + key.bytes.count + size
    if cost > half / 4 {
      if let number = young.find(key) {
        youngBytes -= young[number].cost
        young.forget(number)
      }
      if let number = old.find(key) { old.forget(number) }
      return nil
    }
    // The value may be stored in the generation that is dropped.
    let outgoing = old
    if youngBytes + cost > half {
      (old, young) = (young, KeyedEntries(like: young))
      youngBytes = 0
    }
    withExtendedLifetime(outgoing) {
      if let former = young.add(found, size: size, for: key) { youngBytes -= young[former].cost }
    }
    youngBytes += cost
    young.pack(currentBytes: youngBytes, room: Self.room)
    return young.found(young.count - 1)
  }

  mutating func removeAll() {
    young = KeyedEntries()
    old = KeyedEntries()
    youngBytes = 0
  }
}

/// The last key that the file did not have: a negative cache of one entry.
///
/// Most missing keys are set right after their look-up, so they need no place in the cache.
struct LastMiss {
  private var bytes: [UInt8] = []
  private var hash: UInt64?

  func isIt(_ key: StateKey) -> Bool {
    hash == key.hash && bytes.withUnsafeBufferPointer { $0.isSame(as: key.bytes) }
  }

  func withKey(_ body: (StateKey) -> Void) {
    guard let hash else { return }
    bytes.withUnsafeBufferPointer { body(StateKey($0, hash: hash)) }
  }

  mutating func note(_ key: StateKey) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: key.bytes)
    hash = key.hash
  }

  mutating func forget() { hash = nil }
}
