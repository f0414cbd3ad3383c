import Delivery
import Engine
import JSON
import Language

/// `csv`: appends each event to a file, as a row of a table.
package let csv = NodeSpec(
  "csv", "append each event to a file, as a row of CSV",
  reference: .init(PackageResources.csv_md),
  options: AnyOption.list(
    CSVOptions.path, CSVOptions.columns, CSVOptions.delimiter, CSVOptions.header, CSVOptions.mode,
    CSVOptions.maxOpen),
  hasDurableState: true,
  .sink { options, context in
    try LineSink(
      options[CSVOptions.path], CSVFormat(options, context), Rotation(), mode: options[CSVOptions.mode],
      maxOpen: options[CSVOptions.maxOpen], context)
  })

private enum CSVOptions {
  enum Delimiter: String, CaseIterable, Sendable {
    case comma, semicolon, tab

    var byte: UInt8 {
      switch self {
      case .comma: UInt8(ascii: ",")
      case .semicolon: UInt8(ascii: ";")
      case .tab: UInt8(ascii: "\t")
      }
    }
  }

  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are created",
    example: "out/events.csv")
  static let columns = Option.required(
    "columns", .columns, "the columns: expressions, or a mapping of headers to them", example: "[.id, .name]")
  static let delimiter = Option(
    "delimiter", OptionType<Delimiter>.choice(), default: "comma", "between fields")
  static let header = Option(
    "header", .boolean, default: "true", "whether files begin with the names of the columns")
  static let mode = Option("mode", .fileMode, default: "'0644'", "the permissions of new files, in octal")
  static let maxOpen = Option(
    "max_open", .integer(1...10_000), default: "64", "how many files may be open at once, if the path varies")
}

/// Events as rows.
private final class CSVFormat: LineFormat {
  let header: [UInt8]?
  private let columns: [Evaluation]
  private let delimiter: UInt8

  init(_ options: Options, _ context: SinkContext) {
    let all = options[CSVOptions.columns]
    columns = all.map { context.evaluation($0.expression) }
    delimiter = options[CSVOptions.delimiter].byte
    let delimiter = delimiter
    header = options[CSVOptions.header] ? CSVText.row(all.map { Array($0.header.utf8) }, delimiter) : nil
  }

  func write(_ event: Event, to output: Output) throws { output.put(try row(event)) }

  func shown(_ event: Event, on screen: Screen) throws -> [UInt8] {
    let row = try row(event).dropLast()
    return screen.isTerminal ? Array(printable(String(decoding: row, as: UTF8.self)).utf8) : Array(row)
  }

  private func row(_ event: Event) throws -> [UInt8] {
    CSVText.row(try columns.map { CSVText.field(try $0.first(event)) }, delimiter)
  }
}
