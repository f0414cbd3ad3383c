import Glibc

/// A key where its bytes lie, as long as the call that hands it over lasts, and their hash, which is made once.
struct StateKey {
  let bytes: UnsafeBufferPointer<UInt8>
  let hash: UInt64

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    hash = byteHash(bytes)
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
