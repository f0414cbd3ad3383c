// Rows of delimited text to objects of a document.
//
// Each row is copied once: into the document as the JSON text of its object, while the tape is written beside it. So a
// row is a value like any other, which is written by copying its bytes. A field is copied and searched for the end eight
// bytes at a time.

import Glibc

/// A parser of tables: a row is an object with a member for each column.
///
///     let parser = TableParser(TableFormat(), columns: [TableColumn("id"), TableColumn("price", .number)])
///     let (end, lines) = parser.parse(text, isFinal: true, into: &values) { flaw in … }
public final class TableParser {
  /// The JSON text before a field, and the word for its key on the tape.
  private struct Template {
    /// Where its text is among the templates, and its length.
    var start = 0
    var count = 0
    var key: UInt64 = 0
    /// The offset of the key's first byte in the text.
    var keyOffset = 0
    var kind = TableColumn.Kind.text
  }

  /// Bytes in front of the limits of the text and the tape, within which nothing is checked.
  private static let slack = 64
  private static let surplus = "_rest"
  /// How many fields are filled whatever the rows have: few bytes must not become many values.
  private static let mostFilled = 1_000_000

  private let format: TableFormat
  private let columns: [TableColumn]
  private var templates: [Template] = []
  /// The texts of the templates, with room to be copied sixteen bytes at a time.
  private var texts: [UInt8] = []
  private let widest: Int
  private var pool = DocumentPool(size: 1 << 20)

  private var raw: UnsafeMutablePointer<UInt8>
  private var rawLimit = 0
  private var tape: UnsafeMutablePointer<UInt64>
  private var tapeLimit = 0
  private var document: TapeDocument
  /// The fields that the text had, and those that were filled.
  private var given = 0
  private var filled = 0

  public init(_ format: TableFormat, columns: [TableColumn]) {
    self.format = format
    self.columns = columns
    document = TapeDocument(capacity: 64)
    raw = document.raw
    tape = document.tape
    var widest = 0
    for (number, name) in (columns.map(\.name) + [Self.surplus]).enumerated() {
      var template = Template()
      template.start = texts.count
      template.kind = number < columns.count ? columns[number].kind : .text
      texts.append(number == 0 ? 0x7b : 0x2c)
      let quoted = Value.string(name).json
      let isDirty = quoted.count != name.utf8.count + 2
      template.keyOffset = 2
      template.key = Tape.word(Tape.key, quoted.count - 2, 0) | (isDirty ? Tape.dirty : 0)
      texts += quoted + [0x3a]
      if number == columns.count { texts.append(0x5b) } else if template.kind == .text { texts.append(0x22) }
      template.count = texts.count - template.start
      widest = max(widest, template.count)
      texts += [UInt8](repeating: 0, count: 16)
      templates.append(template)
    }
    self.widest = widest + 16
  }

  /// Appends the complete rows of a text, and returns the offset after the last one and the line breaks before that.
  ///
  /// Rows with errors are reported and left out. With `isFinal` the text ends here, and all of it is consumed.
  public func parse(
    _ text: ByteView, isFinal: Bool, into values: inout [Value], report: (TableFlaw) -> Void
  ) -> (end: Int, lines: Int) {
    guard let base = text.baseAddress else { return (0, 0) }
    begin(text.count)
    var row = DelimitedRow(text: base, end: text.count, isFinal: isFinal)
    row.badByte = checkText(text, &document.hasDelete)
    while row.at < row.end {
      row.begin(tape: document.tapeCount, raw: document.rawCount)
      if row.skipsEmptyLine() {
        if row.isIncomplete { break }
        continue
      }
      parseRow(&row)
      if row.isIncomplete { break }
      if let flaw = row.flaw {
        report(flaw)
        row.rewind(document)
      } else if row.isLeftOut {
        row.rewind(document)
      } else {
        values.append(.view(document, UInt32(truncatingIfNeeded: row.tapeStart)))
      }
      if row.badByte < row.at {
        let rest = ByteView(start: base + row.at, count: row.end - row.at)
        row.badByte = row.at + checkText(rest, &document.hasDelete)
      }
    }
    if row.isIncomplete { row.rewind(document) }
    document.pad()
    pool.retire(document)
    return row.isIncomplete ? (row.start, row.linesBefore) : (row.at, row.lines)
  }

