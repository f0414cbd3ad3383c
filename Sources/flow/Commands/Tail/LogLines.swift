// The lines of a log, read forwards as they arrive or backwards from its end, each with a bounded length.

import System

/// A line of a log, without its line break.
struct LogLine: Equatable {
  /// The most bytes kept of a line; a file of zeros is one line.
  static let mostBytes = 16 << 20

  var bytes: [UInt8]
  /// Whether the line is longer than what is kept of it.
  var isCut = false
}

/// Splits bytes that arrive in pieces into lines.
struct LineSplitter {
  private let limit: Int
  /// The bytes after the last line break.
  private var unfinished = LogLine(bytes: [])

  init(limit: Int = LogLine.mostBytes) { self.limit = limit }

  /// Passes on each line that the piece completes.
  mutating func add(_ piece: UnsafeRawBufferPointer, _ body: (LogLine) throws -> Void) rethrows {
    var rest = piece[...]
    while let at = rest.firstIndex(of: 0x0A) {
      keep(rest[..<at])
      rest = rest[(at + 1)...]
      let line = unfinished
      unfinished = LogLine(bytes: [])
      try body(line)
    }
    keep(rest)
  }

  /// The rest as a line; nil if there is none.
  mutating func finish() -> LogLine? {
    defer { unfinished = LogLine(bytes: []) }
    return unfinished.bytes.isEmpty ? nil : unfinished
  }

  private mutating func keep(_ part: Slice<UnsafeRawBufferPointer>) {
    let room = limit - unfinished.bytes.count
    if part.count > room { unfinished.isCut = true }
    unfinished.bytes += part.prefix(room)
  }
}

/// The lines of a file from the last to the first, read in blocks from its end.
///
/// The cost depends on the number of lines requested, not on the size of the file.
struct LinesBackwards {
  private static let blockSize = 1 << 16

  private let file: any DiskFile
  private let path: String
  private let limit: Int
  /// The offset of the block in the file.
  private var start: Int
  private var block: [UInt8] = []
  /// The parts of a line that begins before the block, the last part first.
  private var parts: [[UInt8]] = []
  private var partsCount = 0
  /// The length of that line so far.
  private var length = 0
  /// Whether parts at the end of the line were dropped.
  private var isCut = false
  private var isDone = false
  /// Where the last whole line ends; what follows has no line break yet.
  private(set) var endOfLines: Int
  /// The unfinished line, until it has been returned.
  private var returned: LogLine?

  /// The part after the last line break is skipped, unless it counts as a line.
  init(
    _ file: any DiskFile, of path: String, size: Int, includesUnfinished: Bool,
    limit: Int = LogLine.mostBytes
  ) throws(FileFailure) {
    self.file = file
    self.path = path
    self.limit = limit
    start = size
    endOfLines = size
    guard let unfinished = try nextMeasured() else { return }
    if !includesUnfinished {
      endOfLines = size - unfinished.length
    } else if unfinished.length > 0 {
      returned = unfinished.line
    }
  }

  /// The previous line; nil at the beginning of the file.
  mutating func next() throws(FileFailure) -> LogLine? {
    if let line = returned {
      returned = nil
      return line
    }
    return try nextMeasured()?.line
  }

  /// The previous line, and its length in the file.
  private mutating func nextMeasured() throws(FileFailure) -> (line: LogLine, length: Int)? {
    while !isDone {
      if let at = block.lastIndex(of: 0x0A) {
        let line = joined(Array(block[(at + 1)...]))
        block.removeSubrange(at...)
        return line
      }
      if !block.isEmpty { keep(block) }
      guard start > 0 else {
        isDone = true
        return joined([])
      }
      let from = max(0, start - LinesBackwards.blockSize)
      block = try readBytes(file, from: from, start - from, of: path)
      start = from
    }
    return nil
  }

  /// Keeps the beginning of a line as it becomes known, dropping parts at its end.
  private mutating func keep(_ part: [UInt8]) {
    parts.append(part)
    partsCount += part.count
    length += part.count
    while let last = parts.first, partsCount - last.count >= limit {
      partsCount -= last.count
      parts.removeFirst()
      isCut = true
    }
  }

  private mutating func joined(_ first: [UInt8]) -> (line: LogLine, length: Int) {
    keep(first)
    defer { (parts, partsCount, length, isCut) = ([], 0, 0, false) }
    let bytes = Array(parts.reversed().joined())
    return (LogLine(bytes: Array(bytes.prefix(limit)), isCut: isCut || bytes.count > limit), length)
  }
}
