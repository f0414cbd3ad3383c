import JSON

/// Values whose ends are known, waiting to be parsed together.
final class PendingSpans {
  private let path: String
  private let limits: ReadLimits
  private let parser: ChunkParser
  private let report: (BadText) -> Void
  /// Their range in the window, with only white space between them.
  var ranges: [Range<Int>] = []

  init(path: String, limits: ReadLimits, report: @escaping (BadText) -> Void) {
    self.path = path
    self.limits = limits
    self.report = report
    parser = ChunkParser(size: limits.chunk)
  }

  /// Appends the values, reports those that are invalid, consumes the window to the end of the last one, and returns
  /// how many bytes that were.
  func parse(in window: TextWindow, into values: inout [Value]) -> Int {
    defer { ranges.removeAll(keepingCapacity: true) }
    guard let start = ranges.first?.lowerBound, let end = ranges.last?.upperBound else { return 0 }
    window.drop(start)
    // A few values get documents of their own, so that keeping one does not keep a large chunk.
    if end - start >= limits.together,
      window.parse(end - start, with: parser, eachOnItsLine: false, into: &values)
    {
      return end
    }
    for range in ranges {
      parse(range.lowerBound - start..<range.upperBound - start, of: window, into: &values)
    }
    window.drop(end - start)
    return end
  }

  private func parse(_ range: Range<Int>, of window: TextWindow, into values: inout [Value]) {
    let part = ByteView(rebasing: window.bytes[range])
    let flaw = BadText.encoding(
      path, part, lines: window.lines + window.lineBreaks(before: range.lowerBound), startsLine: false)
    if let flaw { return report(flaw) }
    do throws(ParseError) {
      values.append(try Value.parse(part))
    } catch {
      // The line is that of the value; the column is reported only if it is on that line.
      report(range.lowerBound, of: window, error.line == 1 ? error.reason : error.message)
    }
  }

  /// Reports what begins at an index of the window, with the rest of its line.
  func report(_ start: Int, of window: TextWindow, _ reason: String) {
    let bytes = window.bytes
    let text = ByteView(rebasing: bytes[start..<(lineBreak(in: bytes, from: start) ?? bytes.count)])
    let line = window.lines + window.lineBreaks(before: start) + 1
    report(BadText(path: path, line: line, reason: reason, text: text))
  }
}
