// Comparing and hashing short runs of bytes, without reading past their counts.

import Glibc

/// The bytes of a text, in memory with another owner.
public typealias ByteView = UnsafeBufferPointer<UInt8>

@inline(__always)
func load<T: FixedWidthInteger>(_ pointer: UnsafePointer<UInt8>, as type: T.Type) -> T {
  UnsafeRawPointer(pointer).loadUnaligned(as: T.self)
}

/// True when the first `count` bytes of both are the same.
@inline(__always)
func sameBytes(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  if count >= 8 {
    var at = 0
    while at + 8 <= count {
      if load(a + at, as: UInt64.self) != load(b + at, as: UInt64.self) { return false }
      at += 8
    }
    // The tail overlaps what was compared already: cheaper than a loop of single bytes.
    return load(a + count - 8, as: UInt64.self) == load(b + count - 8, as: UInt64.self)
  }
  if count >= 4 {
    return load(a, as: UInt32.self) == load(b, as: UInt32.self)
      && load(a + count - 4, as: UInt32.self) == load(b + count - 4, as: UInt32.self)
  }
  if count >= 2 {
    return load(a, as: UInt16.self) == load(b, as: UInt16.self)
      && load(a + count - 2, as: UInt16.self) == load(b + count - 2, as: UInt16.self)
  }
  return count == 0 || a[0] == b[0]
}

@inline(__always)
func sameBytes(_ a: ByteView, _ b: ByteView) -> Bool {
  guard a.count == b.count else { return false }
  guard let left = a.baseAddress, let right = b.baseAddress else { return true }
  return sameBytes(left, right, a.count)
}

/// Orders two texts by their UTF-8 bytes, which is the order of their code points: negative, zero or positive.
@inline(__always)
func orderBytes(_ a: ByteView, _ b: ByteView) -> Int {
  let shared = min(a.count, b.count)
  if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
    let order = memcmp(left, right, shared)
    if order != 0 { return Int(order) }
  }
  return a.count - b.count
}

/// Hashes bytes with a seed per process, so that keys cannot be chosen to collide.
@inline(__always)
func hashBytes(_ bytes: ByteView) -> UInt32 {
  var hash = hashSeed ^ UInt64(truncatingIfNeeded: bytes.count)
  guard let base = bytes.baseAddress else { return fold(hash, 0) }
  var at = 0
  while at + 8 <= bytes.count {
    hash = mix(hash ^ load(base + at, as: UInt64.self))
    at += 8
  }
  var tail: UInt64 = 0
  while at < bytes.count {
    tail = tail << 8 | UInt64(base[at])
    at += 1
  }
  return fold(hash, tail)
}

private let hashSeed = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

@inline(__always)
private func mix(_ word: UInt64) -> UInt64 {
  let product = (word ^ hashSeed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
  return product.high ^ product.low
}

@inline(__always)
private func fold(_ hash: UInt64, _ tail: UInt64) -> UInt32 {
  let mixed = mix(hash ^ tail)
  return UInt32(truncatingIfNeeded: mixed ^ (mixed >> 32))
}
