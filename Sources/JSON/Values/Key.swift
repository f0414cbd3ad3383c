/// The name of an object's member, with its hash and whether it needs escapes, so that lookups and writing are cheap.
///
/// Make a key once for a constant name and keep it:
///
///     let status = Key("status")
///     value.member(status)
public struct Key: Sendable {
  /// The name in UTF-8.
  public let bytes: [UInt8]
  let hash: UInt32
  /// Whether a writer may copy the name without escapes.
  let isPlain: Bool

  public init(bytes: [UInt8]) {
    self.bytes = bytes
    (hash, isPlain) = bytes.withUnsafeBufferPointer { (hashBytes($0), isPlainText($0)) }
  }

  public init(_ bytes: ByteView) {
    self.bytes = Array(bytes)
    hash = hashBytes(bytes)
    isPlain = isPlainText(bytes)
  }

  public init(_ name: String) {
    self.init(bytes: Array(name.utf8))
  }

  /// The name as Swift text, for messages.
  public var name: String { String(decoding: bytes, as: UTF8.self) }
}

extension Key: Hashable {
  @inline(__always)
  public static func == (a: Key, b: Key) -> Bool {
    guard a.hash == b.hash, a.bytes.count == b.bytes.count else { return false }
    return a.bytes.withUnsafeBufferPointer { left in
      b.bytes.withUnsafeBufferPointer { right in
        left.baseAddress == right.baseAddress || sameBytes(left, right)
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

extension Key: Comparable {
  /// By code points, as jq sorts keys.
  public static func < (a: Key, b: Key) -> Bool {
    a.bytes.withUnsafeBufferPointer { left in
      b.bytes.withUnsafeBufferPointer { right in orderBytes(left, right) < 0 }
    }
  }
}

extension Key: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral name: String) { self.init(name) }
  public var description: String { name }
}

/// True when a JSON writer may copy the text between quotes as it is.
@inline(__always)
func isPlainText(_ bytes: ByteView) -> Bool {
  for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f { return false }
  return true
}
