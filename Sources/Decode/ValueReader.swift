import JSON
import Language
import System

/// A text format: its declaration as a variant of `decode`, and the decoder that reads it.
package struct TextFormat: Equatable, Sendable {
  /// JSON, its layout detected: an array if the text begins with a bracket, values if the first line is incomplete,
  /// else lines.
  package static let json: TextFormat = .init(
    Variant(
      "json", "JSON values in any layout: one per line, one array, or values in a row",
      examples: [
        .init(
          "values on lines of their own", "json", input: "{\"n\":1}\n{\"n\":2}",
          output: "{\"n\":1}\n{\"n\":2}"),
        .init("an array", "json", input: "[1,\n 2]", output: "1\n2"),
      ])
  ) { EachLine.json($0) }

  /// All formats, in the order in which they are listed; a new decoder adds its own here.
  package static let all: [TextFormat] = [
    json, lines, array, values, text, csv, tsv, feed, xml, html, yaml, form,
  ]

  package let variant: Variant
  /// Whether a decoder can begin at any value; otherwise a file is read again from its start, skipping what was sent.
  package let beginsAnywhere: Bool
  /// Whether each line is decoded by itself, so that a file can be followed; its decoder is a `LineDecoder`.
  let isByLine: Bool
  /// Whether a text is decoded only once it is complete; its decoder is `WholeText`.
  let isWhole: Bool
  /// Whether an HTML page in its place is an error, as the page of a proxy or a login is.
  package let refusesPages: Bool
  let decoder: @Sendable (DecoderInput) -> any Decoder

  init(
    _ variant: Variant, beginsAnywhere: Bool = true, isByLine: Bool = false, isWhole: Bool = false,
    refusesPages: Bool = true,
    decoder: @escaping @Sendable (DecoderInput) -> any Decoder
  ) {
    self.variant = variant
    self.beginsAnywhere = beginsAnywhere && !isWhole
    (self.isByLine, self.isWhole) = (isByLine, isWhole)
    self.refusesPages = refusesPages
    self.decoder = decoder
  }

  package var name: String { variant.name }

  package static func named(_ name: String) -> TextFormat? { all.first { $0.name == name } }

  /// The format that a file is in by its name; nil where that says nothing.
  package static func named(after path: String) -> TextFormat? {
    let end = path.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
    let others = [
      "yml": "yaml", "htm": "html", "rss": "feed", "atom": "feed", "jsonl": "lines", "ndjson": "lines",
      "txt": "text",
    ]
    return named(others[end.lowercased()] ?? end.lowercased())
  }

  package static func == (left: TextFormat, right: TextFormat) -> Bool { left.name == right.name }
}

/// A decoder: parses the values in a window, as far as it reaches.
package protocol Decoder: AnyObject {
  var format: TextFormat { get }
  /// Consumes the complete values of the window; at the end of the text, everything.
  ///
  /// Text that it cannot read is reported and skipped.
  func take(into values: inout [Value])
  /// Whether it has lost its place after an error, so that the format may be detected again.
  var isLost: Bool { get }
}

extension Decoder {
  package var isLost: Bool { false }
}

/// A decoder of lines, each by itself.
package protocol LineDecoder: Decoder {
  /// Begins with another text, skipping the rest of a line if it begins within one.
  func restart(inLine: Bool)
}

/// The parameters of a decoder.
struct DecoderInput {
  let path: String
  let window: TextWindow
  let limits: ReadLimits
  /// The options of its format; nil for the defaults.
  var options: Options?
  /// The absolute address of a link in the text; nil for one that cannot be resolved.
  var resolve: (String) -> String? = { $0 }
  /// The encoding that a server has named.
  var charset: String?
  /// Where the columns of a polled table are noted.
  var columns: PolledColumns?
  var budget = DecodeBudget()
  var notes = DecodeNotes.silent
  let report: (BadText) -> Void
}

