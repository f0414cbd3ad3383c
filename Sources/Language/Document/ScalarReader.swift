/// Reads a scalar a second time, from the file's bytes, to learn where each byte of its text comes from.
///
/// libyaml decodes scalars without saying so. What is decoded here is compared with what libyaml has; should they
/// ever differ, the whole scalar is the place of each of its bytes.
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
    case .literal, .folded: reader.readBlock(from: start, isFolded: style == .folded, expected)
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
