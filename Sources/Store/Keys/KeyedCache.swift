/// What was read or written lately, up to a number of bytes.
///
/// Two generations stand for the order of use: when the young one has grown to half the limit it becomes the old one,
/// and what was the old one and has not been asked for since is forgotten. A hit costs one or two look-ups and no
/// bookkeeping.
struct KeyedCache {
  private var young = KeyedEntries()
  private var old = KeyedEntries()
  private var youngBytes = 0
  private let half: Int

  init(bytes: Int) { half = bytes / 2 }

  /// How many bytes are kept at most.
  var limit: Int { 2 * half }

  /// Nil where the key is not known of; `.nothing` where it is known not to be kept.
  mutating func find(_ key: StateKey) -> KeyedEntries.Found? {
    if let number = young.find(key) { return young.found(number) }
    guard let number = old.find(key) else { return nil }
    return keep(old.found(number), for: key, size: old[number].size)
  }

  /// Remembers what is under a key, which takes `size` bytes, and answers it where it lies then.
  ///
  /// One that is too large by itself is left out, and what was known of its key forgotten: then it answers nil.
  @discardableResult
  mutating func keep(_ found: KeyedEntries.Found, for key: StateKey, size: Int) -> KeyedEntries.Found? {
    let cost = KeyedEntries.overhead + key.bytes.count + size
    if cost > half / 4 {
      if let number = young.find(key) { young.forget(number) }
      if let number = old.find(key) { old.forget(number) }
      return nil
    }
    // What is to be kept may lie there.
    let outgoing = old
    if youngBytes + cost > half {
      (old, young) = (young, KeyedEntries(like: young))
      youngBytes = 0
    }
    withExtendedLifetime(outgoing) { _ = young.add(found, size: size, for: key) }
    youngBytes += cost
    return young.found(young.count - 1)
  }

  mutating func removeAll() {
    young = KeyedEntries()
    old = KeyedEntries()
    youngBytes = 0
  }
}
