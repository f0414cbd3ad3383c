import Glibc

/// A key where its bytes lie, as long as the call that hands it over lasts, and their hash, which is made once.
struct StateKey {
  let bytes: UnsafeBufferPointer<UInt8>
  let hash: UInt64

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    hash = Self.hash(bytes)
  }

  /// With a hash that is known from before.
  init(_ bytes: UnsafeBufferPointer<UInt8>, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
  }

  /// Hands `body` the key that some bytes are.
  static func of<Answer>(_ bytes: [UInt8], _ body: (StateKey) -> Answer) -> Answer {
    bytes.withUnsafeBufferPointer { body(StateKey($0)) }
  }

  static func == (a: StateKey, b: StateKey) -> Bool { a.hash == b.hash && a.bytes.isSame(as: b.bytes) }

  /// Drawn anew in each process, so that nobody can prepare keys that collide.
  private static let seed = UInt64.random(in: 1 ... .max)

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = seed ^ UInt64(raw.count)
    func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      hash = product.high ^ product.low
    }
    var offset = 0
    while offset + 8 <= raw.count {
      mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < raw.count {
      rest = rest << 8 | UInt64(raw[offset])
      offset += 1
    }
    mix(rest)
    mix(0xD6E8_FEB8_6659_FD93)
    return hash
  }
}

extension UnsafeBufferPointer<UInt8> {
  func isSame(as other: Self) -> Bool {
    guard count == other.count else { return false }
    guard let a = baseAddress, let b = other.baseAddress else { return true }
    return memcmp(a, b, count) == 0
  }

  /// Whether it comes first in the order in which SQLite keeps bytes.
  func isBefore(_ other: Self) -> Bool {
    let shared = Swift.min(count, other.count)
    guard shared > 0, let a = baseAddress, let b = other.baseAddress else { return count < other.count }
    let order = memcmp(a, b, shared)
    return order == 0 ? count < other.count : order < 0
  }

  /// The eight bytes after the first `shared`, as a number that is ordered as they are.
  func beginning(after shared: Int) -> UInt64 {
    var beginning: UInt64 = 0
    for index in shared..<shared + 8 {
      beginning = beginning << 8 | (index < count ? UInt64(self[index]) : 0)
    }
    return beginning
  }
}
