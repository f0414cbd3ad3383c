/// A hash of bytes that is the same in every run and on every machine: 64 bits of FNV-1a.
///
///     StableHash("launch".utf8).value
///
/// It does not withstand people who choose the bytes, and its low bits are weak: mix it before a small modulus.
public struct StableHash {
  @usableFromInline var hash: UInt64

  @inlinable public init(_ bytes: some Sequence<UInt8> = [], from start: UInt64 = 0xcbf2_9ce4_8422_2325) {
    hash = start
    add(bytes)
  }

  @inlinable public mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  @inlinable public var value: UInt64 { hash }

  /// The value in 16 hexadecimal digits.
  public var digits: String { hexDigits(of: hash) }
}
