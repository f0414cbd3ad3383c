// A text as a JSON string: quotes around it, and escapes where JSON or jq wants them.

private let hexDigits: StaticString = "0123456789abcdef"

/// The index of the first byte from `start` on that needs an escape.
@inline(__always)
private func plainEnd(_ text: ByteView, _ start: Int, _ ascii: Bool) -> Int {
  guard let base = text.baseAddress else { return 0 }
  let ones: UInt64 = 0x0101_0101_0101_0101
  let highs: UInt64 = 0x8080_8080_8080_8080
  var at = start
  while at < text.count {
    if at + 8 <= text.count {
      let word = load(base + at, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5c)
      let delete = word ^ (ones &* 0x7f)
      // Only the first hit is certain: a borrow may fake later ones, and the byte is checked again below.
      var found = ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((delete &- ones) & ~delete)
      found |= (word &- (ones &* 0x20)) & ~word
      if ascii { found |= word }
      found &= highs
      if found == 0 {
        at += 8
        continue
      }
      at += found.trailingZeroBitCount >> 3
    }
    let byte = base[at]
    if byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f || (ascii && byte > 0x7f) { return at }
    at += 1
  }
  return at
}

extension Output {
  /// The text in quotes; with `ascii`, everything else as `\u` escapes.
  func putQuoted(_ text: ByteView, ascii: Bool) {
    put(0x22)
    var start = 0
    while true {
      let stop = plainEnd(text, start, ascii)
      put(ByteView(rebasing: text[start..<stop]))
      guard stop < text.count else { break }
      start = stop + (text[stop] < 0x80 ? putEscape(text[stop]) : putScalarEscape(text, stop))
    }
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
