import Glibc

/// Reads the values of a text of any length, one after the other: JSON lines, or values in a row.
///
///     let reader = Reader { buffer in read(0, buffer.baseAddress, buffer.count) }
///     while let value = try reader.next() { … }
///
/// The text is read and parsed a chunk at a time. A chunk is reused once none of its values is alive, so memory stays
/// constant for a caller that keeps none of them.
public final class Reader {
  /// Reads into the buffer as much as one read gives, and returns the number of bytes; 0 at the end.
  public typealias Source = (UnsafeMutableRawBufferPointer) throws -> Int

  private let source: Source
  private let options: ParseOptions
  private let chunkSize: Int
  private var parser: TapeParser

  private var document: TapeDocument
  /// The previous chunk, to be reused.
  private var retired: TapeDocument?
  private var nextRoot = 0
  /// The offset in the chunk of the first byte that is not part of a parsed value.
  private var rest = 0
  /// The first bytes of a character whose last ones have not been read yet.
  private var cut: [UInt8] = []
  private var isFinal = false
  private var isFirst = true
  private var failure: ParseError?
  /// Looks for the end of the unfinished value at the beginning of the chunk.
  private var scanner = ValueScanner()
  /// How much of the chunk the scanner has seen; all that will come, once it has found an error.
  private var scanned = 0
  /// The size at which an unfinished value is parsed before its end has been found, to find errors early.
  private var nextTry = 0

  /// The position of the chunk in the text.
  private var lines = 0
  private var column = 0
  private var offset = 0

  /// An error is reported once its wording is certain, or once this much of its value has been read.
  private static let longestMistake = 1 << 16
  /// Offsets on the tape have 32 bits.
  private static let largestDocument = (1 << 32) - 4096

  public init(options: ParseOptions = .jq, chunkSize: Int = 1 << 18, source: @escaping Source) {
    self.source = source
    self.options = options
    self.chunkSize = chunkSize
    parser = TapeParser(options)
    document = TapeDocument(capacity: chunkSize)
  }

  /// The next value, nil after the last.
  ///
  /// Throws `ParseError`, after which there are no more values, and whatever the source throws.
  @inline(__always)
  public func next() throws -> Value? {
    if nextRoot < document.roots.count {
      defer { nextRoot += 1 }
      return .view(document, document.roots[nextRoot])
    }
    return try nextOfMore()
  }

  @inline(never)
  private func nextOfMore() throws -> Value? {
    while true {
      if nextRoot < document.roots.count {
        defer { nextRoot += 1 }
        return .view(document, document.roots[nextRoot])
      }
      if let failure {
        self.failure = nil
        stop()
        throw failure
      }
      guard !isFinal else { return nil }
      try refill()
    }
  }

  private func stop() {
    isFinal = true
    document.roots.removeAll()
    nextRoot = 0
    rest = document.rawCount
  }

  /// The number of line breaks up to and including the one that follows the last value.
  public var line: Int {
    var at = 0
    if nextRoot > 0, nextRoot <= document.roots.count {
      at = document.textEnd(of: Int(document.roots[nextRoot - 1]))
    }
    let end = memchr(document.raw + at, 0x0a, document.rawCount - at)
    let stop = end.map { $0.assumingMemoryBound(to: UInt8.self) - document.raw + 1 } ?? document.rawCount
    return lines + document.place(of: stop).line - 1
  }

  // MARK: - Chunks

  /// Reads more and parses the values that it completes.
  private func refill() throws {
    moveOn()
    repeat {
      try readMore()
      // A value longer than a piece is not parsed anew for each: that would be quadratic.
      if isFinal || completesValue() || document.rawCount >= nextTry { break }
    } while true
    document.pad()
    parseChunk()
  }

  /// Whether the unfinished value ends in what has been read.
  private func completesValue() -> Bool {
    guard scanned < document.rawCount else { return false }
    switch scanner.advance(ByteView(start: document.raw, count: document.rawCount), from: scanned) {
    case .whole: return true
    case .more: scanned = document.rawCount
    // The parser words the error, and jq's words may need more text than has been read.
    case .flaw: scanned = .max
    }
    return false
  }

  private func resetScanner() {
    scanner = ValueScanner()
    scanned = 0
  }

  /// Makes a chunk that begins with what is left of this one.
  private func moveOn() {
    let old = document
    account(for: rest)
    let left = old.rawCount - rest
    let fresh = takeRetired() ?? TapeDocument(capacity: max(chunkSize, left * 2))
    fresh.reserveRaw(max(chunkSize, left * 2))
    memcpy(fresh.raw, old.raw + rest, left)
    fresh.rawCount = left
    fresh.hasDelete = old.hasDelete && left > 0
    retired = old
    document = fresh
    nextRoot = 0
    rest = 0
  }