  private func begin(_ count: Int) {
    // Most tables are half names and quotes as JSON.
    let capacity = max(count * 2, 1 << 12) + widest + Self.slack * 2
    document = pool.takeUnused() ?? TapeDocument(capacity: capacity)
    document.reserveRaw(capacity)
    document.depth = format.ragged == .fill ? 2 : 1
    refresh()
  }

  private func refresh() {
    raw = document.raw
    rawLimit = document.rawCapacity - Self.slack
    tape = document.tape
    tapeLimit = document.tapeCapacity - 8
  }

  @inline(never)
  private func growRaw(_ used: Int, by count: Int) {
    document.rawCount = used
    document.reserveRaw(document.rawCapacity + max(document.rawCapacity / 2, count + Self.slack * 2))
    refresh()
  }

  @inline(never)
  private func growTape(_ used: Int) {
    document.growTape(used, used + Self.slack)
    refresh()
  }

  // MARK: - A row

  private func parseRow(_ row: inout DelimitedRow) {
    var used = document.rawCount
    var words = row.tapeStart + 2
    var column = 0
    var surplusStart = 0
    var surplusText = 0
    var dirty: UInt64 = 0
    let count = columns.count
    while true {
      if used + widest > rawLimit { growRaw(used, by: widest) }
      if words > tapeLimit { growTape(words) }
      var kind = TableColumn.Kind.text
      if column <= count {
        let template = templates[column]
        put(template, &used, &words)
        kind = template.kind
        if column == count {
          surplusStart = words
          surplusText = used - 1
          words += 2
        }
        dirty |= template.key & Tape.dirty
      } else {
        raw[used] = 0x2c
        used += 1
      }
      if column >= count {
        raw[used] = 0x22
        used += 1
      }
      let start = used
      let fieldAt = row.at
      let state = copyField(&row, &used)
      if row.isIncomplete || row.isAbandoned { return }
      if kind == .text {
        let isDirty =
          state != 0 || (document.hasDelete && memchr(raw + start, 0x7f, used - start) != nil)
        tape[words] = Tape.word(Tape.string, used - start, start) | (isDirty ? Tape.dirty : 0)
        if isDirty { dirty = Tape.dirty }
        words += 1
        raw[used] = 0x22
        used += 1
      } else {
        dirty |= putTyped(kind, column, start, &used, &words, fieldAt, &row)
      }
      column += 1
      if row.at == row.end { break }
      if row.text[row.at] == format.delimiter {
        row.at += 1
        continue
      }
      row.endLine()
      if row.isIncomplete { return }
      break
    }
    endRow(&row, column, &used, &words, dirty, surplusStart, surplusText)
  }

  /// Copies the text before a field, with its key.
  @inline(__always)
  private func put(_ template: Template, _ used: inout Int, _ words: inout Int) {
    texts.withUnsafeBufferPointer { all in
      guard let from = all.baseAddress.map({ $0 + template.start }) else { return }
      var place = 0
      while place < template.count {
        UnsafeMutableRawPointer(raw + used + place).copyMemory(from: from + place, byteCount: 16)
        place += 16
      }
    }
    tape[words] = template.key &+ UInt64(truncatingIfNeeded: used + template.keyOffset)
    words += 1
    used += template.count
  }

  private func endRow(
    _ row: inout DelimitedRow, _ found: Int, _ used: inout Int, _ words: inout Int, _ dirty: UInt64,
    _ surplusStart: Int, _ surplusText: Int
  ) {
    let count = columns.count
    given += found
    if row.badByte < row.at, row.flaw == nil {
      row.fail(row.badByte, "the text is not UTF-8: byte 0x\(String(row.text[row.badByte], radix: 16))")
    }
    if found != count {
      switch format.ragged {
      case .skip: row.isLeftOut = true
      case .error:
        row.fail(row.start, "the row has \(found) field\(found == 1 ? "" : "s") instead of \(count)")
      case .fill where found < count && filled + count - found > Self.mostFilled + given * 64:
        row.fail(
          row.start, "the row has \(found) of \(count) fields: with the rows before it, too many to fill")
      case .fill where found < count:
        filled += count - found
        for column in found..<count {
          if used + widest > rawLimit { growRaw(used, by: widest) }
          if words > tapeLimit { growTape(words) }
          put(templates[column], &used, &words)
          if templates[column].kind == .text { used -= 1 }
          putNull(&used, &words)
        }
      case .fill:
        raw[used] = 0x5d
        used += 1
        tape[surplusStart] = Tape.word(Tape.array, found - count, words) | dirty
        tape[surplusStart + 1] = UInt64(surplusText) << 32 | UInt64(UInt32(truncatingIfNeeded: used))
      }
    }
    raw[used] = 0x7d
    used += 1
    tape[row.tapeStart] = Tape.word(Tape.object, found > count ? count + 1 : count, words) | dirty
    tape[row.tapeStart + 1] = UInt64(row.rawStart) << 32 | UInt64(UInt32(truncatingIfNeeded: used))
    document.tapeCount = words
    document.rawCount = used
  }

