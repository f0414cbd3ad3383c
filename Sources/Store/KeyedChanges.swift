/// What has changed in a table since the last commit, in the order of the writes.
struct KeyedChanges {
  struct Change {
    /// Nil where the key is to be forgotten.
    var value: KeyedContent?
    var sequence: Int64
    /// Whether the file holds the key, as of the last commit.
    let isStored: Bool
    /// How many bytes the value takes, or about that many until they have been made.
    var size: Int
  }

  private(set) var byKey: [StateKey: Change] = [:]
  /// Keys in the order of their writes, with those that were written again later, or removed, still among them.
  private var order: [(sequence: Int64, key: StateKey)] = []
  private var first = 0
  private(set) var bytes = 0

  subscript(key: StateKey) -> Change? { byKey[key] }

  mutating func set(_ value: KeyedContent?, for key: StateKey, sequence: Int64, isStored: Bool) {
    let before = byKey[key]
    let size = value?.size ?? 0
    if let before { bytes -= KeyedCache.cost(key, before.size) }
    bytes += KeyedCache.cost(key, size)
    byKey[key] = Change(
      value: value, sequence: sequence, isStored: before?.isStored ?? isStored, size: size)
    guard value != nil else { return }
    if order.count > 2 * byKey.count + 64 { compact() }
    order.append((sequence, key))
  }

  /// Says how many bytes a change takes, now that they have been made.
  mutating func note(size: Int, for key: StateKey) {
    guard let before = byKey[key]?.size, before != size else { return }
    bytes += size - before
    byKey[key]?.size = size
  }

  /// The key that was written first and is still to be kept.
  mutating func oldest() -> (key: StateKey, value: KeyedContent)? {
    while first < order.count {
      if let value = live(order[first]) { return (order[first].key, value) }
      first += 1
    }
    return nil
  }

  func forEach(_ body: (StateKey, KeyedContent) -> Void) {
    for entry in order[first...] {
      if let value = live(entry) { body(entry.key, value) }
    }
  }

  private func live(_ entry: (sequence: Int64, key: StateKey)) -> KeyedContent? {
    guard let change = byKey[entry.key], change.sequence == entry.sequence else { return nil }
    return change.value
  }

  private mutating func compact() {
    order = order[first...].filter { live($0) != nil }
    first = 0
  }
}
