import Glibc
import JSON

/// The position of the next line break.
@inline(__always)
func lineBreak(in text: ByteView, from start: Int) -> Int? {
  guard start < text.count, let base = text.baseAddress,
    let found = memchr(base + start, 0x0a, text.count - start)
  else { return nil }
  return UnsafeRawPointer(found) - UnsafeRawPointer(base)
}

extension ByteView {
  /// The bytes before the first line break.
  var firstLine: ByteView { ByteView(rebasing: self[..<(lineBreak(in: self, from: 0) ?? count)]) }

  /// Whether it is JSON rather than XML.
  package var startsObject: Bool {
    first { !isSpace($0) && ![0xef, 0xbb, 0xbf].contains($0) } == 0x7b
  }
}

/// JSON's white space.
@inline(__always)
package func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
