/// Cuts bytes that come in pieces into lines.
struct LineSplitter {
  /// What came after the last line break.
  private(set) var unfinished: [UInt8] = []

  /// Hands out each line that the piece completes, without its break.
  mutating func add(_ piece: UnsafeRawBufferPointer, _ body: ([UInt8]) throws -> Void) rethrows {
    var rest = piece[...]
    while let at = rest.firstIndex(of: 0x0A) {
      let line = unfinished + rest[..<at]
      unfinished.removeAll()
      rest = rest[(at + 1)...]
      try body(line)
    }
    unfinished += rest
  }

  /// The rest as a line of its own; nil where there is none.
  mutating func finish() -> [UInt8]? {
    defer { unfinished.removeAll() }
    return unfinished.isEmpty ? nil : unfinished
  }
}
