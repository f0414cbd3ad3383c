import JSON
import Language

extension TextFormat {
  /// One array, whose elements are the values.
  package static let array: TextFormat = .init(
    Variant(
      "array", "one JSON array, whose elements are the values",
      examples: [.init("an array", "array", input: "[1,\n 2]", output: "1\n2")]),
    beginsAnywhere: false
  ) { MultilineReader($0, isArray: true) }

  /// Values in a row, which may span lines.
  package static let values: TextFormat = .init(
    Variant(
      "values", "JSON values in a row, which may span lines",
      examples: [.init("an indented value", "values", input: "{\n  \"n\": 1\n}\n2", output: "{\"n\":1}\n2")])
  ) { MultilineReader($0, isArray: false) }
}

/// The decoder of values that are not one per line: spanning lines, in a row, or in one array.
///
/// It finds the ends of the values first, and blanks the commas of the array, so that many values are parsed at once.
/// After an error that hides where a value ends, it continues with the next line that begins like that value, with the
/// same byte and indentation: the next line of a text of lines, the next value of an indented text.
final class MultilineReader: Decoder {
  private let window: TextWindow
  private let limits: ReadLimits
  private let isArray: Bool
  var format: TextFormat { isArray ? .array : .values }
  private var place: Place
  /// How far the window has been scanned.
  private var seen = 0
  private var start = 0
  private var scanner = ValueScanner()
  private let found: PendingSpans
  /// The indentation of the current line; nil if it contains something else.
  private var indent: Int? = 0
  /// The beginning of the line to continue with.
  private var wanted: (byte: UInt8, indent: Int?) = (0x7b, nil)

  private enum Place {
    case beforeArray, between, inValue, tooLong, afterArray, over
    /// Looking for the line to continue with, and at the beginning of a line.
    case nextLine, lineStart
  }

  /// Whether an error was met, after which the format may differ from what was detected.
  private(set) var isLost = false

  init(_ input: DecoderInput, isArray: Bool) {
    window = input.window
    limits = input.limits
    self.isArray = isArray
    found = PendingSpans(path: input.path, limits: limits, report: input.report)
    place = isArray ? .beforeArray : .between
  }

  /// Consumes the complete values of the window; at the end of the text, everything.
  func take(into values: inout [Value]) {
    isLost = false
    while seen < window.count, !isLost { step(into: &values) }
    if window.isFinal, seen == window.count { finish(into: &values) }
    flush(into: &values)
    drop(place == .inValue ? start : seen)
    if place == .inValue, window.isFull {
      stumble("the value is longer than \(limits.value) bytes", then: .tooLong)
      drop(window.count)
    }
  }

  private func step(into values: inout [Value]) {
    let bytes = window.bytes
    let byte = bytes[seen]
    switch place {
    case .beforeArray, .between, .afterArray:
      if isSpace(byte) {
        seen += 1
        indent = byte == 0x0a ? 0 : indent.map { $0 + 1 }
      } else {
        begin(byte, into: &values)
      }
    case .inValue, .tooLong: follow(bytes, into: &values)
    case .nextLine:
      let stop = lineBreak(in: bytes, from: seen)
      seen = stop.map { $0 + 1 } ?? bytes.count
      if stop != nil { place = .lineStart }
      indent = 0
    case .lineStart:
      if isSpace(byte) {
        seen += 1
        indent = byte == 0x0a ? 0 : indent.map { $0 + 1 }
      } else if byte == wanted.byte, wanted.indent == nil || wanted.indent == indent {
        place = .between
        isLost = true
      } else {
        place = .nextLine
      }
    case .over: seen = bytes.count
    }
  }

  private func begin(_ byte: UInt8, into values: inout [Value]) {
    start = seen
    defer { indent = nil }
    switch (place, byte) {
    case (.beforeArray, 0x5b):
      seen += 1
      place = .between
    case (.beforeArray, _): giveUp("the text is not an array", into: &values)
    case (.afterArray, _):
      giveUp("there is more text after the array; use `decode: lines` for one array per line", into: &values)
    case (_, 0x2c) where isArray:
      window.blank(seen)
      seen += 1
    case (_, 0x5d) where isArray:
      window.blank(seen)
      seen += 1
      place = .afterArray
    case (_, 0x2c), (_, 0x3a), (_, 0x5d), (_, 0x7d):
      flush(into: &values)
      stumble("not the beginning of a value", then: .nextLine)
    default:
      wanted = (byte, indent)
      if let reason = window.endless.reason(at: window.position + start) {
        flush(into: &values)
        return stumble(reason, then: .nextLine)
      }
      scanner = ValueScanner()
      place = .inValue
    }
  }

