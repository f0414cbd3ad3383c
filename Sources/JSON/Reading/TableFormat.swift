// What a table in delimited text looks like, and what may be wrong with one.

/// The format of a table in delimited text: CSV, TSV and their relatives.
public struct TableFormat: Sendable {
  /// The treatment of a row that has fewer or more fields than there are columns.
  public enum Ragged: String, CaseIterable, Sendable {
    /// The row is reported and left out.
    case error
    /// Missing fields are null, and further fields are a list in the member `_rest`.
    case fill
    /// The row is left out.
    case skip
  }

  public var delimiter: UInt8
  /// Nil for a format in which a quote is a character like any other.
  public var quote: UInt8?
  /// Whether spaces around a field are removed.
  public var trims: Bool
  public var ragged: Ragged
  /// Whether numbers have a comma before their fraction, and may have points between thousands.
  public var hasDecimalComma = false
  /// The texts that are null in a column of numbers or booleans.
  public var nulls: [[UInt8]] = []

  public init(
    delimiter: UInt8 = 0x2c, quote: UInt8? = 0x22, trims: Bool = false, ragged: Ragged = .error
  ) {
    self.delimiter = delimiter
    self.quote = quote
    self.trims = trims
    self.ragged = ragged
  }

  /// The delimiter in a message.
  var delimiterName: String {
    delimiter == 0x09 ? "a tab" : "“\(String(decoding: [delimiter], as: UTF8.self))”"
  }
}

/// A column of a table: its name, and what its fields become.
public struct TableColumn: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case text
    /// A number as JSON writes it, or with `+`, zeros in front, or no digits before or after its point; an empty field is
    /// null.
    case number
    /// `true`, `yes`, `1` or `false`, `no`, `0`; an empty field is null.
    case boolean
  }

  public var name: String
  public var kind: Kind

  public init(_ name: String, _ kind: Kind = .text) {
    self.name = name
    self.kind = kind
  }
}

/// An error in a row of a table, which is left out.
public struct TableFlaw: Error, Equatable, Sendable {
  /// The offset at which the row begins.
  public var row: Int
  /// Line breaks before the error, and its column on that line, in characters from 1.
  public var line: Int
  public var column: Int
  public var reason: String

  public init(row: Int, line: Int, column: Int, reason: String) {
    self.row = row
    self.line = line
    self.column = column
    self.reason = reason
  }
}

extension TableFormat {
  /// The fields of the first row as texts, such as a header's, the offset after the row, and the line breaks in it.
  ///
  /// Nil if the row is not complete, which it always is when `isFinal`.
  public func firstRow(
    _ text: ByteView, isFinal: Bool
  ) throws(TableFlaw) -> (fields: [[UInt8]], end: Int, lines: Int)? {
    var fields: [[UInt8]] = []
    var at = 0
    var lines = 0
    var lineStart = 0
    while true {
      var field: [UInt8] = []
      while trims, at < text.count, text[at] == 0x20 { at += 1 }
      if let quote, at < text.count, text[at] == quote {
        let startLine = lines
        let startColumn = at - lineStart + 1
        at += 1
        while true {
          guard at < text.count else {
            if !isFinal { return nil }
            throw TableFlaw(
              row: 0, line: startLine, column: startColumn,
              reason: "the quote that opens here is never closed")
          }
          if text[at] == quote {
            if at + 1 < text.count, text[at + 1] == quote { at += 1 } else { break }
          }
          if text[at] == 0x0a {
            lines += 1
            lineStart = at + 1
          }
          field.append(text[at])
          at += 1
        }
        at += 1
        while trims, at < text.count, text[at] == 0x20 { at += 1 }
        if at < text.count, !endsField(text[at]) {
          throw TableFlaw(row: 0, line: lines, column: at - lineStart + 1, reason: afterQuote)
        }
      } else {
        while at < text.count, !endsField(text[at]) {
          field.append(text[at])
          at += 1
        }
        while trims, field.last == 0x20 { field.removeLast() }
      }
      fields.append(field)
      guard at < text.count else { return isFinal ? (fields, at, lines) : nil }
      if text[at] == delimiter {
        at += 1
        continue
      }
      if text[at] == 0x0d {
        if at + 1 == text.count, !isFinal { return nil }
        if at + 1 < text.count, text[at + 1] == 0x0a { at += 1 }
      }
      return (fields, at + 1, lines + 1)
    }
  }

  private func endsField(_ byte: UInt8) -> Bool { byte == delimiter || byte == 0x0a || byte == 0x0d }

  var afterQuote: String { "\(delimiterName) or the end of the line is expected after the closing quote" }
}

extension TableFormat {
  /// The text of a number as JSON writes it; nil for one that is none.
  ///
  /// `+5`, `.5`, `5.` and `007` are numbers; with a decimal comma `1.234,5` is one, and `1.5` none.
  func number(_ text: ByteView) -> [UInt8]? {
    var at = 0
    func digits() -> ArraySlice<UInt8> {
      let start = at
      while at < text.count, text[at] &- 0x30 < 10 { at += 1 }
      return Array(text[start..<at])[...]
    }
    func skip(_ bytes: UInt8...) -> UInt8? {
      guard at < text.count, bytes.contains(text[at]) else { return nil }
      at += 1
      return text[at - 1]
    }
    let sign = skip(UInt8(ascii: "-"), UInt8(ascii: "+"))
    var whole = digits()
    while hasDecimalComma, !whole.isEmpty, skip(UInt8(ascii: ".")) != nil {
      let group = digits()
      guard group.count == 3 else { return nil }
      whole += group
    }
    let mark = UInt8(ascii: hasDecimalComma ? "," : ".")
    let fraction = skip(mark) == nil ? [] : digits()
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    whole = whole.drop { $0 == 0x30 }
    var number: [UInt8] = sign == UInt8(ascii: "-") ? [UInt8(ascii: "-")] : []
    number += whole.isEmpty ? [0x30] : whole
    if !fraction.isEmpty { number += [UInt8(ascii: ".")] + fraction }
    if skip(UInt8(ascii: "e"), UInt8(ascii: "E")) != nil {
      number.append(UInt8(ascii: "e"))
      if let sign = skip(UInt8(ascii: "-"), UInt8(ascii: "+")) { number.append(sign) }
      let power = digits()
      if power.isEmpty { return nil }
      number += power
    }
    return at == text.count ? number : nil
  }
}
