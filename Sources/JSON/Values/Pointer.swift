import Glibc

/// A JSON Pointer, the path of something inside a value as RFC 6901 writes it: `/launches/0/net`.
///
///     value[Pointer("/pad/location/name")]
public struct Pointer: Sendable, Hashable {
  /// The pointer's text in UTF-8, with its escapes.
  public let bytes: [UInt8]

  /// A pointer to a place that is known to be one, by its text.
  init(bytes: [UInt8]) { self.bytes = bytes }

  public init(steps: [String]) {
    var bytes: [UInt8] = []
    for step in steps {
      var step = step
      step.withUTF8 { Pointer.append($0, to: &bytes) }
    }
    self.bytes = bytes
  }

  /// Parses a pointer; nil where the text is none.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.isEmpty || bytes[0] == Pointer.slash else { return nil }
    for place in bytes.indices where bytes[place] == Pointer.tilde {
      guard place + 1 < bytes.count, bytes[place + 1] | 1 == 0x31 else { return nil }
    }
    self.bytes = bytes
  }

  private static let slash: UInt8 = 0x2f
  private static let tilde: UInt8 = 0x7e

  /// Names of members, or element numbers as digits, from the outside in; escapes decoded.
  public var steps: [String] {
    bytes.split(separator: Pointer.slash, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: Pointer.decode($0), as: UTF8.self) }
  }

  private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8] {
    var step: [UInt8] = []
    var isEscaped = false
    for byte in part {
      if isEscaped {
        step.append(byte == 0x30 ? tilde : slash)
        isEscaped = false
      } else if byte == tilde {
        isEscaped = true
      } else {
        step.append(byte)
      }
    }
    return step
  }

  /// Adds a step to a pointer's text.
  static func append(_ name: ByteView, to bytes: inout [UInt8]) {
    bytes.append(slash)
    var needsEscapes = false
    for byte in name where byte == slash || byte == tilde { needsEscapes = true }
    if !needsEscapes {
      bytes.append(contentsOf: name)
      return
    }
    for byte in name {
      switch byte {
      case tilde: bytes += [tilde, 0x30]
      case slash: bytes += [tilde, 0x31]
      default: bytes.append(byte)
      }
    }
  }

  /// Whether it is that place or lies beneath it.
  public func isWithin(_ other: Pointer) -> Bool {
    Pointer.lies(bytes, within: other.bytes)
  }

  /// The same for the texts of two pointers.
  static func lies(_ bytes: [UInt8], within other: [UInt8]) -> Bool {
    guard bytes.count >= other.count, memcmp(bytes, other, other.count) == 0 else { return false }
    return bytes.count == other.count || bytes[other.count] == slash
  }
}

extension Pointer: CustomStringConvertible {
  /// The pointer's text.
  public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Value {
  /// The value at a pointer; nil where there is none.
  public subscript(_ pointer: Pointer) -> Value? {
    var value = self
    for step in pointer.steps {
      switch value.kind {
      case .object:
        guard let member = value.member(Key(step)) else { return nil }
        value = member
      case .array:
        guard let number = Value.elementNumber(step), let element = value.element(number) else { return nil }
        value = element
      default: return nil
      }
    }
    return value
  }

  /// Digits without leading zeros.
  private static func elementNumber(_ step: String) -> Int? {
    guard step.utf8.allSatisfy({ $0 &- 0x30 < 10 }), step == "0" || step.utf8.first != 0x30 else {
      return nil
    }
    return Int(step)
  }
}
