/// A text with the path it was read from, and where its lines begin.
///
/// ```
/// let file = SourceFile(path: "a.yaml", bytes: Array("a: 1\nb: 2\n".utf8))
/// file.position(of: 5)  // 2:1
/// ```
public final class SourceFile: Sendable {
  public let path: String
  public let bytes: [UInt8]
  private let lineStarts: [Int]

  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    var starts = [0]
    for (index, byte) in bytes.enumerated() {
      let isBreak =
        byte == UInt8(ascii: "\n")
        || (byte == UInt8(ascii: "\r")
          && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n")))
      if isBreak { starts.append(index + 1) }
    }
    lineStarts = starts
  }

  public convenience init(path: String, text: String) {
    self.init(path: path, bytes: Array(text.utf8))
  }

  /// A line and a column, counted from one; a column is a Unicode scalar, a tab being one.
  public struct Position: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var line: Int
    public var column: Int

    public var description: String { "\(line):\(column)" }

    public static func < (left: Position, right: Position) -> Bool {
      (left.line, left.column) < (right.line, right.column)
    }
  }

  public var lineCount: Int { lineStarts.count }

  /// Where a byte stands; past the end is the end.
  public func position(of offset: Int) -> Position {
    let offset = min(max(0, offset), bytes.count)
    let line = lineIndex(of: offset)
    let before = bytes[lineStarts[line]..<offset]
    return Position(line: line + 1, column: before.count { $0 & 0xC0 != 0x80 } + 1)
  }

  /// The bytes of a line counted from one, without its break; nothing where there is no such line.
  public func range(ofLine line: Int) -> Range<Int> {
    guard line >= 1, line <= lineStarts.count else { return bytes.count..<bytes.count }
    let start = lineStarts[line - 1]
    var end = line < lineStarts.count ? lineStarts[line] : bytes.count
    while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") {
      end -= 1
    }
    return start..<end
  }

  private func lineIndex(of offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}
