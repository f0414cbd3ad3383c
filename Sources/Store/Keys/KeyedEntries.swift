/// A hash table of keys and values that keeps the order of insertion: what changes and caches are made of.
///
/// Key and value lie packed in a `ByteArena`; an entry costs about eighty bytes beside them. A key that is inserted
/// again gets a new entry, and its former one is no longer current: a Swift value goes at once, bytes and entry stay
/// until `pack`.
struct KeyedEntries {
  struct Entry {
    let hash: UInt64
    /// The address of the key, with the value right behind it.
    fileprivate let start: UnsafePointer<UInt8>
    fileprivate let keyCount: Int
    fileprivate var content: Content
    /// The size of the value; an estimate until it is encoded.
    fileprivate(set) var size: Int
    let sequence: Int64
    /// Whether the file has the key, as of the last commit.
    let isStored: Bool
    /// False once the key has a newer entry.
    fileprivate(set) var isCurrent = true

    var key: StateKey { StateKey(UnsafeBufferPointer(start: start, count: keyCount), hash: hash) }
    var cost: Int { KeyedEntries.overhead + keyCount + size }
    var isNothing: Bool { if case .nothing = content { true } else { false } }
  }

  fileprivate enum Content {
    case nothing
    case bytes
    /// Its index in `made`.
    case made(Int)
  }

  /// The value of a key where it is stored: valid until the container changes.
  enum Found {
    case nothing
    case bytes(UnsafeBufferPointer<UInt8>)
    case made(any Storable)

    var isNothing: Bool { if case .nothing = self { true } else { false } }

    var content: KeyedContent? {
      switch self {
      case .nothing: nil
      case .bytes(let bytes): .bytes(Array(bytes))
      case .made(let value): .made(value)
      }
    }

    var size: Int {
      switch self {
      case .nothing: 0
      case .bytes(let bytes): bytes.count
      case .made(let value): value.storedSize
      }
    }
  }

  /// The cost of an entry beside its bytes: itself, and its share of slots.
  static let overhead = 80

  private var entries: [Entry] = []
  /// Nil where the entry is no longer current.
  private var made: [(any Storable)?] = []
  private var arena = ByteArena()
  /// The slots, by open addressing: the entry's number plus one, and the upper half of its hash.
  private var places: [UInt64] = []
  /// The number of keys.
  private(set) var keyCount = 0

  /// The number of entries, superseded ones included.
  var count: Int { entries.count }
  /// The bytes of all keys and values, superseded ones included.
  var arenaBytes: Int { arena.used }

  init() {}

  /// An empty table with as many slots as another.
  init(like other: borrowing KeyedEntries) { places = Array(repeating: 0, count: other.places.count) }

  subscript(number: Int) -> Entry { entries[number] }