  private func follow(_ bytes: ByteView, into values: inout [Value]) {
    switch scanner.advance(bytes, from: seen) {
    case .more: seen = bytes.count
    case .whole(let end):
      if place == .inValue { found.ranges.append(start..<end) }
      seen = end
      place = .between
    case .flaw(let reason, let end):
      if place == .tooLong {
        place = .nextLine
        return
      }
      fail(reason, before: end, into: &values)
    }
  }

  private func finish(into values: inout [Value]) {
    switch place {
    case .inValue:
      // A number or a word ends with the text; anything else is incomplete.
      let value = ByteView(rebasing: window.bytes[start..<seen])
      if let first = value.first, first != 0x22, first != 0x5b, first != 0x7b {
        found.ranges.append(start..<seen)
        place = .between
      } else {
        fail("unexpected end", before: seen, into: &values)
      }
    case .between where isArray:
      flush(into: &values)
      start = seen
      giveUp("unexpected end of the array", into: &values)
    default: break
    }
  }

  // MARK: - Consuming the window

  private func flush(into values: inout [Value]) { move(found.parse(in: window, into: &values)) }

  private func drop(_ count: Int) {
    window.drop(count)
    move(count)
  }

  /// Moves the beginning of the window.
  private func move(_ count: Int) {
    seen -= count
    start -= count
  }

  /// Reports the value that begins at `start`, and continues in the given place.
  private func stumble(_ reason: String, then next: Place) {
    found.report(start, of: window, reason)
    place = next
    if next == .nextLine { seen = start }
  }

  /// Reports a value whose end cannot be found, because of what is met at an index.
  private func fail(_ reason: String, before end: Int, into values: inout [Value]) {
    window.endless = EndlessValues(
      reason, in: ByteView(rebasing: window.bytes[start..<end]), at: window.position + start)
    flush(into: &values)
    stumble(reason, then: .nextLine)
  }

  private func giveUp(_ reason: String, into values: inout [Value]) {
    flush(into: &values)
    stumble(reason, then: .over)
    seen = window.count
  }
}

/// The values within one whose end cannot be found that have none for the same reason.
///
/// To look for the end of each of them would take quadratic time where many lines begin with a bracket.
struct EndlessValues {
  private let reason: String
  /// Their offsets in the text, ascending.
  private var starts: ArraySlice<Int> = []

  init() { reason = "" }

  init(_ reason: String, in value: ByteView, at start: Int) {
    self.reason = reason
    starts = ValueScanner.openings(value).map { start + $0 }[...]
  }

  /// The reason why the value at an offset has no end; nil where nothing is known of it.
  ///
  /// Offsets ascend.
  mutating func reason(at start: Int) -> String? {
    starts = starts.drop { $0 < start }
    return starts.first == start ? reason : nil
  }
}

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
    var consumed = start
    for range in ranges {
      // Consumed up to each value, so that the lines before it are counted once, however many are invalid.
      window.drop(range.lowerBound - consumed)
      consumed = range.lowerBound
      parse(range.count, of: window, into: &values)
    }
    window.drop(end - consumed)
    return end
  }

  /// Parses the first bytes of the window.
  private func parse(_ count: Int, of window: TextWindow, into values: inout [Value]) {
    let part = ByteView(rebasing: window.bytes[..<count])
    if let flaw = BadText.encoding(path, part, lines: window.lines, startsLine: false) { return report(flaw) }
    do throws(ParseError) {
      values.append(try Value.parse(part))
    } catch {
      // The line is that of the value; the column is reported only if it is on that line.
      report(0, of: window, error.line == 1 ? error.reason : error.message)
    }
  }

  /// Reports what begins at an index of the window, with the rest of its line.
  func report(_ start: Int, of window: TextWindow, _ reason: String) {
    let text = BadText.beginning(of: ByteView(rebasing: window.bytes[start...]))
    let line = window.lines + window.lineBreaks(before: start) + 1
    report(BadText(path: path, line: line, reason: reason, text: text))
  }
}
