// A text as a JSON string: quotes around it, and escapes where JSON or jq wants them.

private let hexDigits: StaticString = "0123456789abcdef"

extension Output {
  /// The text in quotes; with `ascii`, everything else as `\u` escapes.
  @inline(__always)
  func putQuoted(_ text: ByteView, ascii: Bool) {
    put(0x22)
    var start = 0
    var at = 0
    while at < text.count {
      let byte = text[at]
      if byte >= 0x20, byte != 0x22, byte != 0x5c, byte < 0x7f || (byte > 0x7f && !ascii) {
        at += 1
        continue
      }
      put(ByteView(rebasing: text[start..<at]))
      at += byte < 0x80 ? putEscape(byte) : putScalarEscape(text, at)
      start = at
    }
    if start < text.count { put(ByteView(rebasing: text[start...])) }
    put(0x22)
  }

  private func putEscape(_ byte: UInt8) -> Int {
    put(0x5c)
    switch byte {
    case 0x22, 0x5c: put(byte)
    case 8: put(0x62)
    case 9: put(0x74)
    case 10: put(0x6e)
    case 12: put(0x66)
    case 13: put(0x72)
    default: putUnit(UInt32(byte))
    }
    return 1
  }

  // As uXXXX.
  private func putUnit(_ unit: UInt32) {
    put(0x75)
    for shift in [12, 8, 4, 0] as [UInt32] { put(hexDigits.utf8Start[Int(unit >> shift & 15)]) }
  }

  private func putScalarEscape(_ text: ByteView, _ at: Int) -> Int {
    let first = text[at]
    let length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    guard at + length <= text.count else { return 1 }
    var scalar = UInt32(first) & (0x7f >> UInt32(length))
    for place in 1..<length { scalar = scalar << 6 | UInt32(text[at + place] & 0x3f) }
    put(0x5c)
    if scalar < 0x10000 {
      putUnit(scalar)
    } else {
      putUnit(0xd800 | (scalar - 0x10000) >> 10)
      put(0x5c)
      putUnit(0xdc00 | (scalar - 0x10000) & 0x3ff)
    }
    return length
  }
}
