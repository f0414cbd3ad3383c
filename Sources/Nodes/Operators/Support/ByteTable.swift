import CGlibc
import Glibc
import Store

/// A hash table from bytes to bytes, packed: an entry takes about thirty bytes besides its key and value.
///
/// For state with many keys. Entries are stored one after the other in large blocks of memory. Removed and outgrown
/// entries stay there until they take up more than half; then the table is compacted.
///
/// A table that exceeds the caches costs one fetch from memory for a slot and one for the entry. Slots therefore have a
/// part of the hash beside the entry's place, and memory comes in huge pages once there is much of it.
///
///     var table = ByteTable()
///     table.set(key: Array("a".utf8), value: Array("1".utf8), mark: 7)
///     table.find(Array("a".utf8))  // an entry, whose value is "1" and whose mark is 7
struct ByteTable: ~Copyable {
  /// A reference to an entry, valid until the table changes.
  struct Entry {
    fileprivate let base: UnsafeMutableRawPointer
    fileprivate let slot: Int

    fileprivate var header: UnsafeMutablePointer<Header> { base.assumingMemoryBound(to: Header.self) }

    /// A number stored with the entry: the poll it was last seen in.
    var mark: UInt32 {
      get { header.pointee.mark }
      nonmutating set { header.pointee.mark = newValue }
    }

    var key: UnsafeBufferPointer<UInt8> {
      let start = (base + MemoryLayout<Header>.size).assumingMemoryBound(to: UInt8.self)
      return UnsafeBufferPointer(start: start, count: Int(header.pointee.keyCount))
    }

    var value: UnsafeBufferPointer<UInt8> {
      let start = base + MemoryLayout<Header>.size + Int(header.pointee.keyCount)
      return UnsafeBufferPointer(
        start: start.assumingMemoryBound(to: UInt8.self), count: Int(header.pointee.valueCount))
    }
  }

  fileprivate struct Header {
    var keyCount: UInt32
    var valueCount: UInt32
    var room: UInt32
    var mark: UInt32
  }

  private static let pieceSize = 2 << 20
  /// Pieces before this one are not in huge pages, of which one would be more than a small table needs.
  private static let hugeFrom = 2
  private static let vacant = UInt64.max
  private static let removed = UInt64.max - 1

  private var pieces: [UnsafeMutableRawPointer] = []
  private var sizes: [Int] = []
  private var used = 0
  private(set) var count = 0
  /// Bytes used by all entries, and by those that are still valid.
  private var taken = 0
  private var live = 0
  /// The slots, by open addressing: 30 bits of the entry's hash above its place, which is the number of its piece and
  /// the offset there, in words of eight bytes.
  private var slots: UnsafeMutableBufferPointer<UInt64>
  private var filled = 0

  private static let placeBits: UInt64 = 34
  private static let offsetBits: UInt64 = 18

  init() { slots = Self.makeSlots(16) }

  deinit {
    slots.deallocate()
    for piece in pieces { piece.deallocate() }
  }

  private static func makeSlots(_ count: Int) -> UnsafeMutableBufferPointer<UInt64> {
    let memory = allocate(count * 8, isHuge: count * 8 >= pieceSize).bindMemory(
      to: UInt64.self, capacity: count)
    let slots = UnsafeMutableBufferPointer(start: memory, count: count)
    slots.initialize(repeating: vacant)
    return slots
  }