  private func putNull(_ used: inout Int, _ words: inout Int) {
    tape[words] = Tape.word(Tape.null, 4, used)
    words += 1
    for byte in [0x6e, 0x75, 0x6c, 0x6c] as [UInt8] {
      raw[used] = byte
      used += 1
    }
  }

  /// Turns the copied text of a field into a number or a boolean; the dirty bit of it.
  private func putTyped(
    _ kind: TableColumn.Kind, _ column: Int, _ copied: Int, _ used: inout Int, _ words: inout Int,
    _ place: Int, _ row: inout DelimitedRow
  ) -> UInt64 {
    var start = copied
    while start < used, raw[start] == 0x20 { start += 1 }
    var end = used
    while end > start, raw[end - 1] == 0x20 { end -= 1 }
    memmove(raw + copied, raw + start, end - start)
    var count = end - start
    used = copied
    if count == 0 || isNull(ByteView(start: raw + copied, count: count)) {
      putNull(&used, &words)
      return 0
    }
    if kind == .boolean {
      let text = String(decoding: ByteView(start: raw + copied, count: min(count, 8)), as: UTF8.self)
      guard let flag = Self.booleans[text.lowercased()] else {
        fail(place, column, ByteView(start: raw + copied, count: count), "true or false", &row)
        return 0
      }
      tape[words] = Tape.word(flag ? Tape.yes : Tape.no, flag ? 4 : 5, used)
      words += 1
      for byte in (flag ? "true" : "false").utf8 {
        raw[used] = byte
        used += 1
      }
      return 0
    }
    raw[copied + count] = 0x2c
    var at = copied
    var form = Tape.integer
    var state: UInt64 = 0
    if format.hasDecimalComma || !scanNumber(raw, &at, &form, &state) || at != copied + count {
      let text = ByteView(start: raw + copied, count: count)
      guard let number = format.number(text) else {
        fail(place, column, text, "a number", &row)
        return 0
      }
      // At most a zero longer.
      for (place, byte) in number.enumerated() { raw[copied + place] = byte }
      count = number.count
      raw[copied + count] = 0x2c
      (at, form, state) = (copied, Tape.integer, 0)
      _ = scanNumber(raw, &at, &form, &state)
    }
    guard count < Tape.overflow else {
      fail(place, column, ByteView(start: raw + copied, count: count), "a number of that length", &row)
      return 0
    }
    tape[words] = Tape.word(form, count, copied) | state
    words += 1
    used = copied + count
    return state
  }

  private func isNull(_ text: ByteView) -> Bool {
    !format.nulls.isEmpty && format.nulls.contains { $0.elementsEqual(text) }
  }

  private static let booleans = [
    "true": true, "false": false, "yes": true, "no": false, "1": true, "0": false, "t": true, "f": false,
    "y": true, "n": false,
  ]

  @inline(never)
  private func fail(
    _ place: Int, _ column: Int, _ text: ByteView, _ wanted: String, _ row: inout DelimitedRow
  ) {
    let shown = String(decoding: text.prefix(40), as: UTF8.self)
    var other = format
    other.hasDecimalComma = true
    let remedy =
      columns[column].kind == .number && other.number(text) != nil
      ? "set decimal_comma: true" : "have it read as null with nulls, or the column as text"
    row.fail(place, "“\(shown)” is not \(wanted), which the column “\(columns[column].name)” has; \(remedy)")
  }

  // MARK: - A field

  /// Copies a field as the text of a JSON string, and moves to the byte that ends it; the dirty bit if it has escapes.
  @inline(__always)
  private func copyField(_ row: inout DelimitedRow, _ used: inout Int) -> UInt64 {
    if format.trims { while row.at < row.end, row.text[row.at] == 0x20 { row.at += 1 } }
    if let quote = format.quote, row.at < row.end, row.text[row.at] == quote {
      return copyQuoted(quote, &row, &used)
    }
    let start = used
    let state = copyPlain(&row, &used)
    if format.trims { while used > start, raw[used - 1] == 0x20 { used -= 1 } }
    return state
  }

