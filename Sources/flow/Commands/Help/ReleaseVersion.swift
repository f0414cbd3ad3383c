/// A version, `MAJOR.MINOR.PATCH`, found in a text such as the title of a release.
///
///     ReleaseVersion(in: "flow v0.3.0: pages")    // 0.3.0
///     ReleaseVersion(in: "v0.3.0-rc.1")           // nil: it comes before that release
struct ReleaseVersion: Comparable, Hashable, CustomStringConvertible {
  private let parts: [Int]

  init?(in text: String) {
    // Digits and points that stand together.
    let pieces = text.split { !($0.isASCII && ($0.isNumber || $0 == ".")) }
    for piece in pieces {
      let numbers = piece.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 3, !numbers.contains(nil) else { continue }
      if text[piece.endIndex...].first == "-" { return nil }
      parts = numbers.compactMap { $0 }
      return
    }
    return nil
  }

  static func < (left: Self, right: Self) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }

  var description: String { parts.map { "\($0)" }.joined(separator: ".") }
}
