import Glibc
import Store

/// A hash table from bytes to bytes, packed: an entry takes about thirty bytes besides its key and value.
///
/// For state with many keys. Entries are stored one after the other in large blocks of memory. Removed and outgrown
/// entries stay there until they take up more than half; then the table is compacted.
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

  private static let pieceSize = 1 << 20
  private static let vacant = UInt64.max
  private static let removed = UInt64.max - 1

  private var pieces: [UnsafeMutableRawPointer] = []
  private var sizes: [Int] = []
  private var used = 0
  private(set) var count = 0
  /// Bytes used by all entries, and by those that are still valid.
  private var taken = 0
  private var live = 0
  /// The location of each entry (block and offset), by open addressing, and a part of its hash.
  private var places: [UInt64]
  private var tags: [UInt32]
  private var filled = 0

  init() {
    places = Array(repeating: Self.vacant, count: 16)
    tags = Array(repeating: 0, count: 16)
  }

  deinit {
    for piece in pieces { piece.deallocate() }
  }

  func find(_ key: UnsafeBufferPointer<UInt8>) -> Entry? {
    let hash = byteHash(key)
    let mask = places.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    let tag = UInt32(truncatingIfNeeded: hash >> 32)
    while places[slot] != Self.vacant {
      if tags[slot] == tag, places[slot] != Self.removed {
        let entry = Entry(base: address(places[slot]), slot: slot)
        if Self.equal(entry.key, key) { return entry }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a key that is not in the table.
  mutating func insert(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, mark: UInt32) {
    if (filled + 1) * 4 > places.count * 3 { rehash() }
    let hash = byteHash(key)
    let mask = places.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while places[slot] < Self.removed { slot = (slot + 1) & mask }
    if places[slot] == Self.vacant { filled += 1 }
    places[slot] = write(key, value, mark)
    tags[slot] = UInt32(truncatingIfNeeded: hash >> 32)
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
    places[entry.slot] = write(entry.key, value, mark)
    packIfWasteful()
  }

  mutating func remove(_ entry: Entry) {
    live -= Self.size(entry)
    places[entry.slot] = Self.removed
    count -= 1
  }

  /// Calls `body` with every entry, in no particular order.
  func forEach(_ body: (Entry) -> Void) {
    for slot in places.indices where places[slot] < Self.removed {
      body(Entry(base: address(places[slot]), slot: slot))
    }
  }

  /// Compacts the table when removed entries take up more than half of it.
  mutating func packIfWasteful() {
    guard taken > 2 * live + Self.pieceSize else { return }
    let old = pieces
    let oldPlaces = places
    (pieces, sizes, used, taken, live) = ([], [], 0, 0, 0)
    for slot in oldPlaces.indices where oldPlaces[slot] < Self.removed {
      let entry = Entry(base: Self.address(oldPlaces[slot], in: old), slot: slot)
      places[slot] = write(entry.key, entry.value, entry.mark)
    }
    for piece in old { piece.deallocate() }
  }

  // MARK: - Memory

  private mutating func write(
    _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ mark: UInt32
  ) -> UInt64 {
    let room = (value.count + 7) & ~7
    let size = (MemoryLayout<Header>.size + key.count + room + 7) & ~7
    if pieces.isEmpty || used + size > sizes[sizes.count - 1] {
      let pieceSize = max(Self.pieceSize, size)
      pieces.append(.allocate(byteCount: pieceSize, alignment: 8))
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
    return UInt64(pieces.count - 1) << 32 | UInt64(used)
  }

  private func address(_ place: UInt64) -> UnsafeMutableRawPointer { Self.address(place, in: pieces) }

  private static func address(
    _ place: UInt64, in pieces: [UnsafeMutableRawPointer]
  ) -> UnsafeMutableRawPointer { pieces[Int(place >> 32)] + Int(place & 0xffff_ffff) }

  private static func size(_ entry: Entry) -> Int {
    (MemoryLayout<Header>.size + entry.key.count + Int(entry.header.pointee.room) + 7) & ~7
  }

  private mutating func rehash() {
    let old = places
    // Slots of removed entries are no reason to grow.
    let size = (count + 1) * 4 > old.count * 2 ? old.count * 2 : old.count
    places = Array(repeating: Self.vacant, count: size)
    tags = Array(repeating: 0, count: size)
    filled = count
    for place in old where place < Self.removed {
      let hash = byteHash(Entry(base: address(place), slot: 0).key)
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      while places[slot] != Self.vacant { slot = (slot + 1) & (size - 1) }
      places[slot] = place
      tags[slot] = UInt32(truncatingIfNeeded: hash >> 32)
    }
  }

  static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return left.isEmpty }
    return memcmp(a, b, left.count) == 0
  }
}
