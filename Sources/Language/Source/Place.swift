/// A stretch of bytes in a file: what an error points at.
public struct SourceRange: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let file: SourceFile
  public let range: Range<Int>

  /// The range is cut to what the file has.
  public init(_ file: SourceFile, _ range: Range<Int>) {
    self.file = file
    let start = min(max(0, range.lowerBound), file.bytes.count)
    self.range = start..<min(max(start, range.upperBound), file.bytes.count)
  }

  public var position: SourceFile.Position { file.position(of: range.lowerBound) }

  /// As in `pipelines/launches.yaml:9:5`.
  public var description: String { "\(file.path):\(position)" }

  public static func == (left: SourceRange, right: SourceRange) -> Bool {
    left.file.path == right.file.path && left.range == right.range
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(file.path)
    hasher.combine(range)
  }

  public static func < (left: SourceRange, right: SourceRange) -> Bool {
    (left.file.path, left.range.lowerBound, left.range.upperBound)
      < (right.file.path, right.range.lowerBound, right.range.upperBound)
  }
}
