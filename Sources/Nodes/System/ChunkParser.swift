import Glibc
import JSON

/// Parses chunks of whole values, all with one `Reader`, which uses its memory again.
final class ChunkParser {
  private let feed = Feed()
  private let chunkSize: Int
  private var reader: Reader?

  init(chunkSize: Int) { self.chunkSize = chunkSize }

  /// Appends the values of a chunk; where it is not all whole JSON values, appends nothing and says so.
  func parse(_ chunk: ByteView, into values: inout [Value]) -> Bool {
    let reader = self.reader ?? Reader(chunkSize: chunkSize) { [feed] buffer in feed.read(into: buffer) }
    self.reader = reader
    feed.begin(chunk)
    let before = values.count
    while let value = try? reader.next() {
      if feed.isMarked { return true }
      values.append(value)
    }
    values.removeSubrange(before...)
    self.reader = nil
    return false
  }

  /// Gives the reader a chunk, then a `null` that shows whether the chunk was whole.
  ///
  /// A reader has no word for "all used up". But a `null` on a line of its own can end no value that was begun
  /// before: it comes out as a value just where nothing is left over.
  private final class Feed {
    var isMarked = false
    private var rest = ByteView(start: nil, count: 0)
    private var needsBreak = false
    private static let lineBreak: [UInt8] = [0x0a]
    private static let mark = Array("null\n".utf8)

    func begin(_ chunk: ByteView) {
      rest = chunk
      isMarked = false
      // A number is not over before something else follows it.
      needsBreak = chunk.last != 0x0a
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      if !rest.isEmpty {
        let count = min(rest.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(ByteView(rebasing: rest[..<count])))
        rest = ByteView(rebasing: rest[count...])
        return count
      }
      if isMarked { return 0 }
      isMarked = !needsBreak
      let text = needsBreak ? Feed.lineBreak : Feed.mark
      needsBreak = false
      buffer.copyBytes(from: text)
      return text.count
    }
  }
}
