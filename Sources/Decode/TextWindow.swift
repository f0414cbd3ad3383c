import System
import Glibc
import JSON

/// The part of a text that has been read but not consumed, and its offset in the text.
package final class TextWindow {
  /// Bytes consumed before the window.
  package private(set) var position: Int
  /// Line breaks consumed before the window.
  private(set) var lines: Int
  /// The values further on that are known not to end; kept here since that holds for any decoder.
  var endless = EndlessValues()
  /// Whether the text ends with the window.
  private(set) var isFinal = false

  private var text: TextBuffer
  private var start = 0
  private var end = 0
  private let usualCapacity: Int
  private let largestCapacity: Int

  /// A window that grows to `limit` bytes, and one more if it must.
  package init(chunk: Int, limit: Int, position: Int = 0, lines: Int = 0) {
    largestCapacity = limit + 1
    usualCapacity = min(chunk, largestCapacity)
    text = TextBuffer(capacity: usualCapacity)
    self.position = position
    self.lines = lines
  }

  var bytes: ByteView { ByteView(rebasing: ByteView(text.memory)[start..<end]) }
  package var count: Int { end - start }
  var isFull: Bool { end - start == largestCapacity }

  /// Reads more data and returns how many bytes; nil if the window is full.
  package func fill(_ read: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int) throws(FileFailure)
    -> Int?
  {
    makeRoom()
    guard end < capacity else { return nil }
    let count = try read(UnsafeMutableRawBufferPointer(.init(rebasing: text.memory[end..<capacity])))
    end += count
    return count
  }

  /// Notes that the text has ended.
  package func finish() { isFinal = true }

  /// Consumes the first bytes.
  func drop(_ count: Int, lines: Int) {
    start += count
    position += count
    self.lines += lines
  }

  /// Consumes the first bytes, whose line breaks have not been counted yet.
  func drop(_ count: Int) { drop(count, lines: lineBreaks(before: count)) }

  /// Parses the first bytes, which must be whole values, and consumes them; returns false, and changes nothing, if they
  /// are not.
  func parse(
    _ count: Int, with parser: ChunkParser, eachOnItsLine: Bool, into values: inout [Value]
  ) -> Bool {
    let found = parser.parse(
      &text, start..<(start + count), of: end, eachOnItsLine: eachOnItsLine, into: &values)
    guard let found else { return false }
    end -= start + count
    start = 0
    position += count
    lines += found
    return true
  }

  func lineBreaks(before count: Int) -> Int {
    let part = ByteView(rebasing: bytes[..<count])
    var found = 0
    var at = 0
    while let next = lineBreak(in: part, from: at) {
      found += 1
      at = next + 1
    }
    return found
  }

  /// Begins again with another text, or with this one at another offset.
  package func restart(at position: Int = 0) {
    start = 0
    end = 0
    self.position = position
    lines = 0
    isFinal = false
  }

  /// Replaces a byte with a space, which separates its neighbours.
  func blank(_ index: Int) { text.memory[start + index] = 0x20 }

  /// The free space in bytes.
  private var capacity: Int { min(text.capacity, largestCapacity) }

  private func makeRoom() {
    let kept = count
    let wanted: Int
    if kept >= capacity {
      wanted = min(capacity * 2, largestCapacity)
    } else {
      // A window that had grown for one large value releases its memory.
      wanted = capacity > usualCapacity * 4 && kept < usualCapacity ? usualCapacity : capacity
    }
    if wanted != capacity {
      let larger = TextBuffer(capacity: wanted)
      copy(kept, to: larger.memory)
      text = larger
    } else if start > 0 {
      copy(kept, to: text.memory)
    }
    start = 0
    end = kept
  }

  private func copy(_ count: Int, to memory: UnsafeMutableBufferPointer<UInt8>) {
    guard count > 0, let from = bytes.baseAddress, let to = memory.baseAddress else { return }
    memmove(to, from, count)
  }
}
