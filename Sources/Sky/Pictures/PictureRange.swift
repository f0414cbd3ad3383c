// Parts of a file, as a request asks for them.

/// What a `Range` header means for a file of some length.
enum PictureRange: Equatable {
  /// The whole file: the header is none that is understood, or asks for several parts.
  case whole
  case part(Range<Int>)
  /// There is nothing of the file there.
  case outside

  init(_ header: String, length: Int) {
    self = .whole
    guard header.hasPrefix("bytes=") else { return }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
    switch (first, last) {
    case (let first?, nil) where ends[1].isEmpty: self = first < length ? .part(first..<length) : .outside
    case (nil, let count?) where ends[0].isEmpty:
      self = count > 0 && length > 0 ? .part(max(0, length - count)..<length) : .outside
    case (let first?, let last?) where first <= last:
      self = first < length ? .part(first..<min(last, length - 1) + 1) : .outside
    default: break
    }
  }

  /// A number too long to be one is past each file's end.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text.prefix(17))
  }
}