/// Reads the values of a text in batches; text that cannot be decoded is reported and skipped.
///
///     let reader = ValueReader(try InputFile("launches.jsonl"), path: "launches.jsonl") { print($0) }
///     while case let batch = try reader.nextBatch(), !batch.isEmpty { … }
package final class ValueReader {
  private let source: any ByteSource
  /// The source, where it may be in another encoding than UTF-8.
  private let converted: ConvertedSource?
  private let path: String
  private let limits: ReadLimits
  private let report: (BadText) -> Void
  private let decoding: Decoding
  private let columns: PolledColumns?
  private var format: TextFormat { decoding.format }
  private let window: TextWindow
  /// Nil until the format has been detected.
  private var decoder: (any Decoder)?
  private var batches = Batches()
  /// Whether to leave a last line without a line break for a later reader, because it may still be written.
  private let leavesUnfinishedLine: Bool
  /// Whether the rest of the window is an incomplete value that will not be read now.
  private var isCutShort = false

  /// A reader of a source that is already at `position`.
  package init(
    _ source: any ByteSource, path: String, _ decoding: Decoding = .json, position: Int = 0, lines: Int = 0,
    limits: ReadLimits = ReadLimits(), leavesUnfinishedLine: Bool = false,
    columns: PolledColumns? = nil, report: @escaping (BadText) -> Void
  ) {
    let charset = decoding.chosenCharset
    converted = decoding.heedsMark || charset != nil ? ConvertedSource(source, from: charset) : nil
    self.source = converted ?? source
    self.leavesUnfinishedLine = leavesUnfinishedLine
    self.path = path
    self.decoding = decoding
    self.limits = limits
    self.columns = columns
    self.report =
      charset.map { name in { report($0.converted(from: name)) } }
      ?? converted.map { source in
        { report(source.isConverting ? $0.converted(from: "utf-16") : $0) }
      } ?? report
    window = TextWindow(chunk: limits.chunk, limit: limits.value, position: position, lines: lines)
    if format != .json { decoder = make(format) }
  }

  /// Where a reader would have to begin to return what this one has not: an offset, and the number of values to skip.
  ///
  /// Within an array, the only such offset is its beginning.
  package var position: (offset: Int, values: Int) { batches.position(end: window.position) }

  /// Line breaks read.
  package var lines: Int { window.lines }

  /// Whether the text has other offsets than its source.
  package var isConverted: Bool { converted?.isConverting ?? false }

  /// The format of the text, as far as it has been detected.
  package var foundFormat: TextFormat { decoder?.format ?? format }

  /// The next values; empty at the end.
  package func nextBatch() throws(FileFailure) -> [Value] {
    while true {
      if let batch = batches.next(limits.batch) { return batch }
      dropMark()
      if decoder == nil { decoder = try detect() }
      let before = window.position
      batches.begin(at: before)
      take()
      guard batches.isEmpty else { continue }
      if isCutShort { return [] }
      if window.isFinal, window.count == 0 { return [] }
      if window.position == before { try fill() }
    }
  }

  private func take() {
    guard let decoder else { return }
    decoder.take(into: &batches.values)
    if format == .json, decoder.isLost { self.decoder = nil }
  }

  /// Skips a byte order mark at the very beginning.
  private func dropMark() {
    if window.position == 0, window.bytes.starts(with: [0xef, 0xbb, 0xbf]) { window.drop(3, lines: 0) }
  }

  private func fill() throws(FileFailure) {
    let count = try window.fill { room throws(FileFailure) in try source.read(into: room) }
    if count != 0 { return }
    if source.isCutShort || (leavesUnfinishedLine && isOfLines) {
      isCutShort = true
    } else {
      window.finish()
    }
  }

  /// The decoder, as far as the format is known.
  private var isOfLines: Bool {
    if let decoder { decoder.format.isByLine } else { window.bytes.first != 0x5b }
  }
}

// MARK: - Detection

extension ValueReader {
  private func make(_ format: TextFormat) -> any Decoder {
    format.decoder(
      DecoderInput(
        path: path, window: window, limits: limits, options: decoding.options, resolve: decoding.resolve,
        charset: decoding.chosenCharset == nil ? decoding.charset : "UTF-8", columns: columns,
        budget: decoding.budget, notes: decoding.notes, report: report))
  }

  /// Nil if the text ends before there is enough to decide.
  private func detect() throws(FileFailure) -> (any Decoder)? {
    while !isCutShort {
      dropMark()
      window.drop(window.bytes.prefix { isSpace($0) }.count)
      let bytes = window.bytes
      guard let first = bytes.first else {
        if window.isFinal { return make(.lines) }
        try fill()
        continue
      }
      if first == 0x5b { return make(.array) }
      if let stop = lineBreak(in: bytes, from: 0) {
        return make(format(of: ByteView(rebasing: bytes[..<stop])))
      }
      if window.isFinal { return make(.lines) }
      if window.isFull { return make(.values) }
      try fill()
    }
    return nil
  }

  private func format(of line: ByteView) -> TextFormat {
    do throws(ParseError) {
      _ = try Value.parseAll([UInt8](line))
      return .lines
    } catch {
      return error.isAtEnd ? .values : .lines
    }
  }
}

/// How much is read, parsed and held at once.
package struct ReadLimits: Sendable {
  /// Bytes read at once.
  package var chunk: Int
  /// The largest line or value in bytes; larger ones are skipped and reported.
  package var value: Int
  /// Values returned at once.
  package var batch: Int
  /// The size from which on lines share one document.
  package var together: Int

  package init(chunk: Int = 1 << 18, value: Int = 16 << 20, batch: Int = 1024, together: Int = 1 << 14) {
    (self.chunk, self.value, self.batch, self.together) = (chunk, value, batch, together)
  }
}
