/// The uncommitted changes of a table, in the order of the writes.
struct KeyedChanges {
  private(set) var entries = KeyedEntries()
  /// Every entry before this one is a removal or superseded.
  private var first = 0
  private(set) var bytes = 0

  var isEmpty: Bool { entries.count == 0 }

  func contains(_ key: StateKey) -> Bool { entries.find(key) != nil }

  /// Nil for an unchanged key; `.nothing` for a removed one.
  func find(_ key: StateKey) -> KeyedEntries.Found? { entries.find(key).map { entries.found($0) } }

  /// Sets the value of a key, `.nothing` for a removal; `isStored` says whether the file has the key.
  mutating func set(_ value: KeyedEntries.Found, for key: StateKey, sequence: Int64, isStored: Bool) {
    if entries.pack(currentBytes: bytes, room: 1 << 20) { first = 0 }
    var isStored = isStored
    if let before = entries.find(key) {
      isStored = entries[before].isStored
      bytes -= entries[before].cost
    }
    entries.add(value, size: value.size, for: key, sequence: sequence, isStored: isStored)
    bytes += entries[entries.count - 1].cost
  }

  /// Notes the size of a change, known once it is encoded.
  mutating func note(size: Int, of number: Int) {
    bytes += size - entries[number].size
    entries.note(size: size, of: number)
  }

  /// The key that was set longest ago and not removed.
  mutating func oldest() -> (key: StateKey, value: KeyedEntries.Found)? {
    while first < entries.count {
      let value = entries.found(first)
      if case .nothing = value {} else { return (entries[first].key, value) }
      first += 1
    }
    return nil
  }

  func forEach(_ body: (StateKey, KeyedEntries.Found) -> Void) {
    for number in first..<entries.count {
      let value = entries.found(number)
      if case .nothing = value { continue }
      body(entries[number].key, value)
    }
  }

  /// The final state of each key, the newest ones where all together exceed `limit` bytes.
  func forEachCurrent(within limit: Int, _ body: (KeyedEntries.Entry, KeyedEntries.Found) -> Void) {
    var (start, size) = (entries.count, 0)
    while start > 0, size <= limit {
      start -= 1
      if entries[start].isCurrent { size += entries[start].cost }
    }
    for number in start..<entries.count where entries[number].isCurrent {
      body(entries[number], entries.found(number))
    }
  }

  /// The numbers of the current entries in the order in which SQLite sorts their keys.
  ///
  /// Eight bytes behind the common prefix are compared as a number first.
  func numbersInKeyOrder() -> [Int] {
    if isEmpty { return [] }
    let some = entries[0].key.bytes
    var shared = some.count
    for number in 0..<entries.count {
      let key = entries[number].key.bytes
      let limit = min(shared, key.count)
      shared = 0
      while shared < limit, some[shared] == key[shared] { shared += 1 }
    }
    var order: [(beginning: UInt64, number: Int)] = []
    order.reserveCapacity(entries.keyCount)
    for number in 0..<entries.count where entries[number].isCurrent {
      order.append((entries[number].key.bytes.beginning(after: shared), number))
    }
    order.sort { a, b in
      a.beginning == b.beginning
        ? entries[a.number].key.bytes.isBefore(entries[b.number].key.bytes) : a.beginning < b.beginning
    }
    return order.map(\.number)
  }
}
