import JSON
import System

/// A decoder of texts that can only be read as a whole.
final class WholeText: Decoder {
  let format: TextFormat
  private let input: DecoderInput
  private let decode: (ByteView) throws(TextFlaw) -> [Value]
  private var isTooLong = false
  private var isOver = false

  init(
    _ input: DecoderInput, _ format: TextFormat, _ decode: @escaping (ByteView) throws(TextFlaw) -> [Value]
  ) {
    self.input = input
    self.format = format
    self.decode = decode
  }

  func take(into values: inout [Value]) {
    let window = input.window
    if window.isFull, !isTooLong {
      isTooLong = true
      report(
        TextFlaw("the text is longer than \(input.limits.value) bytes"),
        ByteView(rebasing: window.bytes[..<0]))
    }
    if isTooLong { return window.drop(window.count, lines: 0) }
    guard window.isFinal, !isOver else { return }
    isOver = true
    if isUTF8(window.bytes), let flaw = BadText.encoding(input.path, window.bytes, lines: 0) {
      input.report(flaw)
      return window.drop(window.count)
    }
    do throws(TextFlaw) { values += try decode(window.bytes) } catch {
      // A text that a stopped run has not decoded is not wrong.
      if !input.budget.isStopped { report(error, window.bytes) }
    }
    window.drop(window.count)
  }

  /// Whether it must be UTF-8; markup may declare another encoding.
  private func isUTF8(_ text: ByteView) -> Bool {
    switch format {
    case .xml, .html: false
    case .feed: text.startsObject
    default: true
    }
  }

  /// Reports an error with the line of the text that it is on.
  private func report(_ flaw: TextFlaw, _ text: ByteView) {
    var start = 0
    for _ in 1..<max(1, flaw.line) {
      guard let stop = lineBreak(in: text, from: start) else { break }
      start = stop + 1
    }
    let end = lineBreak(in: text, from: start) ?? text.count
    let line = ByteView(rebasing: text[start..<end])
    input.report(
      BadText(path: input.path, line: flaw.line, column: flaw.column, reason: flaw.reason, text: line))
  }
}