  @inline(__always)
  private func copyPlain(_ row: inout DelimitedRow, _ used: inout Int) -> UInt64 {
    let delimiter = format.delimiter
    let delimiters = 0x0101_0101_0101_0101 &* UInt64(delimiter)
    var state: UInt64 = 0
    var at = row.at
    while true {
      if used > rawLimit { growRaw(used, by: 16) }
      if at + 8 <= row.end {
        let word = load(row.text + at, as: UInt64.self)
        UnsafeMutableRawPointer(raw + used).storeBytes(of: word, as: UInt64.self)
        let found = fieldEnds(word, delimiters)
        if found == 0 {
          at += 8
          used += 8
          continue
        }
        let passed = found.trailingZeroBitCount >> 3
        at += passed
        used += passed
      }
      if at == row.end {
        if !row.isFinal { row.isIncomplete = true }
        row.at = at
        return state
      }
      let byte = row.text[at]
      if byte == delimiter || byte == 0x0a || byte == 0x0d {
        row.at = at
        return state
      }
      if putByte(byte, &used) { state = Tape.dirty }
      at += 1
    }
  }

  private func copyQuoted(_ quote: UInt8, _ row: inout DelimitedRow, _ used: inout Int) -> UInt64 {
    let opening = row.at
    let quotes = 0x0101_0101_0101_0101 &* UInt64(quote)
    var state: UInt64 = 0
    var at = row.at + 1
    while true {
      if used > rawLimit { growRaw(used, by: 16) }
      if at + 8 <= row.end {
        let word = load(row.text + at, as: UInt64.self)
        UnsafeMutableRawPointer(raw + used).storeBytes(of: word, as: UInt64.self)
        let found = fieldEnds(word, quotes)
        if found == 0 {
          at += 8
          used += 8
          continue
        }
        let passed = found.trailingZeroBitCount >> 3
        at += passed
        used += passed
      }
      if at >= row.end {
        guard row.isFinal else {
          row.isIncomplete = true
          return state
        }
        row.fail(opening, "the quote that opens here is never closed")
        row.abandon(from: row.start, linesBefore: row.linesBefore)
        return 0
      }
      let byte = row.text[at]
      if byte == quote {
        if at + 1 == row.end, !row.isFinal {
          row.isIncomplete = true
          return state
        }
        if at + 1 == row.end || row.text[at + 1] != quote { break }
        at += 1
      } else if byte == 0x0a {
        row.lines += 1
      }
      if putByte(byte, &used) { state = Tape.dirty }
      at += 1
    }
    at += 1
    if format.trims { while at < row.end, row.text[at] == 0x20 { at += 1 } }
    if at == row.end {
      if !row.isFinal { row.isIncomplete = true }
      row.at = at
      return state
    }
    let next = row.text[at]
    if next == format.delimiter || next == 0x0a || next == 0x0d {
      row.at = at
      return state
    }
    row.fail(at, format.afterQuote)
    if !row.isFinal, memchr(row.text + at, 0x0a, row.end - at) == nil {
      row.isIncomplete = true
      return state
    }
    row.abandon(from: at, linesBefore: row.lines)
    return 0
  }

  /// Puts one byte of a string, escaped where JSON requires it; whether it was.
  @inline(__always)
  private func putByte(_ byte: UInt8, _ used: inout Int) -> Bool {
    if byte >= 0x20, byte != 0x22, byte != 0x5c {
      raw[used] = byte
      used += 1
      return false
    }
    putEscape(byte, &used)
    return true
  }

  @inline(never)
  private func putEscape(_ byte: UInt8, _ used: inout Int) {
    raw[used] = 0x5c
    let short: UInt8? =
      switch byte {
      case 0x22, 0x5c: byte
      case 0x08: 0x62
      case 0x09: 0x74
      case 0x0a: 0x6e
      case 0x0c: 0x66
      case 0x0d: 0x72
      default: nil
      }
    if let short {
      raw[used + 1] = short
      used += 2
      return
    }
    let digits: [UInt8] = Array("0123456789abcdef".utf8)
    for (place, digit) in [0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]].enumerated() {
      raw[used + 1 + place] = digit
    }
    used += 6
  }
}
