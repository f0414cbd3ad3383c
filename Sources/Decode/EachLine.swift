import CGlibc
import Glibc
import JSON
import System

/// The decoder of a text of lines, each decoded by itself, so that a bad one affects no other.
///
/// It finds the lines and reports those that are too long or not UTF-8; a format gives it the values of one line, which
/// is without its line break.
final class EachLine: LineDecoder {
  let format: TextFormat
  private let path: String
  private let window: TextWindow
  private let report: (BadText) -> Void
  private let limits: ReadLimits
  /// Parses lines of JSON together; nil for other lines.
  private let parser: ChunkParser?
  private let decode: (ByteView, inout [Value]) throws(TextFlaw) -> Void
  /// Whether it is within a line that is too long and has been reported.
  private var isSkipping = false

  init(
    _ input: DecoderInput, _ format: TextFormat, parser: ChunkParser? = nil,
    _ decode: @escaping (ByteView, inout [Value]) throws(TextFlaw) -> Void
  ) {
    self.format = format
    path = input.path
    window = input.window
    report = input.report
    limits = input.limits
    self.parser = parser
    self.decode = decode
  }

  func restart(inLine: Bool) { isSkipping = inLine }

  /// Consumes the whole lines of the window; at the end of the text, also a last line without a line break.
  func take(into values: inout [Value]) {
    if isSkipping, !finishSkipping() { return }
    let bytes = window.bytes
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if let last = memrchr(base, 0x0a, bytes.count) {
      let count = UnsafeRawPointer(last) - UnsafeRawPointer(base) + 1
      takeLines(ByteView(rebasing: bytes[..<count]), into: &values)
    } else if window.isFull {
      report(TextFlaw("the line is longer than \(limits.value) bytes"), bytes)
      isSkipping = true
      window.drop(bytes.count, lines: 0)
    } else if window.isFinal {
      takeLine(bytes, into: &values)
      window.drop(bytes.count, lines: 0)
    }
  }

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

  private func takeLines(_ chunk: ByteView, into values: inout [Value]) {
    // A few lines get documents of their own, so that keeping one value does not keep a large chunk.
    if let parser, chunk.count >= limits.together,
      window.parse(chunk.count, with: parser, eachOnItsLine: true, into: &values)
    {
      return
    }
    var start = 0
    while let stop = lineBreak(in: chunk, from: start) {
      takeLine(ByteView(rebasing: chunk[start..<stop]), into: &values)
      window.drop(stop + 1 - start, lines: 1)
      start = stop + 1
    }
  }

  private func takeLine(_ line: ByteView, into values: inout [Value]) {
    let text = line.last == 0x0d ? ByteView(rebasing: line.dropLast()) : line
    if let flaw = BadText.encoding(path, text, lines: window.lines) { return report(flaw) }
    do throws(TextFlaw) { try decode(text, &values) } catch { report(error, text) }
  }

  private func report(_ flaw: TextFlaw, _ text: ByteView) {
    report(
      BadText(path: path, line: window.lines + 1, column: flaw.column, reason: flaw.reason, text: text))
  }
}
