import CGlibc
import Glibc
import JSON
import Language

extension TextFormat {
  /// One value, or several, on each line.
  package static let lines: TextFormat = .init(
    Variant(
      "lines", "JSON values, one or several on each line", options: AnyOption.list(Charset.option),
      examples: [
        .init("a log", "lines", input: "{\"n\":1}\n{\"n\":2} 3", output: "{\"n\":1}\n{\"n\":2}\n3"),
        .init(
          "in another encoding", "{ lines: { charset: windows-1252 } }", input: "{\"n\":1}",
          output: "{\"n\":1}"),
      ]),
    isByLine: true
  ) { LineValues($0) }
}

/// The decoder of lines; each is read by itself, so that a bad one affects no other.
final class LineValues: LineDecoder {
  var format: TextFormat { .lines }
  private let path: String
  private let window: TextWindow
  private let parser: ChunkParser
  private let report: (BadText) -> Void
  private let limits: ReadLimits
  /// Whether it is within a line that is too long and has been reported.
  private var isSkipping = false

  init(_ input: DecoderInput) {
    path = input.path
    window = input.window
    limits = input.limits
    report = input.report
    parser = ChunkParser(size: limits.chunk)
  }

  /// Consumes the whole lines of the window; at the end of the text, also a last line without a line break.
  func take(into values: inout [Value]) {
    if isSkipping, !finishSkipping() { return }
    let bytes = window.bytes
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if let last = memrchr(base, 0x0a, bytes.count) {
      let count = UnsafeRawPointer(last) - UnsafeRawPointer(base) + 1
      take(ByteView(rebasing: bytes[..<count]), into: &values)
    } else if window.isFull {
      report(bytes, "the line is longer than \(limits.value) bytes")
      isSkipping = true
      window.drop(bytes.count, lines: 0)
    } else if window.isFinal {
      takeLine(bytes, into: &values)
      window.drop(bytes.count, lines: 0)
    }
  }

  func restart(inLine: Bool) { isSkipping = inLine }

  private func finishSkipping() -> Bool {
    let bytes = window.bytes
    if let stop = lineBreak(in: bytes, from: 0) {
      isSkipping = false
      window.drop(stop + 1, lines: 1)
      return true
    }
    window.drop(bytes.count, lines: 0)
    return false
  }

  private func take(_ chunk: ByteView, into values: inout [Value]) {
    // A few lines get documents of their own, so that keeping one value does not keep a large chunk.
    if chunk.count >= limits.together,
      window.parse(chunk.count, with: parser, eachOnItsLine: true, into: &values)
    {
      return
    }
    var start = 0
    while start < chunk.count {
      let stop = lineBreak(in: chunk, from: start) ?? chunk.count
      takeLine(ByteView(rebasing: chunk[start..<stop]), into: &values)
      window.drop(stop + 1 - start, lines: 1)
      start = stop + 1
    }
  }

  private func takeLine(_ line: ByteView, into values: inout [Value]) {
    if let flaw = BadText.encoding(path, line, lines: window.lines) { return report(flaw) }
    do throws(ParseError) {
      values.append(contentsOf: try Value.parseAll([UInt8](line)))
    } catch {
      report(line, error.reason)
    }
  }

  private func report(_ text: ByteView, _ reason: String) {
    report(BadText(path: path, line: window.lines + 1, reason: reason, text: text))
  }
}

/// The position of the next line break.
@inline(__always)
func lineBreak(in text: ByteView, from start: Int) -> Int? {
  guard start < text.count, let base = text.baseAddress,
    let found = memchr(base + start, 0x0a, text.count - start)
  else { return nil }
  return UnsafeRawPointer(found) - UnsafeRawPointer(base)
}

extension ByteView {
  var firstLine: ByteView { ByteView(rebasing: self[..<(lineBreak(in: self, from: 0) ?? count)]) }
}

extension ByteView {
  /// Whether it is JSON rather than XML.
  package var startsObject: Bool {
    first { !isSpace($0) && ![0xef, 0xbb, 0xbf].contains($0) } == 0x7b
  }
}

/// JSON's white space.
@inline(__always)
package func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

/// Values that were parsed together and are returned in batches.
package struct Batches {
  package var values: [Value] = []
  private var handedOut = 0
  /// The offset in the text at which the values begin.
  private var start = 0

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  /// Begins again with values from an offset on; all earlier ones have been returned.
  package mutating func begin(at position: Int) {
    values = []
    handedOut = 0
    start = position
  }

  /// The next values, at most `count`; nil after the last.
  package mutating func next(_ limit: Int) -> [Value]? {
    guard !values.isEmpty else { return nil }
    if handedOut == 0, values.count <= limit {
      defer { values = [] }
      return values
    }
    let end = min(handedOut + limit, values.count)
    defer {
      handedOut = end
      if end == values.count { values = [] }
    }
    return Array(values[handedOut..<end])
  }

  /// Where reading would have to resume: an offset, and the number of values to skip; `end` is the end of these values.
  package func position(end: Int) -> (offset: Int, values: Int) {
    values.isEmpty ? (end, 0) : (start, handedOut)
  }
}
