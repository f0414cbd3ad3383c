import JSON
import Language
import System

/// A file, or standard input, read as a format of `decode`: for commands, which read without a pipeline.
///
/// Parts of the text that cannot be decoded are reported and skipped, as in a pipeline.
package final class DecodedFile {
  /// A format and its options, as `csv` or `{ csv: { delimiter: ';' } }`.
  package struct Format: Sendable {
    fileprivate let decoding: Decoding

    /// Reads what a pipeline has after `decode:`.
    ///
    /// - Parameter place: What gives it, for error messages.
    package init(_ text: String, from place: String, in catalog: Catalog) throws(Problem) {
      decoding = try Decoding.option.value(of: text, from: place, in: catalog)
    }

    /// The name of the format that a file is in by its name; nil for JSON and what is unknown.
    package static func named(after path: String) -> String? {
      TextFormat.named(after: path).flatMap { TextFormat.layouts.contains($0) ? nil : $0.name }
    }
  }

  /// How many parts are reported one by one; the rest as a number at the end.
  private static let reported = 5

  private let input: InputFile
  private let reader: ValueReader
  private let flaws: Flaws

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameters:
  ///   - note: Takes what is unusual about a text that was decoded.
  ///   - report: Takes what cannot be decoded.
  package init(
    _ path: String, _ format: Format, note: @escaping @Sendable (String) -> Void,
    report: @escaping (String) -> Void
  ) throws(FileFailure) {
    input = try InputFile(path)
    let flaws = Flaws(report)
    self.flaws = flaws
    let name = path == "-" ? "<stdin>" : path
    var decoding = format.decoding
    decoding.notes = DecodeNotes { note("\(name): \($0)") }
    reader = ValueReader(
      input, path: name, decoding, report: { flaws.note("\($0)") })
  }

  /// Whether a read may have to wait for a writer.
  package var mayWait: Bool { input.mayWait }

  /// Line breaks read.
  package var line: Int { reader.lines }

  /// The next values; empty at the end.
  package func nextBatch() throws(FileFailure) -> [Value] {
    let values = try reader.nextBatch()
    if values.isEmpty { flaws.summarize() }
    return values
  }

  private final class Flaws {
    private let report: (String) -> Void
    private var count = 0

    init(_ report: @escaping (String) -> Void) { self.report = report }

    func note(_ flaw: String) {
      count += 1
      if count <= DecodedFile.reported { report(flaw) }
    }

    func summarize() {
      let more = count - DecodedFile.reported
      if more > 0 { report("\(more) more invalid part\(more == 1 ? "" : "s") of the text skipped") }
      count = 0
    }
  }
}
