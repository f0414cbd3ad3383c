import JSON
import Language
import System

/// The rows of tables, documents and pages, as their decoders show them: the options with which `decode` finds them.
enum FoundRows {
  // MARK: - Tables of text

  /// The character that separates as many fields in each of the first lines; nil where the text is no table.
  ///
  /// - Parameter isTable: Whether it is known to be one, so that its first line decides.
  static func delimiter(of bytes: [UInt8], isTable: Bool) -> Character? {
    let lines = bytes.prefix(1 << 16).split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).prefix(30)
    var best: (delimiter: Character, count: Int)?
    for delimiter in ["\t", ";", ",", "|"] as [Character] {
      let counts = lines.map { fields(in: $0, delimiter) }
      guard let count = counts.first, count > best?.count ?? 0 else { continue }
      // The last line may have been cut off here.
      let isEven = counts.count > 2 && counts.dropLast().allSatisfy { $0 == count }
      if isTable || isEven { best = (delimiter, count) }
    }
    return best?.delimiter ?? (isTable ? "," : nil)
  }

  /// How often a delimiter is in a line, outside of quotes.
  private static func fields(in line: ArraySlice<UInt8>, _ delimiter: Character) -> Int {
    var isQuoted = false
    var count = 0
    for byte in line {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == delimiter.asciiValue, !isQuoted { count += 1 }
    }
    return count
  }

  // MARK: - Documents

  /// The options for the elements of a document that occur most often; nil for a document without a list.
  static func elements(of document: Value) -> String? {
    guard let name = ResponseRows(in: document)?.path.last, isSimple(name) else { return nil }
    return "{ xml: { select: \(name) } }"
  }

  // MARK: - Pages

  /// The options that show the tables of a page.
  static let tables =
    "{ html: { select: table, fields: { id: '@id', head: 'thead th[]', first: 'tr:first-child th[]', "
    + "rows: 'tr:has(td)[]', sides: 'tr:has(td) th:first-child[]', links: 'tr:has(td) a@href[]' } } }"

  /// The options for the rows of the largest table that has a header; nil for a page without one.
  static func table(among tables: [Value]) -> String? {
    func texts(_ table: Value, _ name: String) -> [String] {
      table.member(name)?.items?.compactMap(\.string) ?? []
    }
    func heads(_ table: Value) -> [String] {
      let head = texts(table, "head")
      return head.isEmpty ? texts(table, "first") : head
    }
    let found = tables.filter { heads($0).count > 1 && texts($0, "rows").count > 1 }
    guard let table = found.max(by: { texts($0, "rows").count < texts($1, "rows").count }) else { return nil }
    let count = texts(table, "rows").count
    let hasSides = texts(table, "sides").count == count
    var fields: [(name: String, selector: String)] = []
    for (index, head) in heads(table).enumerated() {
      let cell = hasSides && index == 0 ? "th" : "'td:nth-child(\(index + 1))'"
      fields.append((member(head, index, fields.map(\.name)), cell))
    }
    if texts(table, "links").count >= count {
      fields.append((member("link", 0, fields.map(\.name)), "a@href"))
    }
    let list = fields.map { "\($0.name): \($0.selector)" }.joined(separator: ", ")
    return
      "{ html: { select: '\(selector(of: table, heads(table), among: tables.count)) tr:has(td)', fields: { \(list) } } }"
  }

  private static func selector(of table: Value, _ heads: [String], among count: Int) -> String {
    if count == 1 { return "table" }
    if let id = table.member("id")?.string, isSimple(id) { return "#\(id)" }
    guard let head = heads.first(where: { !$0.isEmpty && !$0.contains { "\"'\\".contains($0) } }) else {
      return "table"
    }
    return "table:has(th:contains(\"\(head)\"))"
  }

  /// The name of a column as a member: `Unit price` is unit_price.
  private static func member(_ head: String, _ index: Int, _ taken: [String]) -> String {
    let words = head.lowercased().utf8.split { !(0x30...0x39).contains($0) && !(0x61...0x7a).contains($0) }
    var name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    if name.first?.isLetter != true || ["null", "true", "false"].contains(name) {
      name = "column_\(index + 1)"
    }
    return taken.contains(name) ? "\(name)_\(index + 1)" : name
  }

  /// The text of a page: that of the part which says to be the main one, or all.
  static let texts = ["main", "article", "'[role=main]", "'#content", "body"].map { selector in
    "{ html: { fields: { text: \(selector)@text\(selector.hasPrefix("'") ? "'" : "") } } }"
  }

  /// Whether a name needs no escapes in a selector.
  private static func isSimple(_ name: String) -> Bool {
    name.first?.isLetter == true && name.utf8.allSatisfy { isNameByte($0) }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      || byte == 0x2d
      || byte == 0x5f
  }
}