  private func takeRetired() -> TapeDocument? {
    guard retired != nil, isKnownUniquelyReferenced(&retired), let spare = retired else { return nil }
    retired = nil
    // A chunk that had to grow for one large value gives its memory back.
    guard spare.rawCapacity <= chunkSize * 4 else { return nil }
    spare.reset()
    return spare
  }

  private func account(for count: Int) {
    lines += parser.lines
    parser.lines = 0
    offset += count
    var start = count
    while start > 0, document.raw[start - 1] != 0x0a { start -= 1 }
    column = start > 0 ? count - start : column + count
  }

  /// Adds what one read gives, checked and repaired to valid UTF-8.
  private func readMore() throws {
    var start = document.rawCount
    if document.rawCapacity - start < 4096 {
      guard document.rawCapacity < Reader.largestDocument else {
        throw ParseError("Value too large", line: lines + 1, column: column, offset: offset)
      }
      document.reserveRaw(min(document.rawCapacity * 2, Reader.largestDocument))
    }
    let checked = start
    for byte in cut {
      document.raw[start] = byte
      start += 1
    }
    cut.removeAll(keepingCapacity: true)
    let room = UnsafeMutableRawBufferPointer(
      start: document.raw + start, count: document.rawCapacity - start)
    let count = try source(room)
    if count == 0 { isFinal = true }
    var end = start + count
    dropMark(&end)
    check(from: checked, to: end)
  }

  /// Drops a byte order mark at the beginning of the text.
  private func dropMark(_ end: inout Int) {
    guard isFirst, end > 0 else { return }
    isFirst = false
    guard end >= 3, document.raw[0] == 0xef, document.raw[1] == 0xbb, document.raw[2] == 0xbf else { return }
    memmove(document.raw, document.raw + 3, end - 3)
    end -= 3
  }

  private func check(from start: Int, to end: Int) {
    var hasDelete = false
    let piece = ByteView(start: document.raw + start, count: end - start)
    let good = checkText(piece, &hasDelete)
    document.rawCount = end
    if good < piece.count { repair(from: start + good, to: end) }
    if hasDelete || good < piece.count { document.hasDelete = true }
  }

  private func repair(from start: Int, to end: Int) {
    var stop = end
    if !isFinal, let partial = cutCharacter(start, end) {
      cut.append(contentsOf: UnsafeBufferPointer(start: document.raw + partial, count: end - partial))
      stop = partial
    }
    let text = repairedUTF8(ByteView(start: document.raw + start, count: stop - start))
    document.rawCount = start
    document.reserveRaw(start + text.count)
    text.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress { memcpy(document.raw + start, base, bytes.count) }
    }
    document.rawCount = start + text.count
  }

  /// The offset of a character that the end of the piece cuts.
  private func cutCharacter(_ start: Int, _ end: Int) -> Int? {
    for back in 1...3 where end - back >= start {
      let byte = document.raw[end - back]
      if byte & 0xc0 == 0x80 { continue }
      return byte >= 0xc2 && sequenceLength(document.raw + end - back, back) == -back ? end - back : nil
    }
    return nil
  }

  private func parseChunk() {
    let end = document.rawCount
    var at = 0
    while true {
      parser.skipSpace(document.raw, &at)
      rest = at
      guard at < end else {
        resetScanner()
        nextTry = 0
        return
      }
      let root = document.tapeCount
      let linesBefore = parser.lines
      do throws(ParseFailure) {
        try parser.parse(document, &at, end: end, isFinal: isFinal)
      } catch {
        document.tapeCount = root
        parser.lines = linesBefore
        if isFinal {
          failure = explain(end)
          return
        }
        if case .incomplete = error {
          nextTry = (end - at) * 2
        } else {
          let mistake = explain(end)
          if !mistake.isAtEnd || end - at > Reader.longestMistake {
            failure = mistake
            return
          }
          nextTry = 0
        }
        if at > 0 { resetScanner() }
        return
      }
      document.roots.append(UInt32(truncatingIfNeeded: root))
    }
  }

  private func explain(_ end: Int) -> ParseError {
    let place = document.place(of: rest)
    return Diagnosis.explain(
      ByteView(start: document.raw + rest, count: end - rest), line: lines + place.line,
      column: place.line == 1 ? column + place.column : place.column, offset: offset + rest, options: options)
  }
}
