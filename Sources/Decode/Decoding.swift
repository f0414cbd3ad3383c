import JSON
import Language
import System

/// A format and its options, as a pipeline chooses them with `decode`.
package struct Decoding: Sendable {
  package static let json = Decoding(.json)

  package var format: TextFormat
  package var options: Options?
  /// The absolute address of a link in the text.
  package var resolve: @Sendable (String) -> String? = { $0 }
  /// The encoding that a server has named.
  package var charset: String?
  package var budget = DecodeBudget()
  package var notes = DecodeNotes.silent

  package init(_ format: TextFormat, _ options: Options? = nil) {
    self.format = format
    self.options = options
  }

  package static let type = OptionType<ChosenVariant>.variant(of: TextFormat.all.map(\.variant)).map {
    Decoding($0)
  }

  /// The option that sources of text have.
  package static let option: Option<Decoding> = Option(
    "decode", type, default: "json",
    "the format of the text; flow docs decoders describes each and its options",
    example: "json")

  private init(_ chosen: ChosenVariant) {
    self.init(TextFormat.named(chosen.name) ?? .json, chosen.options)
  }

  /// The same for the rest of a text whose layout was detected before.
  package func resumed(as found: TextFormat?) -> Decoding {
    guard format == .json, let found, TextFormat.layouts.contains(found) else { return self }
    var decoding = self
    decoding.format = found
    return decoding
  }

  /// The decoder of a followed file, whose lines are the only parts with a certain end.
  package func lineDecoder(
    _ path: String, _ window: TextWindow, _ limits: ReadLimits, report: @escaping (BadText) -> Void
  ) -> any LineDecoder {
    let input = DecoderInput(path: path, window: window, limits: limits, options: options, report: report)
    return (format.isByLine ? format.decoder(input) as? any LineDecoder : nil) ?? EachLine.json(input)
  }

  /// The values of a whole text; throws for the first part that cannot be decoded.
  ///
  /// - Parameter columns: Those of a table that is polled.
  package func values(of text: [UInt8], _ columns: PolledColumns? = nil) throws(Sentence) -> [Value] {
    let columns = [.csv, .tsv].contains(format) ? columns : nil
    columns?.found = nil
    var first: BadText?
    // One more byte than the text has, so that no part of it is too long; a byte of another encoding may become three.
    let most = (chosenCharset == nil && !heedsMark ? text.count : text.count * 3) + 1
    let limits = ReadLimits(chunk: min(most, 1 << 18), value: most, batch: .max)
    let reader = ValueReader(BytesInMemory(text), path: "", self, limits: limits, columns: columns) {
      first = first ?? $0
    }
    var all: [Value] = []
    while let values = try? reader.nextBatch(), !values.isEmpty, first == nil {
      if all.isEmpty { all = values } else { all += values }
    }
    if first == nil, let reason = columns?.flaw(rows: all.count) {
      text.withUnsafeBufferPointer {
        first = BadText(path: "", line: 1, column: 1, reason: reason, text: $0.firstLine)
      }
    }
    if let first { throw Sentence("\(format.name): \(first.inText)") }
    if all.isEmpty, budget.isStopped { throw Sentence("\(format.name): the run was stopped") }
    return all
  }
}

extension TextFormat {
  /// The layouts of JSON that are detected.
  package static let layouts: [TextFormat] = [json, lines, array, values]
}

/// A text in memory, as a source of bytes.
private final class BytesInMemory: ByteSource {
  private let text: [UInt8]
  private var at = 0

  init(_ text: [UInt8]) { self.text = text }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, text.count - at)
    text.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[at..<at + count])) }
    at += count
    return count
  }
}
