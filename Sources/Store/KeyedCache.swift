import Glibc

/// A key's bytes, hashed and compared as one run instead of one by one.
struct StateKey: Hashable, Comparable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// The eight bytes after the first `shared`, as a number that is ordered as they are.
  func beginning(after shared: Int) -> UInt64 {
    var beginning: UInt64 = 0
    for index in shared..<shared + 8 {
      beginning = beginning << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
    }
    return beginning
  }

  /// In the order in which SQLite keeps them.
  static func < (a: StateKey, b: StateKey) -> Bool {
    let shared = min(a.bytes.count, b.bytes.count)
    let order = shared == 0 ? 0 : memcmp(a.bytes, b.bytes, shared)
    return order == 0 ? a.bytes.count < b.bytes.count : order < 0
  }
}

/// What was read or written lately, up to a number of bytes.
///
/// Two generations stand for the order of use: when the young one has grown to half the limit it becomes the old one,
/// and what was the old one and has not been asked for since is forgotten. A hit costs one or two look-ups and no
/// bookkeeping.
struct KeyedCache {
  /// What is known of a key: its value, or that there is none.
  typealias Entry = KeyedContent?
  /// What an entry costs beside its bytes: two arrays' heads and a place in a table that is not full.
  static let overhead = 160

  private var young: [StateKey: Kept] = [:]
  private var old: [StateKey: Kept] = [:]
  private var youngBytes = 0
  private let half: Int

  private struct Kept {
    var entry: Entry
    var size: Int
  }

  init(bytes: Int) { half = bytes / 2 }

  /// How many bytes are kept at most.
  var limit: Int { 2 * half }

  /// Nil where the key is not known of; `.some(nil)` where it is known not to be kept.
  mutating func entry(for key: StateKey) -> Entry? {
    if let kept = young[key] { return .some(kept.entry) }
    guard let kept = old[key] else { return nil }
    keep(kept.entry, for: key, size: kept.size)
    return .some(kept.entry)
  }

  /// Remembers an entry, whose value takes `size` bytes.
  ///
  /// One that is too large by itself is left out, and what was known of its key forgotten.
  mutating func keep(_ entry: Entry, for key: StateKey, size: Int) {
    let cost = Self.cost(key, size)
    if cost > half / 4 {
      young[key] = nil
      old[key] = nil
      return
    }
    if youngBytes + cost > half {
      swap(&old, &young)
      young.removeAll(keepingCapacity: true)
      youngBytes = 0
    }
    young[key] = Kept(entry: entry, size: size)
    youngBytes += cost
  }

  mutating func removeAll() {
    young = [:]
    old = [:]
    youngBytes = 0
  }

  static func cost(_ key: StateKey, _ size: Int) -> Int { key.bytes.count + size + overhead }
}
