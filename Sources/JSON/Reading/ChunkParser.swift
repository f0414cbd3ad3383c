import Glibc

/// A parser of ranges of whole values in place, in the memory that they were read into.
///
///     let parser = ChunkParser(size: 1 << 18)
///     var text = TextBuffer(capacity: 1 << 18)
///     // … `count` bytes are read into its memory, whole lines up to `end` …
///     let lines = parser.parse(&text, 0..<end, of: count, eachOnItsLine: true, into: &values)
///
/// The document takes over the memory and gives back another buffer; only the bytes after the range are copied. It is
/// reused once none of its values is alive, so a caller that keeps none of them stays in the same memory.
public final class ChunkParser {
  private let size: Int
  private var parser: TapeParser
  private var pool: DocumentPool

  /// A parser of ranges that mostly have `size` bytes or less.
  public init(size: Int, options: ParseOptions = .jq) {
    self.size = size
    parser = TapeParser(options)
    pool = DocumentPool(size: size)
  }

  /// Appends the values of a range of bytes, and returns the number of line breaks in it.
  ///
  /// The bytes after the range, up to `count`, move to the beginning of `text`. Returns nil and changes nothing where
  /// the range has anything but whole values in valid UTF-8, or where a value spans lines although `eachOnItsLine` is
  /// set.
  public func parse(
    _ text: inout TextBuffer, _ range: Range<Int>, of count: Int, eachOnItsLine: Bool,
    into values: inout [Value]
  ) -> Int? {
    let rest = count - range.upperBound
    let document = pool.takeUnused() ?? TapeDocument(capacity: max(size, rest))
    document.reserveRaw(max(size, rest))
    memcpy(document.raw, text.base + range.upperBound, rest)
    document.exchange(&text)
    document.rawCount = range.upperBound
    document.pad()
    let before = values.count
    let lines = parse(document, from: range.lowerBound, eachOnItsLine, into: &values)
    if lines == nil {
      values.removeSubrange(before...)
      document.exchange(&text)
      // The bytes that the padding has overwritten.
      memcpy(text.base + range.upperBound, document.raw, min(rest, TapeDocument.padding))
    }
    pool.retire(document)
    return lines
  }

  private func parse(
    _ document: TapeDocument, from start: Int, _ eachOnItsLine: Bool, into values: inout [Value]
  ) -> Int? {
    let end = document.rawCount
    let text = ByteView(start: document.raw + start, count: end - start)
    guard checkText(text, &document.hasDelete) == text.count else { return nil }
    var at = start
    parser.lines = 0
    while true {
      parser.skipSpace(document.raw, &at)
      if at >= end { return parser.lines }
      let root = document.tapeCount
      let lines = parser.lines
      guard (try? parser.parse(document, &at, end: end, isFinal: true)) != nil else { return nil }
      if eachOnItsLine, parser.lines != lines { return nil }
      values.append(.view(document, UInt32(truncatingIfNeeded: root)))
    }
  }
}

/// Memory to read text into, which a document can take over without a copy.
public struct TextBuffer: ~Copyable {
  var base: UnsafeMutablePointer<UInt8>
  /// The number of bytes of text that fit.
  public internal(set) var capacity: Int

  public init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity + TapeDocument.padding)
  }

  deinit { base.deallocate() }

  /// All of the memory, written to or not.
  public var memory: UnsafeMutableBufferPointer<UInt8> { .init(start: base, count: capacity) }
}
