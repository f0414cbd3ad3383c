import Glibc

/// A key as a view of its bytes, valid during the call that it is passed to, with its hash computed once.
struct StateKey {
  let bytes: UnsafeBufferPointer<UInt8>
  let hash: UInt64

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    hash = byteHash(bytes)
  }

  /// With a hash that was computed before.
  init(_ bytes: UnsafeBufferPointer<UInt8>, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
  }

  /// Calls `body` with some bytes as a key.
  static func of<Output>(_ bytes: [UInt8], _ body: (StateKey) -> Output) -> Output {
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

  /// Whether it comes first in SQLite's order of blobs.
  func isBefore(_ other: Self) -> Bool {
    let shared = Swift.min(count, other.count)
    guard shared > 0, let a = baseAddress, let b = other.baseAddress else { return count < other.count }
    let order = memcmp(a, b, shared)
    return order == 0 ? count < other.count : order < 0
  }

  /// The eight bytes after the first `shared` as a big-endian number.
  func beginning(after shared: Int) -> UInt64 {
    var beginning: UInt64 = 0
    for index in shared..<shared + 8 {
      beginning = beginning << 8 | (index < count ? UInt64(self[index]) : 0)
    }
    return beginning
  }
}

/// Random in each process, so that no input can be prepared to collide.
private let seed = UInt64.random(in: 1 ... .max)
private let otherSeed = UInt64.random(in: 1 ... .max)

/// A hash of bytes for tables in memory; differs from process to process.
public func byteHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 { byteHash(bytes, from: seed) }

/// A second hash, independent of the first.
func otherByteHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 { byteHash(bytes, from: otherSeed) }

private func byteHash(_ bytes: UnsafeBufferPointer<UInt8>, from seed: UInt64) -> UInt64 {
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
