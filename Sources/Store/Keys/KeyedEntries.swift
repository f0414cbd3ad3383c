/// Keys and what is known of each, in the order in which they came, and found by their hash.
///
/// Packed: the bytes of an entry lie one behind the other in a `ByteArena`, and beside them it costs about eighty more.
/// A key that comes again has a new entry, and the one before is found no more.
struct KeyedEntries {
  struct Entry {
    let hash: UInt64
    /// Where its key lies, and behind that its bytes.
    fileprivate let start: UnsafePointer<UInt8>
    fileprivate let keyCount: Int
    fileprivate var content: Content
    /// How many bytes the value takes, or about that many until they have been made.
    fileprivate(set) var size: Int
    let sequence: Int64
    /// Whether the file holds the key, as of the last commit.
    let isStored: Bool
    /// False once there is a newer entry of its key.
    fileprivate(set) var isCurrent = true

    var key: StateKey { StateKey(UnsafeBufferPointer(start: start, count: keyCount), hash: hash) }
    var cost: Int { KeyedEntries.overhead + keyCount + size }
    var isNothing: Bool { if case .nothing = content { true } else { false } }
  }

  fileprivate enum Content {
    case nothing
    case bytes
    /// Its place among what was made.
    case made(Int)
  }

  /// What is kept under a key, where it lies: good until what it was found in is changed.
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

  /// What an entry costs beside its bytes: itself, and its part of a table of places that is not full.
  static let overhead = 80

  private var entries: [Entry] = []
  private var made: [any Storable] = []
  private var arena = ByteArena()
  /// By open addressing: of each place the entry's number and one, and half of its hash.
  private var places: [UInt64] = []
  /// How many keys there are.
  private(set) var keyCount = 0

  /// How many entries there are, with those of which there is a newer one.
  var count: Int { entries.count }
  /// How many bytes of keys and values there are, with those of which there are newer ones.
  var arenaBytes: Int { arena.used }

  init() {}

  /// With room for as many keys as another has room for.
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
    case .made(let place): .made(made[place])
    }
  }

  /// Puts in an entry, and answers the number of the one before of its key.
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

  /// Says how many bytes a value takes, now that they have been made.
  mutating func note(size: Int, of number: Int) { entries[number].size = size }

  /// Has an entry be found no more.
  mutating func forget(_ number: Int) {
    entries[number].isCurrent = false
    entries[number].content = .nothing
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

  /// The number of the entry at a place, if it is of that key.
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
