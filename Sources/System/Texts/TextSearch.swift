// Searching and replacing in texts, byte by byte.
//
// The standard library's own functions for this are part of its engine of regular expressions, which would add more than
// a megabyte to the binary.

extension StringProtocol {
  /// The first place of a text that is not empty.
  ///
  ///     "a://b".place(of: "://")
  package func place(of text: String) -> Range<Index>? {
    let wanted = text.utf8
    guard let first = wanted.first else { return nil }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      if utf8[start...].starts(with: wanted) { return start..<utf8.index(start, offsetBy: wanted.count) }
      rest = utf8[utf8.index(after: start)...]
    }
    return nil
  }

  package func has(_ text: String) -> Bool { place(of: text) != nil }

  /// The text with each place of `old`, from the left, replaced.
  package func replacing(_ old: String, by new: String) -> String {
    var result = ""
    var rest = self[...]
    while let place = rest.place(of: old) {
      result += rest[..<place.lowerBound]
      result += new
      rest = rest[place.upperBound...]
    }
    return result + String(rest)
  }
}
