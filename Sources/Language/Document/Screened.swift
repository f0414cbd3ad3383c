/// The bytes of a file with everything that is not YAML text replaced, byte for byte, so that reading can continue.
struct Screened {
  private(set) var bytes: [UInt8]
  /// Where the text begins: behind a byte order mark.
  private(set) var start = 0
  /// Whether the file is in an encoding that cannot be read at all.
  private(set) var isForeign = false

  init(_ file: SourceFile, _ problems: inout Problems) {
    bytes = file.bytes
    let save = "save the file as UTF-8 without a byte order mark"
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      problems.report("the file is in UTF-16", at: SourceRange(file, 0..<2), hint: save)
      isForeign = true
      return
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      problems.report("the file begins with a byte order mark", at: SourceRange(file, 0..<3), hint: save)
      start = 3
    }
    var index = start
    while index < bytes.count {
      let length = Screened.length(at: index, of: bytes)
      if length > 0 {
        index += length
        continue
      }
      let first = bytes[index]
      if first < 0x80 || Screened.scalarLength(at: index, of: bytes) > 0 {
        let bad = max(1, Screened.scalarLength(at: index, of: bytes))
        problems.report(
          "unexpected control character", at: SourceRange(file, index..<index + bad),
          hint: "remove it, or write it as an escape in double quotes, as in \"\\x1b\"")
        replace(index..<index + bad)
        index += bad
      } else {
        let end = bytes[index...].firstIndex { $0 < 0x80 } ?? bytes.count
        let stop = min(end, index + 1)
        problems.report(
          "these bytes are not UTF-8", at: SourceRange(file, index..<stop), hint: "save the file as UTF-8")
        replace(index..<stop)
        index = stop
      }
    }
  }

  private mutating func replace(_ range: Range<Int>) {
    for index in range { bytes[index] = UInt8(ascii: "_") }
  }

  /// The length of the character that YAML allows here; 0 when there is none.
  private static func length(at index: Int, of bytes: [UInt8]) -> Int {
    let first = bytes[index]
    if first < 0x80 {
      return first >= 0x20 && first != 0x7F || first == 0x09 || first == 0x0A || first == 0x0D ? 1 : 0
    }
    let length = scalarLength(at: index, of: bytes)
    // U+0080 to U+009F but the next line, the byte order mark, U+FFFE and U+FFFF.
    if length == 2, first == 0xC2, bytes[index + 1] < 0xA0, bytes[index + 1] != 0x85 { return 0 }
    if length == 3, first == 0xEF, bytes[index + 1] == 0xBB, bytes[index + 2] == 0xBF { return 0 }
    if length == 3, first == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE { return 0 }
    return length
  }

  /// The length of the UTF-8 sequence here, 0 when it is none.
  static func scalarLength(at index: Int, of bytes: [UInt8]) -> Int {
    let first = bytes[index]
    let length =
      first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
    guard length > 0, index + length <= bytes.count else { return 0 }
    for next in 1..<max(1, length) where bytes[index + next] & 0xC0 != 0x80 { return 0 }
    guard length > 2 else { return length }
    let second = bytes[index + 1]
    switch first {
    case 0xE0: return second >= 0xA0 ? 3 : 0
    case 0xED: return second < 0xA0 ? 3 : 0
    case 0xF0: return second >= 0x90 ? 4 : 0
    case 0xF4: return second < 0x90 ? 4 : 0
    default: return length
    }
  }
}
