extension ScalarReader {
  /// Plain and quoted text: lines are folded, and quotes have their escapes.
  mutating func readFlow(_ range: Range<Int>, quote: UInt8?) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      if isBlank(byte) || isBreak(byte) {
        index = readSpace(index, range.upperBound, isEscaped: false)
      } else if byte == UInt8(ascii: "'"), quote == byte {
        put([byte], from: index..<min(index + 2, range.upperBound))
        index += 2
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        index = readEscape(index, range.upperBound)
      } else {
        keep(index)
        index += 1
      }
    }
  }

  /// A run of blanks is kept; one with a break in it is a blank, or one break less than it has.
  private mutating func readSpace(_ start: Int, _ limit: Int, isEscaped: Bool) -> Int {
    var end = start
    var breaks: [Range<Int>] = []
    while end < limit, isBlank(bytes[end]) || isBreak(bytes[end]) {
      let length = breakLength(end)
      if length > 0 { breaks.append(end..<end + length) }
      end += max(1, length)
    }
    if breaks.isEmpty {
      for index in start..<end where !isEscaped { keep(index) }
    } else if breaks.count == 1, !isEscaped {
      put([UInt8(ascii: " ")], from: start..<end)
    } else {
      for range in isEscaped ? breaks[...] : breaks.dropFirst() { put([UInt8(ascii: "\n")], from: range) }
    }
    return end
  }

  private mutating func readEscape(_ start: Int, _ limit: Int) -> Int {
    guard start + 1 < limit else { return limit }
    let length = breakLength(start + 1)
    if length > 0 { return readSpace(start + 1 + length, limit, isEscaped: true) }
    let digits: Int
    var value: UInt32
    switch bytes[start + 1] {
    case UInt8(ascii: "0"): (digits, value) = (0, 0)
    case UInt8(ascii: "a"): (digits, value) = (0, 7)
    case UInt8(ascii: "b"): (digits, value) = (0, 8)
    case UInt8(ascii: "t"), UInt8(ascii: "\t"): (digits, value) = (0, 9)
    case UInt8(ascii: "n"): (digits, value) = (0, 10)
    case UInt8(ascii: "v"): (digits, value) = (0, 11)
    case UInt8(ascii: "f"): (digits, value) = (0, 12)
    case UInt8(ascii: "r"): (digits, value) = (0, 13)
    case UInt8(ascii: "e"): (digits, value) = (0, 27)
    case UInt8(ascii: "N"): (digits, value) = (0, 0x85)
    case UInt8(ascii: "_"): (digits, value) = (0, 0xA0)
    case UInt8(ascii: "L"): (digits, value) = (0, 0x2028)
    case UInt8(ascii: "P"): (digits, value) = (0, 0x2029)
    case UInt8(ascii: "x"): (digits, value) = (2, 0)
    case UInt8(ascii: "u"): (digits, value) = (4, 0)
    case UInt8(ascii: "U"): (digits, value) = (8, 0)
    case let byte: (digits, value) = (0, UInt32(byte))
    }
    let end = min(start + 2 + digits, limit)
    for digit in bytes[start + 2..<max(start + 2, end)] {
      value = value << 4 | UInt32(Character(Unicode.Scalar(digit)).hexDigitValue ?? 0)
    }
    put(Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8), from: start..<end)
    return end
  }
}
