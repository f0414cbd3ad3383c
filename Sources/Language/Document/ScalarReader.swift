/// A second reader of scalars, which maps each byte of the text to the file's bytes.
///
/// libyaml decodes scalars without a source map. What is decoded here is compared with what libyaml has; where they
/// differ, the whole scalar is the place of each of its bytes. So it is for folded blocks, which
/// are not read here, and for a first line that is indented more than its block.
struct ScalarReader {
  let bytes: [UInt8]
  var text: [UInt8] = []
  var map = TextMap()

  /// The map of a scalar, and where the scalar itself begins: behind its anchor and tag.
  static func map(
    _ expected: [UInt8], _ style: Scalar.Style, in bytes: [UInt8], _ range: Range<Int>
  ) -> (map: TextMap, range: Range<Int>) {
    let start = skippingProperties(bytes, range)
    let content = start..<max(start, range.upperBound)
    var reader = ScalarReader(bytes: bytes)
    switch style {
    case .plain: reader.readFlow(content, quote: nil)
    case .singleQuoted: reader.readFlow(inside(content), quote: UInt8(ascii: "'"))
    case .doubleQuoted: reader.readFlow(inside(content), quote: UInt8(ascii: "\""))
    case .literal: reader.readBlock(from: start)
    case .folded: break
    }
    if reader.text == expected { return (reader.map, content) }
    var coarse = TextMap()
    coarse.append(expected.count, from: content)
    return (coarse, content)
  }

  private static func inside(_ range: Range<Int>) -> Range<Int> {
    range.count < 2 ? range.lowerBound..<range.lowerBound : range.lowerBound + 1..<range.upperBound - 1
  }

  /// Behind `&anchor`, `!tag` and the blanks, breaks and comments after them.
  private static func skippingProperties(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
    var index = range.lowerBound
    var isInProperties = false
    while index < range.upperBound {
      switch bytes[index] {
      case UInt8(ascii: "&"), UInt8(ascii: "!"):
        isInProperties = true
        while index < range.upperBound, !isBlank(bytes[index]), !isBreak(bytes[index]) { index += 1 }
      case UInt8(ascii: "#") where isInProperties:
        while index < range.upperBound, !isBreak(bytes[index]) { index += 1 }
      case let byte where isInProperties && (isBlank(byte) || isBreak(byte)): index += 1
      default: return index
      }
    }
    return index
  }

  mutating func keep(_ index: Int) {
    text.append(bytes[index])
    map.append(1, verbatimAt: index)
  }

  mutating func put(_ decoded: [UInt8], from range: Range<Int>) {
    text += decoded
    map.append(decoded.count, from: range)
  }

  /// The length of the line break here; 0 when there is none.
  func breakLength(_ index: Int) -> Int {
    guard index < bytes.count, isBreak(bytes[index]) else { return 0 }
    let isPair =
      bytes[index] == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
    return isPair ? 2 : 1
  }
}

func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

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

extension ScalarReader {
  /// Literal text: the header, then lines that are indented more than what they belong to.
  mutating func readBlock(from start: Int) {
    var index = start + 1
    var chomping: UInt8 = 0
    while index < bytes.count, !isBlank(bytes[index]), !isBreak(bytes[index]) {
      chomping = bytes[index]
      index += 1
    }
    while index < bytes.count, breakLength(index) == 0 { index += 1 }
    index += breakLength(index)
    readLines(index, indent: detectedIndent(index), chomping)
  }

  /// The blanks before the first line that has text.
  private func detectedIndent(_ start: Int) -> Int {
    var index = start
    var widest = 1
    while index < bytes.count {
      let blanks = spaces(index, atMost: .max)
      widest = max(widest, blanks)
      let length = breakLength(index + blanks)
      if length == 0 { return index + blanks < bytes.count ? max(1, blanks) : widest }
      index += blanks + length
    }
    return widest
  }

  private func spaces(_ start: Int, atMost limit: Int) -> Int {
    var count = 0
    while start + count < bytes.count, count < limit, bytes[start + count] == UInt8(ascii: " ") { count += 1 }
    return count
  }

  private mutating func readLines(_ start: Int, indent: Int, _ chomping: UInt8) {
    var pendingBreak: Range<Int>?
    var emptyLines: [Range<Int>] = []
    var index = skipEmptyLines(start, indent, &emptyLines)
    while index < bytes.count, isAtLine(index, indent) {
      if let pendingBreak { putBreak(pendingBreak) }
      for range in emptyLines { putBreak(range) }
      emptyLines = []
      while index < bytes.count, breakLength(index) == 0 {
        keep(index)
        index += 1
      }
      let length = breakLength(index)
      pendingBreak = length > 0 ? index..<index + length : nil
      index = skipEmptyLines(index + length, indent, &emptyLines)
    }
    if chomping != UInt8(ascii: "-"), let pendingBreak { putBreak(pendingBreak) }
    if chomping == UInt8(ascii: "+") { for range in emptyLines { putBreak(range) } }
  }

  private mutating func putBreak(_ range: Range<Int>) { put([UInt8(ascii: "\n")], from: range) }

  /// Whether exactly the indentation lies between here and the beginning of the line.
  private func isAtLine(_ index: Int, _ indent: Int) -> Bool {
    index >= indent && bytes[(index - indent)..<index].allSatisfy { $0 == UInt8(ascii: " ") }
      && (index == indent || isBreak(bytes[index - indent - 1]))
  }

  /// Goes past empty lines and the indentation of the line after them.
  private func skipEmptyLines(_ start: Int, _ indent: Int, _ emptyLines: inout [Range<Int>]) -> Int {
    var index = start
    while true {
      index += spaces(index, atMost: indent)
      let length = breakLength(index)
      if length == 0 { return index }
      emptyLines.append(index..<index + length)
      index += length
    }
  }
}
