import Glibc

/// Parses stretches of whole values where they stand, in the memory that they were read into.
///
///     let parser = ChunkParser(size: 1 << 18)
///     var text = TextBuffer(capacity: 1 << 18)
///     // … `count` bytes are read into its memory, whole lines up to `end` …
///     let lines = parser.parse(&text, 0..<end, of: count, eachOnItsLine: true, into: &values)
///
/// Nothing is copied but what stands behind the stretch: the document takes over the memory, and gives other for it. It
/// is used again when none of its values is held any more, so that whoever lets go of them goes round in the same
/// memory.
public final class ChunkParser {
  /// Documents that are held on to while somebody still has values of them.
  private static let mostInUse = 8

  private let size: Int
  private var parser: TapeParser
  /// From the longest ago on.
  private var used: [Document] = []

  /// A parser of stretches that mostly have `size` bytes or less.
  public init(size: Int, options: ParseOptions = .jq) {
    self.size = size
    parser = TapeParser(options)
  }

  /// Appends the values of a stretch, and says how many line breaks there are in it.
  ///
  /// What stood behind it, up to `count`, then stands at the beginning of `text`. Where the stretch is not all whole
  /// values of good text, or where one of them reaches over a line break and none may, the answer is nil, and nothing
  /// has changed.
  public func parse(
    _ text: inout TextBuffer, _ stretch: Range<Int>, of count: Int, eachOnItsLine: Bool,
    into values: inout [Value]
  ) -> Int? {
    let rest = count - stretch.upperBound
    let document = takeUnused() ?? Document(capacity: max(size, rest))
    document.reserveRaw(max(size, rest))
    memcpy(document.raw, text.base + stretch.upperBound, rest)
    document.exchange(&text)
    document.rawCount = stretch.upperBound
    document.pad()
    let before = values.count
    let lines = parse(document, from: stretch.lowerBound, eachOnItsLine, into: &values)
    if lines == nil {
      values.removeSubrange(before...)
      document.exchange(&text)
      // What the padding was written over.
      memcpy(text.base + stretch.upperBound, document.raw, min(rest, Document.padding))
    }
    retire(document)
    return lines
  }

  private func parse(
    _ document: Document, from start: Int, _ eachOnItsLine: Bool, into values: inout [Value]
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

  private func retire(_ document: Document) {
    // A document that had to grow for one large value gives its memory back.
    if document.rawCapacity > size * 4 { return }
    if used.count == Self.mostInUse { used.removeFirst() }
    used.append(document)
  }

  /// The document of which all values were let go last: its memory is still in the caches.
  private func takeUnused() -> Document? {
    for place in used.indices.reversed() where isKnownUniquelyReferenced(&used[place]) {
      let document = used.remove(at: place)
      document.reset()
      return document
    }
    return nil
  }
}
