/// A map from each byte of a scalar's text to its place in the file.
struct TextMap: Sendable {
  /// From this byte of the text on, byte by byte as in the file, or (an escape, a fold) all from one range of it.
  private struct Run: Sendable {
    var text: Int
    var file: Int
    /// The length in the file of what all the bytes come from; nil when they stand there as they are.
    var stretch: Int?
  }

  private var runs: [Run] = []
  /// The length of the text.
  private(set) var count = 0

  /// Appends `count` bytes that are in the file as they are.
  mutating func append(_ count: Int, verbatimAt file: Int) {
    if count == 0 { return }
    if let last = runs.last, last.stretch == nil, last.file + (self.count - last.text) == file {
      self.count += count
      return
    }
    runs.append(Run(text: self.count, file: file, stretch: nil))
    self.count += count
  }

  /// Appends `count` bytes that come from that range of the file.
  mutating func append(_ count: Int, from file: Range<Int>) {
    if count == 0 { return }
    runs.append(Run(text: self.count, file: file.lowerBound, stretch: file.count))
    self.count += count
  }

  /// The part of the file that a byte of the text comes from; for the end of the text, the end of its last byte.
  func file(of offset: Int) -> Range<Int> {
    if offset >= count, count > 0 {
      let last = file(of: count - 1)
      return last.upperBound..<last.upperBound
    }
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].text <= offset { low = middle } else { high = middle }
    }
    guard low < runs.count else { return 0..<0 }
    let run = runs[low]
    if let stretch = run.stretch { return run.file..<run.file + stretch }
    let start = run.file + max(0, offset - run.text)
    return start..<start + 1
  }

  /// The part of the file that a part of the text comes from.
  func file(of range: Range<Int>) -> Range<Int> {
    let first = file(of: range.lowerBound)
    if range.isEmpty { return first.lowerBound..<first.lowerBound }
    return first.lowerBound..<max(first.upperBound, file(of: range.upperBound - 1).upperBound)
  }

  /// Appends a part of another map.
  mutating func append(_ range: Range<Int>, of other: TextMap) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let place = other.file(of: offset)
      if place.count == 1 { append(1, verbatimAt: place.lowerBound) } else { append(1, from: place) }
      offset += 1
    }
  }
}
