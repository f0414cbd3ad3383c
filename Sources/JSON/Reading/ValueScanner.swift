/// A scanner for the end of one JSON value: it follows strings and brackets, and parses nothing.
///
/// Before the end of the value it finds only the errors that a truncated line causes: a line break in a string, and two
/// values without a comma between them.
public struct ValueScanner {
  /// The result of one piece of text.
  public enum Step: Equatable {
    /// The value continues after the piece.
    case more
    /// The value ends before this index.
    case whole(Int)
    /// An error, and the index where it was met.
    case flaw(String, Int)
  }

  private var depth = 0
  private var inString = false
  private var isEscaped = false
  /// The last byte that was not white space; a space where the value begins.
  private var last: UInt8 = 0x20

  public init() {}

  /// Continues at an index; the value must begin at the index of the first call.
  public mutating func advance(_ text: ByteView, from start: Int) -> Step {
    var at = start
    while at < text.count {
      if inString {
        if let flaw = scanString(text, &at) { return flaw }
        continue
      }
      let byte = text[at]
      switch byte {
      case 0x22:
        if depth > 0, endsValue(last) { return .flaw("a comma is missing", at) }
        if depth == 0, last != 0x20 { return .whole(at) }
        inString = true
      case 0x5b, 0x7b:
        if depth == 0, last != 0x20 { return .whole(at) }
        if endsValue(last), depth > 0 { return .flaw("a comma is missing", at) }
        guard depth < ParseOptions.jq.depthLimit else { return .flaw("Exceeds depth limit for parsing", at) }
        depth += 1
      case 0x5d, 0x7d:
        // A number or a word at the top ends before a bracket that is not its own.
        if depth == 0 { return .whole(at) }
        depth -= 1
        if depth == 0 { return .whole(at + 1) }
      case 0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x3a:
        if depth == 0 { return .whole(at) }
        if byte <= 0x20 {
          at += 1
          continue
        }
      default: break
      }
      last = byte
      at += 1
    }
    return .more
  }

  private mutating func scanString(_ text: ByteView, _ at: inout Int) -> Step? {
    while at < text.count {
      let byte = text[at]
      at += 1
      if isEscaped {
        isEscaped = false
      } else if byte == 0x22 {
        inString = false
        return depth == 0 ? .whole(at) : nil
      } else if byte == 0x5c {
        isEscaped = true
      } else if byte == 0x0a {
        return .flaw("a string reaches over the end of the line", at - 1)
      }
    }
    return nil
  }

  /// The indexes of the brackets that a part of a value opens and does not close.
  public static func openings(_ text: ByteView) -> [Int] {
    var open: [Int] = []
    var (inString, isEscaped) = (false, false)
    for (at, byte) in text.enumerated() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case 0x5c where inString: isEscaped = true
      case 0x22: inString.toggle()
      case 0x5b, 0x7b: if !inString { open.append(at) }
      case 0x5d, 0x7d: if !inString { open.removeLast(open.isEmpty ? 0 : 1) }
      default: break
      }
    }
    return open
  }

  private func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x2c, 0x3a, 0x5b, 0x7b: false
    default: true
    }
  }
}
