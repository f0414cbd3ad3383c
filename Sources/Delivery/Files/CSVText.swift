import JSON

/// The text of a table as RFC 4180 has it.
package enum CSVText {
  /// A value as a field: a text as it is, nothing for null, JSON for others.
  package static func field(_ value: Value?) -> [UInt8] {
    guard let value, value.kind != .null else { return [] }
    return value.string.map { Array($0.utf8) } ?? value.json
  }

  /// A line; a field with the delimiter, a quote or a line break is quoted.
  package static func row(_ fields: [[UInt8]], _ delimiter: UInt8) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    var row: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { row.append(delimiter) }
      let isQuoted =
        field.contains { $0 == delimiter || $0 == quote || $0 == 0x0a || $0 == 0x0d }
        // A row of one empty field would be an empty line, which readers skip.
        || field.isEmpty && fields.count == 1
      if !isQuoted {
        row += field
        continue
      }
      row.append(quote)
      for byte in field {
        if byte == quote { row.append(quote) }
        row.append(byte)
      }
      row.append(quote)
    }
    return row + [0x0a]
  }
}
