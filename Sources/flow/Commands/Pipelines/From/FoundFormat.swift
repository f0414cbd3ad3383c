import Decode
import Fetch
import JSON
import Language
import System

/// The format of a text, by its contents: what a pipeline has to write behind `decode`.
///
///     let format = try FoundFormat(of: .init(response))
///     format.decode                    // csv
///     try format.value(of: response)   // its rows, by the decoder that the pipeline will use
package struct FoundFormat: Sendable {
  /// A text, and what is known of it.
  package struct Text: Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let answer: Response?
    /// The format by the name of the file or address, or by Content-Type.
    fileprivate let named: TextFormat?

    package init(_ answer: Response) {
      (bytes, self.answer) = (Self.utf8(answer.bytes), answer)
      let type = answer.headers["content-type"]?.lowercased() ?? ""
      let formats: [(String, TextFormat)] = [
        ("text/csv", .csv), ("tab-separated", .tsv), ("ndjson", .lines), ("jsonl", .lines), ("yaml", .yaml),
      ]
      named = formats.first { type.has($0.0) }?.1 ?? TextFormat.named(after: answer.address.path)
    }

    package init(file path: String, _ bytes: [UInt8]) {
      (self.bytes, answer, named) = (Self.utf8(bytes), nil, TextFormat.named(after: path))
    }

    /// A text that begins with a mark of UTF-16, as UTF-8; others as they are.
    private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
      let isWide = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
      return isWide ? (try? servedText(bytes, charset: nil)) ?? bytes : bytes
    }

    fileprivate var kind: BodyKind { BodyKind(bytes, contentType: answer?.headers["content-type"]) }

    /// Whether no encoding makes sense of it but the one of old spreadsheets.
    fileprivate var isWestern: Bool {
      answer?.charset == nil && (try? servedText(bytes, charset: nil)) == nil
    }
  }

  fileprivate typealias Candidate = (name: String, decode: String, form: PipelineDraft.Source.Form)

  /// The name of the format, for a person.
  package let name: String
  /// The value of `decode`; nil for JSON.
  package let decode: String?
  package let form: PipelineDraft.Source.Form
  private let decoding: Decoding?

  package init(of text: Text) throws(Sentence) {
    switch text.kind {
    case .empty: throw Sentence("there is nothing in it")
    case .binary: throw Sentence("it is binary data, which no decoder reads")
    case .json, .html, .xml, .text: break
    }
    var flaw = ""
    for candidate in Self.candidates(text) {
      do {
        try self.init(candidate)
        let value = try value(of: text)
        let first = value.kind == .array ? value.element(0) : value
        // A format in which there is nothing is another one, if only text.
        guard first != nil || candidate.decode.isEmpty,
          candidate.form != .text
            || first?.member("text").map({ $0.string?.isEmpty == false }) ?? (first?.string != nil)
        else { continue }
        return
      } catch {
        if flaw.isEmpty { flaw = "\(error)" }
      }
    }
    if !flaw.isEmpty { throw Sentence("\(text.kind.rawValue): \(flaw)") }
    throw Sentence(
      "the page has no text, since scripts fill it in: http: { url: …, browser: true } reads it as Chromium shows it "
        + "(flow docs http); a browser also shows the requests of its data under Network, from where Copy as cURL is for "
        + "--from-curl")
  }

  private init(_ candidate: Candidate) throws {
    (name, form) = (candidate.name, candidate.form)
    decode = candidate.decode.isEmpty ? nil : candidate.decode
    decoding = try decode.map(Self.decoding)
  }

  /// The value that a source finds in a text of this format: the value of JSON, else the list of its decoder's values.
  package func value(of text: Text) throws -> Value {
    if let decoding { return .array(try text.values(decoding)) }
    return try Value.parse(servedText(text.bytes, charset: text.answer?.charset), .strict)
  }

  static func decoding(_ decode: String) throws(Problem) -> Decoding {
    try Decoding.option.value(of: decode, from: "decode", in: Catalog.all)
  }

  /// The formats that it may be in, the likeliest first.
  private static func candidates(_ text: Text) -> [Candidate] {
    let charset = text.isWestern ? ["charset: windows-1252"] : []
    func options(_ format: String, _ options: [String] = []) -> String {
      let all = options + charset
      return all.isEmpty ? format : "{ \(format): { \(all.joined(separator: ", ")) } }"
    }
    let lines: Candidate = ("JSON, a value on each line", options("lines"), .rows)
    let plain: Candidate = ("text", options("text", ["whole: true"]), .text)
    switch text.kind {
    case .json:
      let start = String(decoding: text.bytes.prefix(400), as: UTF8.self)
      let feed: [Candidate] = start.has("jsonfeed.org/version") ? [("a JSON feed", "feed", .feed)] : []
      return feed + [("JSON", "", .rows), lines]
    case .xml:
      let elements = text.values("xml").first.flatMap(FoundRows.elements)
      return [("a feed", "feed", .feed)] + (elements.map { [("XML", $0, .rows)] } ?? []) + [plain]
    case .html:
      let table = FoundRows.table(among: text.values(FoundRows.tables))
      return (table.map { [("a page with a table", $0, .rows)] } ?? [])
        + FoundRows.texts.map { ("a page", $0, .text) }
    case .empty, .binary, .text: break
    }
    if text.named == .lines { return [lines, plain] }
    if text.named == .yaml { return [("YAML", "yaml", .rows), plain] }
    let isTable = text.named == .csv || text.named == .tsv
    guard let delimiter = FoundRows.delimiter(of: text.bytes, isTable: isTable) else { return [plain] }
    let table =
      delimiter == "\t"
      ? options("tsv") : options("csv", delimiter == "," ? [] : ["delimiter: '\(delimiter)'"])
    return [("a table, \(delimiter == "\t" ? "TSV" : "CSV")", table, .rows), plain]
  }
}

extension FoundFormat.Text {
  fileprivate func values(_ decoding: Decoding) throws(Sentence) -> [Value] {
    if let answer { return try decoding.checkedValues(of: answer) }
    return try decoding.values(of: bytes)
  }

  /// The values by what a pipeline would have behind `decode`; none where that fails.
  fileprivate func values(_ decode: String) -> [Value] {
    guard let decoding = try? FoundFormat.decoding(decode) else { return [] }
    return (try? values(decoding)) ?? []
  }
}
