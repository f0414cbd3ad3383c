import Glibc

/// The lines of a file from the last to the first, read in blocks from its end.
///
/// The size of the file does not matter, only how much is asked for.
struct LinesBackwards {
  private static let blockSize = 1 << 16

  private let file: OpenFile
  /// Where the block begins in the file.
  private var start: Int
  private var block: [UInt8] = []
  /// What was read of a line that goes on in front of the block, the last part first.
  private var parts: [ArraySlice<UInt8>] = []
  private var isDone = false
  /// Where the last whole line ends, once something was read; what follows has no line break yet.
  private(set) var endOfLines: Int

  /// The part behind the last line break is left out, unless it counts as a line too.
  init(_ file: OpenFile, size: Int, includesUnfinished: Bool) throws(FileError) {
    self.file = file
    start = size
    endOfLines = size
    guard let unfinished = try next() else { return }
    endOfLines = size - unfinished.count
    if includesUnfinished, !unfinished.isEmpty {
      endOfLines = size
      returned = unfinished
    }
  }

  /// The unfinished line, until it has been handed out.
  private var returned: [UInt8]?

  /// The line before, without its break; nil at the beginning of the file.
  mutating func next() throws(FileError) -> [UInt8]? {
    if let line = returned {
      returned = nil
      return line
    }
    while !isDone {
      if let at = block.lastIndex(of: 0x0A) {
        let line = joined(block[(at + 1)...])
        block.removeSubrange(at...)
        return line
      }
      if !block.isEmpty { parts.append(block[...]) }
      guard start > 0 else {
        isDone = true
        return joined([])
      }
      try readBlock()
    }
    return nil
  }

  private mutating func joined(_ first: ArraySlice<UInt8>) -> [UInt8] {
    defer { parts.removeAll() }
    return Array(first) + parts.reversed().joined()
  }

  private mutating func readBlock() throws(FileError) {
    let from = max(0, start - LinesBackwards.blockSize)
    block = try file.read(from: from, count: start - from)
    start = from
  }
}
