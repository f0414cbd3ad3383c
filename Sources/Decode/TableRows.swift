import JSON
import Language

extension TextFormat {
  /// Fields separated by commas, in quotes where necessary (RFC 4180).
  package static let csv: TextFormat = .init(
    Variant(
      "csv", "a table of comma-separated values: an object for each row",
      details: """
        The first row has the names of the columns, unless `columns` gives them. All fields are text unless `types` \
        says otherwise. A field in quotes may contain delimiters, line breaks and doubled quotes. Empty lines and a \
        byte order mark are skipped. Names that repeat get a number, as in `name_2`; a column without a name is \
        `column_3`.

        A row with too few or too many fields is an error, unless `ragged` says otherwise. The text is UTF-8, \
        unless `charset`, a byte order mark or, over http, Content-Type names another encoding.

        A poll fails if there is a message in place of the table: a text that ends before the header, or one whose \
        header has no column of the last table and which has no rows, or one column where there were several.
        """,
      options: AnyOption.list(
        TableOptions.delimiter, TableOptions.quote, TableOptions.header, TableOptions.columns,
        TableOptions.types, TableOptions.decimalComma, TableOptions.nulls, TableOptions.ragged,
        TableOptions.trim, TableOptions.skipLines, Charset.option),
      examples: [
        .init(
          "rows by the names of their columns", "csv", input: "id,name\n1,\"Doe, Jo\"",
          output: #"{"id":"1","name":"Doe, Jo"}"#),
        .init(
          "numbers, and a semicolon as the delimiter",
          "{ csv: { delimiter: ';', types: { price: number, sold: boolean } } }",
          input: "price;sold\n9.50;yes\n;no",
          output: #"{"price":9.50,"sold":true}"# + "\n" + #"{"price":null,"sold":false}"#),
        .init(
          "numbers with a decimal comma, some missing, in the encoding of an old spreadsheet",
          "{ csv: { charset: windows-1252, delimiter: ';', types: { price: number }, decimal_comma: true, nulls: [NA, '-'] } }",
          input: "id;price\n1;1.234,50\n2;NA",
          output: #"{"id":"1","price":1234.50}"# + "\n" + #"{"id":"2","price":null}"#),
        .init(
          "a table without a header, below a title",
          "{ csv: { skip_lines: 1, header: false, columns: [x, y] } }",
          input: "Positions\n1,2", output: #"{"x":"1","y":"2"}"#),
        .init(
          "rows of different lengths", "{ csv: { ragged: fill, trim: true, quote: \"'\" } }",
          input: "a, b\n1\n1, '2', 3",
          output: #"{"a":"1","b":null}"# + "\n" + #"{"a":"1","b":"2","_rest":["3"]}"#),
      ], check: TableOptions.check),
    beginsAnywhere: false
  ) { TableRows($0, .csv) }

  /// Fields separated by tabs.
  package static let tsv: TextFormat = .init(
    Variant(
      "tsv", "a table of tab-separated values: an object for each row",
      details:
        "As csv, with tabs between the fields. A quote is a character like any other, unless `quote` is given.",
      options: AnyOption.list(
        TableOptions.tab, TableOptions.noQuote, TableOptions.header, TableOptions.columns, TableOptions.types,
        TableOptions.decimalComma, TableOptions.nulls, TableOptions.ragged, TableOptions.trim,
        TableOptions.skipLines, Charset.option),
      examples: [
        .init("rows", "tsv", input: "id\tsize\n1\t5\" disk", output: #"{"id":"1","size":"5\" disk"}"#),
        .init(
          "with quotes", "{ tsv: { delimiter: tab, quote: '\"', types: { id: number }, nulls: [NA] } }",
          input: "id\tname\n1\t\"a\tb\"",
          output: #"{"id":1,"name":"a\tb"}"#),
      ], check: TableOptions.check),
    beginsAnywhere: false
  ) { TableRows($0, .tsv) }
}

private enum TableOptions {
  static let delimiter = Option(
    "delimiter", delimiterType, default: "','", "the character between fields; `tab` for a tab")
  static let tab = Option("delimiter", delimiterType, default: "tab", "the character between fields")
  static let quote = Option(
    "quote", quoteType, default: "'\"'", "the character around fields; `none` for no quotes")
  static let noQuote = Option("quote", quoteType, default: "none", "the character around fields")
  static let header = Option(
    "header", .boolean, default: "true", "whether the first row has the names of the columns")
  static let columns = Option(
    "columns", .list(of: .text), default: "[]", "the names of the columns, instead of those of a header",
    example: "[id, name]")
  static let types = Option(
    "types", .mapping(of: .choice(of: TableColumn.Kind.self)), default: "{}",
    "the columns that are not text; an empty number or boolean is null", example: "{ price: number }")
  static let decimalComma = Option(
    "decimal_comma", .boolean, default: "false",
    "whether numbers are written as in 1.234,50: a comma before the fraction, points between thousands or none"
  )
  static let nulls = Option(
    "nulls", .list(of: .text), default: "[]", "the texts that are null in a column of numbers or booleans",
    example: "[NA, '-']")
  static let ragged = Option(
    "ragged", .choice(of: TableFormat.Ragged.self), default: "error",
    "what to do with a row of another length: report it, fill it (null for a missing field, a list `_rest` of further ones), or skip it"
  )
  static let trim = Option("trim", .boolean, default: "false", "whether spaces around fields are removed")
  static let skipLines = Option(
    "skip_lines", .integer(0...1_000_000), default: "0", "how many lines stand above the table")

  private static let delimiterType = character("delimiter", "tab", 0x09)
  private static let quoteType = character("quote", "none", nil)

  /// One ASCII character, or a word for one.
  private static func character(_ what: String, _ word: String, _ meaning: UInt8?) -> OptionType<UInt8?> {
    OptionType<UInt8?>("character", sample: word, schema: OptionType<String>.text.schema) { node, checker in
      let text = checker.resolved(node).scalar?.text ?? ""
      if text == word { return .some(meaning) }
      let bytes = Array(text.utf8)
      if bytes.count == 1, let byte = bytes.first, byte < 0x80, byte >= 0x20 || byte == 0x09 { return byte }
      checker.report(
        "one ASCII character is expected here, not \(node.kind)", at: node.place,
        hint: "a \(what) such as '|', or \(word)")
      return nil
    }
  }

  static func check(_ options: Options, _ checker: Checker) {
    if options.isGiven(columns), Set(options[columns]).count < options[columns].count {
      checker.report("two columns have one name", at: options.place(of: columns))
    }
    if !options[columns].isEmpty {
      for type in options[types] where !options[columns].contains(type.name) {
        checker.report(
          "there is no column \(quoted(type.name))", at: options.place(of: types),
          hint: suggestion(for: type.name, among: options[columns]))
      }
    }
  }

  /// The format of the table, and whether its delimiter was chosen by the pipeline.
  static func format(_ options: Options?, isTabbed: Bool) -> (format: TableFormat, isChosen: Bool) {
    guard let options else {
      return (isTabbed ? TableFormat(delimiter: 0x09, quote: nil) : TableFormat(), false)
    }
    let (delimiter, quote) = isTabbed ? (tab, noQuote) : (delimiter, quote)
    var format = TableFormat(
      delimiter: options[delimiter] ?? 0x2c, quote: options[quote], trims: options[trim],
      ragged: options[ragged])
    format.hasDecimalComma = options[decimalComma]
    format.nulls = options[nulls].map { Array($0.utf8) }
    return (format, options.isGiven(delimiter))
  }
}

/// The decoder of a table.
private final class TableRows: Decoder {
  let format: TextFormat
  private let input: DecoderInput
  private let table: TableFormat
  /// Whether the pipeline names the delimiter.
  private let isDelimiterChosen: Bool
  /// Nil until the columns are known.
  private var parser: TableParser?
  private var linesToSkip: Int
  /// Whether a row that is too long is being skipped, up to the end of its line.
  private var isSkipping = false
  /// Whether nothing more can be decoded.
  private var isOver = false

  init(_ input: DecoderInput, _ format: TextFormat) {
    self.input = input
    self.format = format
    (table, isDelimiterChosen) = TableOptions.format(input.options, isTabbed: format == .tsv)
    linesToSkip = input.options?[TableOptions.skipLines] ?? 0
  }

  func take(into values: inout [Value]) {
    let window = input.window
    if isOver { return window.drop(window.count, lines: 0) }
    while linesToSkip > 0 || isSkipping {
      guard skipLine() else { return }
    }
    if parser == nil { readHeader() }
    guard let parser, !isOver, window.count > 0 else { return }
    let bytes = window.bytes
    let (end, lines) = parser.parse(bytes, isFinal: window.isFinal, into: &values) { flaw in
      self.report(flaw, bytes)
    }
    window.drop(end, lines: lines)
    if end == 0, window.isFull { tooLong() }
  }

  /// Skips a line; false if its end has not been read.
  private func skipLine() -> Bool {
    let window = input.window
    guard let stop = lineBreak(in: window.bytes, from: 0) else {
      window.drop(window.count, lines: 0)
      return false
    }
    window.drop(stop + 1, lines: 1)
    if isSkipping { isSkipping = false } else { linesToSkip -= 1 }
    return true
  }

  private func tooLong() {
    let row = TableFlaw(
      row: 0, line: 0, column: 1, reason: "the row is longer than \(input.limits.value) bytes")
    report(row, input.window.bytes)
    isSkipping = true
  }

  // MARK: - Columns

  /// Finds the names of the columns, as soon as the first row has been read.
  private func readHeader() {
    let window = input.window
    let given = input.options?[TableOptions.columns] ?? []
    let hasHeader = input.options?[TableOptions.header] ?? true
    if !hasHeader { input.columns?.found = [] }
    if !hasHeader, !given.isEmpty { return begin(given) }
    while let first = window.bytes.first, first == 0x0a || first == 0x0d {
      window.drop(1, lines: first == 0x0a ? 1 : 0)
    }
    if window.count == 0 { return }
    let bytes = window.bytes
    do throws(TableFlaw) {
      guard let row = try table.firstRow(bytes, isFinal: window.isFinal) else {
        if window.isFull {
          tooLong()
          isOver = true
        }
        return
      }
      let header = ByteView(rebasing: bytes[..<min(row.end, bytes.count)])
      if let flaw = BadText.encoding(input.path, header, lines: window.lines) {
        input.report(flaw)
        isOver = true
        return
      }
      let names = row.fields.map { String(decoding: $0, as: UTF8.self) }
      if !isDelimiterChosen, names.count == 1, let other = Self.otherDelimiter(in: names[0]) {
        return giveUp("the header is one column; to read it as several, set delimiter: \(other)", bytes)
      }
      let columns = given.isEmpty ? Self.distinct(hasHeader ? names : names.map { _ in "" }) : given
      if !given.isEmpty, hasHeader, given.count != names.count {
        return giveUp("the header has \(names.count) columns, and `columns` names \(given.count)", bytes)
      }
      if hasHeader {
        window.drop(row.end, lines: row.lines)
        input.columns?.found = columns
      }
      begin(columns)
    } catch {
      report(error, bytes)
      isOver = true
    }
  }

  private func begin(_ names: [String]) {
    let types = input.options?[TableOptions.types] ?? []
    if let type = types.first(where: { !names.contains($0.name) }) {
      let hint = suggestion(for: type.name, among: names) ?? "the columns are \(alternatives(names))"
      return giveUp("there is no column \(quoted(type.name)); \(hint)", input.window.bytes)
    }
    parser = TableParser(
      table,
      columns: names.map { name in
        TableColumn(name, types.first { $0.name == name }?.value ?? .text)
      })
  }

  private func giveUp(_ reason: String, _ bytes: ByteView) {
    report(TableFlaw(row: 0, line: 0, column: 1, reason: reason), bytes)
    isOver = true
  }

  /// The names, each once: a repeated one gets a number, an empty one that of its column.
  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    // The last number of each name, so that a header of one name many times is not counted from the start each time.
    var numbers: [String: Int] = [:]
    return names.enumerated().map { index, name in
      let base = name.isEmpty ? "column_\(index + 1)" : name
      var unique = base
      while !seen.insert(unique).inserted {
        let number = numbers[base, default: 1] + 1
        numbers[base] = number
        unique = "\(base)_\(number)"
      }
      return unique
    }
  }

  /// A delimiter that a header of one column contains, as the option is written.
  private static func otherDelimiter(in name: String) -> String? {
    [(";", "';'"), ("\t", "tab"), ("|", "'|'"), (",", "','")].first { name.contains($0.0) }?.1
  }

  private func report(_ flaw: TableFlaw, _ bytes: ByteView) {
    let end = lineBreak(in: bytes, from: flaw.row) ?? bytes.count
    input.report(
      BadText(
        path: input.path, line: input.window.lines + flaw.line + 1, column: flaw.column, reason: flaw.reason,
        text: ByteView(rebasing: bytes[flaw.row..<end])))
  }
}
