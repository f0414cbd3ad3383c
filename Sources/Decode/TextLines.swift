import Glibc
import JSON
import Language

extension TextFormat {
  /// Text: each line, or the whole.
  package static let text: TextFormat = .init(
    Variant(
      "text", "plain text: each line is a value, or the whole text is one",
      details: """
        A line that is not UTF-8 is an error, unless `charset`, a byte order mark or, over http, Content-Type names \
        another encoding. Lines end with a line feed or CR LF, which are not part of them.
        """,
      options: AnyOption.list(TextOptions.whole, Charset.option),
      examples: [
        .init("lines", "text", input: "one\ntwo", output: "\"one\"\n\"two\""),
        .init(
          "in another encoding", "{ text: { charset: iso-8859-2 } }", input: "one", output: "\"one\""),
        .init("the whole text", "{ text: { whole: true } }", input: "one\ntwo", output: "\"one\\ntwo\""),
      ]),
    isByLine: true, refusesPages: false
  ) { input in
    if input.options.map({ $0[TextOptions.whole] }) ?? false {
      return WholeText(input, .text) { text in [.string(text)] }
    }
    return TextLines(input)
  }
}

private enum TextOptions {
  static let whole = Option(
    "whole", .boolean, default: "false", "whether the whole text is one value; such a text cannot be followed"
  )
}

extension Decoding {
  /// How it is decoded only once it is complete; nil where its parts are decoded as they come.
  package var wholeText: String? {
    if format == .text { return options.map { $0[TextOptions.whole] } == true ? "as a whole" : nil }
    return [.feed, .html, .xml, .yaml, .form].contains(format) ? "as \(format.name)" : nil
  }

  /// Why the text of a growing file cannot be decoded so; nil if it can.
  package var followFlaw: String? {
    if let wholeText { return "a followed file is read line by line, not \(wholeText)" }
    if chosenCharset != nil { return "a followed file is read as UTF-8, without charset" }
    return format == .json || format.isByLine
      ? nil : "a followed file is read line by line, not as \(format.name)"
  }
}

/// The decoder of plain lines.
private final class TextLines: LineDecoder {
  var format: TextFormat { .text }
  private let path: String
  private let window: TextWindow
  private let report: (BadText) -> Void
  private let limits: ReadLimits
  /// Whether it is within a line that is too long and has been reported.
  private var isSkipping = false

  init(_ input: DecoderInput) {
    path = input.path
    window = input.window
    limits = input.limits
    report = input.report
  }

  func restart(inLine: Bool) { isSkipping = inLine }

  func take(into values: inout [Value]) {
    let bytes = window.bytes
    var start = 0
    var lines = 0
    while let stop = lineBreak(in: bytes, from: start) {
      if isSkipping { isSkipping = false } else { append(bytes[start..<stop], lines, to: &values) }
      start = stop + 1
      lines += 1
    }
    window.drop(start, lines: lines)
    if window.isFinal, window.count > 0 {
      if !isSkipping { append(window.bytes[...], 0, to: &values) }
      window.drop(window.count, lines: 0)
    } else if window.isFull || isSkipping {
      if !isSkipping {
        report(
          BadText(
            path: path, line: window.lines + 1, reason: "the line is longer than \(limits.value) bytes",
            text: window.bytes))
      }
      isSkipping = true
      window.drop(window.count, lines: 0)
    }
  }

  /// Appends a line that some lines of the window precede.
  private func append(_ line: Slice<ByteView>, _ lines: Int, to values: inout [Value]) {
    let text = ByteView(rebasing: line.last == 0x0d ? line.dropLast() : line)
    if let flaw = BadText.encoding(path, text, lines: window.lines + lines) { return report(flaw) }
    values.append(.string(text))
  }
}

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

  /// Whether it must be UTF-8: markup may declare another encoding, and YAML may be UTF-16.
  private func isUTF8(_ text: ByteView) -> Bool {
    switch format {
    case .text, .form: true
    case .feed: text.startsObject
    default: format == .yaml && text.first ?? 0 < 0xfe
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

/// Why a text cannot be decoded, and where.
struct TextFlaw: Error {
  var line: Int
  var column: Int?
  var reason: String

  init(_ reason: String, line: Int = 1, column: Int? = nil) {
    self.line = line
    self.column = column
    self.reason = reason
  }
}
