import Glibc

/// A row of a table as it is read: how far, and what is wrong with it.
struct DelimitedRow {
  let text: UnsafePointer<UInt8>
  let end: Int
  let isFinal: Bool
  var at = 0
  var lines = 0
  /// The first byte that is not UTF-8, or the end.
  var badByte = 0

  var start = 0
  var linesBefore = 0
  var tapeStart = 0
  var rawStart = 0
  var isIncomplete = false
  var isLeftOut = false
  /// Whether an error hides the end of the row, so that the next line was taken for the next row.
  var isAbandoned = false
  var flaw: TableFlaw?

  init(text: UnsafePointer<UInt8>, end: Int, isFinal: Bool) {
    self.text = text
    self.end = end
    self.isFinal = isFinal
  }

  mutating func begin(tape: Int, raw: Int) {
    start = at
    linesBefore = lines
    tapeStart = tape
    rawStart = raw
    isLeftOut = false
    isAbandoned = false
    flaw = nil
  }

  /// Whether the row is an empty line, which is none.
  mutating func skipsEmptyLine() -> Bool {
    guard text[at] == 0x0a || text[at] == 0x0d else { return false }
    endLine()
    return true
  }

  /// Moves past a line break, `\n`, `\r\n` or `\r`.
  @inline(__always)
  mutating func endLine() {
    if text[at] == 0x0d {
      if at + 1 == end {
        if !isFinal { isIncomplete = true }
      } else if text[at + 1] == 0x0a {
        at += 1
      }
    }
    at += 1
    lines += 1
  }

  func rewind(_ document: TapeDocument) {
    document.tapeCount = tapeStart
    document.rawCount = rawStart
  }

  /// Notes the first error of the row.
  @inline(never)
  mutating func fail(_ place: Int, _ reason: String) {
    if flaw != nil { return }
    var line = linesBefore
    var column = 1
    for index in start..<place {
      if text[index] == 0x0a {
        line += 1
        column = 1
      } else if text[index] & 0xc0 != 0x80 {
        column += 1
      }
    }
    flaw = TableFlaw(row: start, line: line, column: column, reason: reason)
  }

  /// Continues with the next line, where the end of the row cannot be known.
  mutating func abandon(from place: Int, linesBefore: Int) {
    isAbandoned = true
    lines = linesBefore
    guard place < end, let found = memchr(text + place, 0x0a, end - place) else {
      at = end
      return
    }
    at = UnsafeRawPointer(found) - UnsafeRawPointer(text) + 1
    lines += 1
  }
}