  func find(_ key: StateKey) -> Int? {
    if places.isEmpty { return nil }
    var place = Int(truncatingIfNeeded: key.hash) & (places.count - 1)
    while places[place] != 0 {
      if let number = number(at: place, of: key) { return number }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  func found(_ number: Int) -> Found {
    let entry = entries[number]
    return switch entry.content {
    case .nothing: .nothing
    case .bytes: .bytes(UnsafeBufferPointer(start: entry.start + entry.keyCount, count: entry.size))
    case .made(let place): made[place].map { .made($0) } ?? .nothing
    }
  }

  /// Adds an entry; returns the number of the key's former one.
  @discardableResult
  mutating func add(
    _ found: Found, size: Int, for key: StateKey, sequence: Int64 = 0, isStored: Bool = true
  ) -> Int? {
    if (keyCount + 1) * 4 > places.count * 3 { grow() }
    var place = Int(truncatingIfNeeded: key.hash) & (places.count - 1)
    var former: Int?
    while places[place] != 0 {
      former = number(at: place, of: key)
      if former != nil { break }
      place = (place + 1) & (places.count - 1)
    }
    if let former { forget(former) } else { keyCount += 1 }
    places[place] = Self.word(entries.count, key.hash)
    append(found, size: size, for: key, sequence: sequence, isStored: isStored)
    return former
  }

  /// Notes the size of a value, known once it is encoded.
  mutating func note(size: Int, of number: Int) { entries[number].size = size }

  /// Makes an entry superseded, so that it is not found any more.
  mutating func forget(_ number: Int) {
    if case .made(let place) = entries[number].content { made[place] = nil }
    entries[number].isCurrent = false
    entries[number].content = .nothing
  }

  /// Lets the former entries go where they take more than the current ones, which cost so many bytes, and than some
  /// room; returns whether entries have other numbers now.
  @discardableResult
  mutating func pack(currentBytes bytes: Int, room: Int) -> Bool {
    if entries.count <= 2 * keyCount + 64, arena.used <= 2 * bytes + room { return false }
    var packed = KeyedEntries(like: self)
    for entry in entries.indices where entries[entry].isCurrent {
      packed.add(
        found(entry), size: entries[entry].size, for: entries[entry].key, sequence: entries[entry].sequence,
        isStored: entries[entry].isStored)
    }
    self = packed
    return true
  }

  // MARK: -

  private mutating func append(
    _ found: Found, size: Int, for key: StateKey, sequence: Int64, isStored: Bool
  ) {
    let start: UnsafePointer<UInt8>
    let content: Content
    switch found {
    case .nothing: (start, content) = (arena.add(key.bytes), .nothing)
    case .bytes(let bytes): (start, content) = (arena.add(key.bytes, bytes), .bytes)
    case .made(let value):
      (start, content) = (arena.add(key.bytes), .made(made.count))
      made.append(value)
    }
    entries.append(
      Entry(
        hash: key.hash, start: start, keyCount: key.bytes.count, content: content, size: size,
        sequence: sequence, isStored: isStored))
  }

  private static func word(_ number: Int, _ hash: UInt64) -> UInt64 {
    hash & ~0xffff_ffff | UInt64(number + 1)
  }

  /// The number of the entry in a slot, if it is of that key.
  private func number(at place: Int, of key: StateKey) -> Int? {
    let word = places[place]
    guard (word ^ key.hash) >> 32 == 0 else { return nil }
    let number = Int(word & 0xffff_ffff) - 1
    return entries[number].isCurrent && entries[number].key == key ? number : nil
  }

  private mutating func grow() {
    places = Array(repeating: 0, count: max(16, places.count * 2))
    for number in entries.indices where entries[number].isCurrent {
      let hash = entries[number].hash
      var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
      while places[place] != 0 { place = (place + 1) & (places.count - 1) }
      places[place] = Self.word(number, hash)
    }
  }
}

/// An arena: bytes packed into large blocks of memory, never moved or freed before the arena itself.
final class ByteArena {
  private static let sizes = 1 << 12...1 << 20

  private var pieces: [UnsafeMutableBufferPointer<UInt8>] = []
  /// How much of the last block is used.
  private var taken = 0
  /// How many bytes the arena holds.
  private(set) var used = 0

  deinit { for piece in pieces { piece.deallocate() } }

  /// Copies bytes, with a second run right behind the first; returns their address.
  func add(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8> = UnsafeBufferPointer(start: nil, count: 0)
  ) -> UnsafePointer<UInt8> {
    let start = room(for: first.count + second.count)
    if let from = first.baseAddress { start.update(from: from, count: first.count) }
    if let from = second.baseAddress { (start + first.count).update(from: from, count: second.count) }
    return UnsafePointer(start)
  }

  private func room(for count: Int) -> UnsafeMutablePointer<UInt8> {
    if let last = pieces.last, let base = last.baseAddress, taken + count <= last.count {
      defer { taken += count }
      used += count
      return base + taken
    }
    let size = max(min(max(2 * used, Self.sizes.lowerBound), Self.sizes.upperBound), count)
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    pieces.append(UnsafeMutableBufferPointer(start: start, count: size))
    taken = count
    used += count
    return start
  }
}
