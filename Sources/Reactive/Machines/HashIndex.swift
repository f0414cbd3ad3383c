/// A hash table of the places of keys, which are kept elsewhere.
///
/// Open addressing: a slot has the place, and half of the hash of its key. So a key is mostly found with a look at one
/// slot and one comparison, and keys that differ are not fetched from memory to see that.
@usableFromInline struct HashIndex: Sendable {
  /// Half a hash above the number of a place, counted from one; zero where there is none.
  @usableFromInline var slots: [UInt64] = []
  @usableFromInline var count = 0

  @inlinable init() {}

  @inlinable static func hash(_ key: some Hashable) -> UInt64 { UInt64(truncatingIfNeeded: key.hashValue) }

  @inlinable func home(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word >> 32) & (slots.count - 1) }

  /// The place of a slot that has one.
  @inlinable func place(_ slot: Int) -> Int { Int(truncatingIfNeeded: slots[slot] & 0xffff_ffff) - 1 }

  /// The slot whose place `isRight`; where there is none, the one that it would have, negative (`~slot`).
  @inlinable func find(_ hash: UInt64, _ isRight: (Int) -> Bool) -> Int {
    slots.withUnsafeBufferPointer { slots in
      if slots.isEmpty { return -1 }
      var slot = Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
      while slots[slot] != 0 {
        if (slots[slot] ^ hash) >> 32 == 0, isRight(Int(truncatingIfNeeded: slots[slot] & 0xffff_ffff) - 1) {
          return slot
        }
        slot = (slot + 1) & (slots.count - 1)
      }
      return ~slot
    }
  }

  /// Adds a place at the slot that `find` has named.
  @inlinable mutating func insert(_ hash: UInt64, _ place: Int, at slot: Int) {
    let word = (hash >> 32) << 32 | UInt64(truncatingIfNeeded: place + 1)
    count += 1
    if count * 4 <= slots.count * 3 {
      slots[slot] = word
    } else {
      grow()
      put(word)
    }
  }

  /// Empties a slot, and moves those behind it up that it was in the way of.
  @inlinable mutating func remove(at slot: Int) {
    count -= 1
    let mask = slots.count - 1
    var hole = slot
    var next = (slot + 1) & mask
    while slots[next] != 0 {
      if (next - home(slots[next])) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
  }

  @inlinable mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: max(8, old.count * 2))
    for word in old where word != 0 { put(word) }
  }

  @inlinable mutating func put(_ word: UInt64) {
    var slot = home(word)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = word
  }
}
