import Glibc
import JSON

/// The part of a text that has been read and not been used up, and where in the text that is.
final class TextWindow {
  /// Bytes used up before the window.
  private(set) var position: Int
  /// Line breaks used up before the window.
  private(set) var lines: Int
  /// Nothing comes after the window.
  private(set) var isFinal = false

  private var base: UnsafeMutablePointer<UInt8>
  private var start = 0
  private var end = 0
  private var capacity: Int
  private let usualCapacity: Int
  private let largestCapacity: Int

  /// A window that grows to `limit` bytes and one more where it must.
  init(chunk: Int, limit: Int, position: Int = 0, lines: Int = 0) {
    largestCapacity = limit + 1
    usualCapacity = min(chunk, largestCapacity)
    capacity = usualCapacity
    base = .allocate(capacity: capacity)
    self.position = position
    self.lines = lines
  }

  deinit { base.deallocate() }

  var bytes: ByteView { ByteView(start: base + start, count: end - start) }
  var count: Int { end - start }
  var isFull: Bool { end - start == largestCapacity }

  /// Reads more behind what there is, and says how many bytes; nil where the window is full.
  func fill(_ read: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int) throws(FileFailure) -> Int? {
    makeRoom()
    guard end < capacity else { return nil }
    let count = try read(UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end))
    end += count
    return count
  }

  /// Says that the text is over.
  func finish() { isFinal = true }

  /// Takes the first bytes away.
  func drop(_ count: Int, lines: Int) {
    start += count
    position += count
    self.lines += lines
  }

  /// The same, where the line breaks have not been counted yet.
  func drop(_ count: Int) { drop(count, lines: lineBreaks(before: count)) }

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

  /// Begins with another text, or with this one at another place.
  func restart(at position: Int = 0) {
    start = 0
    end = 0
    self.position = position
    lines = 0
    isFinal = false
  }

  /// Writes a space over a byte, which then separates what stood beside it.
  func blank(_ index: Int) { base[start + index] = 0x20 }

  private func makeRoom() {
    let kept = count
    let wanted: Int
    if kept >= capacity {
      wanted = min(capacity * 2, largestCapacity)
    } else {
      // What had to grow for one large value gives its memory back.
      wanted = capacity > usualCapacity * 4 && kept < usualCapacity ? usualCapacity : capacity
    }
    if wanted != capacity {
      let other = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
      memcpy(other, base + start, kept)
      base.deallocate()
      base = other
      capacity = wanted
    } else if start > 0 {
      memmove(base, base + start, kept)
    }
    start = 0
    end = kept
  }
}
