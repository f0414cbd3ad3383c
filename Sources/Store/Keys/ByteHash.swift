/// Drawn anew in each process, so that nobody can prepare keys that collide.
private let seed = UInt64.random(in: 1 ... .max)
private let otherSeed = UInt64.random(in: 1 ... .max)

/// A hash of bytes, for tables in memory; another in each process.
public func byteHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 { byteHash(bytes, from: seed) }

/// Another hash, which says nothing of the first.
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
