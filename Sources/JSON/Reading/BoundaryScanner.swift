/// Follows a value that is longer than a chunk, byte by byte, only to see where it ends.
struct BoundaryScanner {
  private var position = 0
  private var depth = 0
  private var inString = false
  private var isEscaped = false
  private var isWhole = false

  /// Looks at the bytes that are new since the last time; true once the value at their start is whole.
  mutating func advance(_ text: ByteView) -> Bool {
    while position < text.count, !isWhole {
      let byte = text[position]
      position += 1
      if inString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5c {
          isEscaped = true
        } else if byte == 0x22 {
          inString = false
          isWhole = depth == 0
        }
        continue
      }
      switch byte {
      case 0x22: inString = true
      case 0x5b, 0x7b: depth += 1
      case 0x5d, 0x7d:
        depth -= 1
        isWhole = depth <= 0
      case 0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x3a: break
      // A number or word at the top: short, so that trying it again costs nothing.
      default: isWhole = depth == 0
      }
    }
    return isWhole
  }
}
