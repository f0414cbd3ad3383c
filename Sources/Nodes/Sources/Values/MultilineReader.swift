import JSON

extension TextFormat {
  /// One array, whose elements are the values.
  static let array = TextFormat("array", beginsAnywhere: false) { MultilineReader($0, isArray: true) }
  /// Values in a row, which may be spread over lines.
  static let values = TextFormat("values") { MultilineReader($0, isArray: false) }
}

/// The decoder of values that are not one a line: spread over lines, in a row, or in one array.
///
/// The values' ends are found first, and the commas of the array blanked, so that many are parsed at once. After a
/// mistake that hides where a value ends, it goes on with the next line that begins as that value did, by its first
/// byte and how far it is indented: in a text of lines the next one, in an indented text the next value.
final class MultilineReader: Decoder {
  private let window: TextWindow
  private let limits: ReadLimits
  private let isArray: Bool
  var format: TextFormat { isArray ? .array : .values }
  private var place: Place
  /// What of the window has been looked at.
  private var seen = 0
  private var start = 0
  private var scanner = ValueScanner()
  private let found: PendingSpans
  /// How far the line is indented, nil where something else stood on it.
  private var indent: Int? = 0
  /// What the line to go on with begins with.
  private var wanted: (byte: UInt8, indent: Int?) = (0x7b, nil)

  private enum Place {
    case beforeArray, between, inValue, tooLong, afterArray, over
    /// Looking for the line to go on with, and at the beginning of one.
    case nextLine, lineStart
  }

  /// A mistake was met, and what comes now need not look as what was before.
  private(set) var isLost = false

  init(_ input: DecoderInput, isArray: Bool) {
    window = input.window
    limits = input.limits
    self.isArray = isArray
    found = PendingSpans(path: input.path, limits: limits, report: input.report)
    place = isArray ? .beforeArray : .between
  }

  /// Uses up the whole values of the window; at the end of the text, everything.
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
    case (.beforeArray, _): giveUp("there is no array at the top", into: &values)
    case (.afterArray, _):
      giveUp("the array is not the only thing there is; with `format: lines` each line is one", into: &values)
    case (_, 0x2c) where isArray:
      window.blank(seen)
      seen += 1
    case (_, 0x5d) where isArray:
      window.blank(seen)
      seen += 1
      place = .afterArray
    case (_, 0x2c), (_, 0x3a), (_, 0x5d), (_, 0x7d):
      flush(into: &values)
      stumble("no value begins like this", then: .nextLine)
    default:
      wanted = (byte, indent)
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
    case .flaw(let reason):
      if place == .tooLong {
        place = .nextLine
        return
      }
      flush(into: &values)
      stumble(reason, then: .nextLine)
    }
  }

  private func finish(into values: inout [Value]) {
    switch place {
    case .inValue:
      // A number or a word ends with the text; anything else is cut off.
      let value = ByteView(rebasing: window.bytes[start..<seen])
      if let first = value.first, first != 0x22, first != 0x5b, first != 0x7b {
        found.ranges.append(start..<seen)
        place = .between
      } else {
        flush(into: &values)
        stumble("it ends too early", then: .nextLine)
      }
    case .between where isArray:
      flush(into: &values)
      start = seen
      giveUp("the array ends too early", into: &values)
    default: break
    }
  }

  // MARK: - Using up

  private func flush(into values: inout [Value]) { move(found.parse(in: window, into: &values)) }

  private func drop(_ count: Int) {
    window.drop(count)
    move(count)
  }

  /// The window begins so many bytes further on.
  private func move(_ count: Int) {
    seen -= count
    start -= count
  }

  /// Reports the value that begins at `start`, and goes on as said.
  private func stumble(_ reason: String, then next: Place) {
    found.report(start, of: window, reason)
    place = next
    if next == .nextLine { seen = start }
  }

  private func giveUp(_ reason: String, into values: inout [Value]) {
    flush(into: &values)
    stumble(reason, then: .over)
    seen = window.count
  }
}