  private static func allocate(_ size: Int, isHuge: Bool) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: isHuge ? pieceSize : 16)
    if isHuge { madvise(memory, size, MADV_HUGEPAGE) }
    return memory
  }

  static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 { byteHash(key) }

  /// Has the slot of a key fetched from memory while something else is done.
  func prefetch(_ hash: UInt64) {
    guard let base = slots.baseAddress else { return }
    flow_prefetch(base + slot(of: hash))
  }

  private func slot(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> Self.placeBits) & (slots.count - 1)
  }

  func find(_ key: UnsafeBufferPointer<UInt8>) -> Entry? { find(key, Self.hash(key)) }

  func find(_ key: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Entry? {
    var slot = slot(of: hash)
    while slots[slot] != Self.vacant {
      let word = slots[slot]
      if (word ^ hash) >> Self.placeBits == 0, word != Self.removed {
        let entry = Entry(base: address(word), slot: slot)
        if Self.equal(entry.key, key) { return entry }
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds a key that is not in the table.
  mutating func insert(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, mark: UInt32) {
    insert(key, Self.hash(key), value, mark: mark)
  }

  mutating func insert(
    _ key: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ value: UnsafeBufferPointer<UInt8>, mark: UInt32
  ) {
    if (filled + 1) * 4 > slots.count * 3 { rehash() }
    var slot = slot(of: hash)
    while slots[slot] < Self.removed { slot = (slot + 1) & (slots.count - 1) }
    if slots[slot] == Self.vacant { filled += 1 }
    slots[slot] = write(key, value, mark) | Self.tag(hash)
    count += 1
  }

  /// Replaces the value of an entry.
  mutating func update(_ entry: Entry, _ value: UnsafeBufferPointer<UInt8>, mark: UInt32) {
    if value.count <= Int(entry.header.pointee.room) {
      entry.header.pointee.valueCount = UInt32(value.count)
      entry.header.pointee.mark = mark
      let start = entry.base + MemoryLayout<Header>.size + entry.key.count
      if let source = value.baseAddress { start.copyMemory(from: source, byteCount: value.count) }
      return
    }
    live -= Self.size(entry)
    slots[entry.slot] = write(entry.key, value, mark) | Self.tag(slots[entry.slot])
    packIfWasteful()
  }

  mutating func remove(_ entry: Entry) {
    live -= Self.size(entry)
    slots[entry.slot] = Self.removed
    count -= 1
  }

  /// Calls `body` with every entry, in no particular order.
  func forEach(_ body: (Entry) -> Void) {
    for slot in slots.indices where slots[slot] < Self.removed {
      body(Entry(base: address(slots[slot]), slot: slot))
    }
  }

  /// Compacts the table when removed entries take up more than half of it.
  mutating func packIfWasteful() {
    guard taken > 2 * live + Self.pieceSize else { return }
    let old = pieces
    (pieces, sizes, used, taken, live) = ([], [], 0, 0, 0)
    for slot in slots.indices where slots[slot] < Self.removed {
      let entry = Entry(base: Self.address(slots[slot], in: old), slot: slot)
      slots[slot] = write(entry.key, entry.value, entry.mark) | Self.tag(slots[slot])
    }
    for piece in old { piece.deallocate() }
  }

  // MARK: - Memory

  /// Returns the place of the new entry.
  private mutating func write(
    _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ mark: UInt32
  ) -> UInt64 {
    let room = (value.count + 7) & ~7
    let size = (MemoryLayout<Header>.size + key.count + room + 7) & ~7
    if pieces.isEmpty || used + size > sizes[sizes.count - 1] {
      let pieceSize = max(Self.pieceSize, size)
      pieces.append(Self.allocate(pieceSize, isHuge: pieces.count >= Self.hugeFrom))
      sizes.append(pieceSize)
      used = 0
    }
    let base = pieces[pieces.count - 1] + used
    let header = Header(
      keyCount: UInt32(key.count), valueCount: UInt32(value.count), room: UInt32(room), mark: mark)
    base.storeBytes(of: header, as: Header.self)
    let text = base + MemoryLayout<Header>.size
    if let source = key.baseAddress { text.copyMemory(from: source, byteCount: key.count) }
    if let source = value.baseAddress { (text + key.count).copyMemory(from: source, byteCount: value.count) }
    defer { used += size }
    taken += size
    live += size
    return UInt64(pieces.count - 1) << Self.offsetBits | UInt64(used / 8)
  }

  private func address(_ slot: UInt64) -> UnsafeMutableRawPointer { Self.address(slot, in: pieces) }

  private static func address(
    _ slot: UInt64, in pieces: [UnsafeMutableRawPointer]
  ) -> UnsafeMutableRawPointer {
    let place = Int(slot & (1 << placeBits - 1))
    return pieces[place >> Int(offsetBits)] + (place & (1 << Int(offsetBits) - 1)) * 8
  }

  private static func tag(_ hash: UInt64) -> UInt64 { hash & ~(1 << placeBits - 1) }

  private static func size(_ entry: Entry) -> Int {
    (MemoryLayout<Header>.size + entry.key.count + Int(entry.header.pointee.room) + 7) & ~7
  }

  /// Entries move to a larger table by the hash in their slots, without a look at their keys.
  private mutating func rehash() {
    let old = slots
    // Slots of removed entries are no reason to grow.
    slots = Self.makeSlots((count + 1) * 4 > old.count * 2 ? old.count * 2 : old.count)
    filled = count
    for word in old where word < Self.removed {
      var slot = slot(of: word)
      while slots[slot] != Self.vacant { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = word
    }
    old.deallocate()
  }

  static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return left.isEmpty }
    return memcmp(a, b, left.count) == 0
  }
}
