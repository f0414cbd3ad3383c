/// Base 64 and base 32: groups of bits as letters.
package struct Radix: Sendable {
  let name: String
  private let letters: [UInt8]
  private let bits: Int
  /// Letters in a whole group.
  private let group: Int

  package static let base64 = Radix(
    name: "base64",
    letters: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8), bits: 6, group: 4
  )
  static let base32 = Radix(
    name: "base32", letters: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8), bits: 5, group: 8)

  package func encode(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 2)
    var held: UInt32 = 0
    var count = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      count += 8
      while count >= bits {
        count -= bits
        out.append(letters[Int(held >> UInt32(count)) & (1 << bits - 1)])
      }
    }
    if count > 0 { out.append(letters[Int(held << UInt32(bits - count)) & (1 << bits - 1)]) }
    while out.count % group != 0 { out.append(UInt8(ascii: "=")) }
    return out
  }

  package enum Decoded {
    case bytes([UInt8])
    case foreign
    case trailing
  }

  package func decode(_ text: [UInt8]) -> Decoded {
    var table = [UInt8](repeating: 255, count: 256)
    for (value, letter) in letters.enumerated() { table[Int(letter)] = UInt8(value) }
    var out: [UInt8] = []
    var held: UInt32 = 0
    var count = 0
    var taken = 0
    for letter in text {
      if letter == UInt8(ascii: "=") { break }
      guard table[Int(letter)] != 255 else { return .foreign }
      held = held << UInt32(bits) | UInt32(table[Int(letter)])
      count += bits
      taken += 1
      if count >= 8 {
        count -= 8
        out.append(UInt8(truncatingIfNeeded: held >> UInt32(count)))
      }
    }
    return taken % group == 1 ? .trailing : .bytes(out)
  }
}
