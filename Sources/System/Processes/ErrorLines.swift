/// Splits the standard error of a child into a limited number of lines.
///
/// Long lines are cut; after a number of bytes or lines, the rest is only counted. Empty lines are skipped.
package struct ErrorLines {
  package static let longestLine = 4096
  package static let mostBytes = 65536
  package static let mostLines = 1000

  private var line: [UInt8] = []
  private var isCut = false
  private var toldBytes = 0
  private var toldLines = 0
  private var hidden = 0

  package init() {}

  package mutating func take(_ bytes: UnsafeRawBufferPointer, _ report: (String) -> Void) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if toldBytes >= Self.mostBytes || toldLines >= Self.mostLines {
        hidden += rest.count
        return
      }
      let newline = rest.firstIndex(of: 0x0a)
      let piece = rest[..<(newline ?? rest.endIndex)]
      let room = Self.longestLine - line.count
      line.append(contentsOf: piece.prefix(room))
      if piece.count > room {
        hidden += piece.count - room
        isCut = true
      }
      guard let newline else { return }
      endLine(report)
      rest = rest[(newline + 1)...]
    }
  }

  /// Passes on an unfinished last line, and the size of what was not shown.
  package mutating func end(_ report: (String) -> Void) {
    endLine(report)
    if hidden > 0 { report("… \(roughSize(hidden)) more not shown") }
    self = ErrorLines()
  }

  private mutating func endLine(_ report: (String) -> Void) {
    if line.isEmpty { return }
    toldBytes += line.count
    toldLines += 1
    if isCut { dropTornCharacter() }
    report(String(decoding: line, as: UTF8.self) + (isCut ? " …" : ""))
    line.removeAll(keepingCapacity: true)
    isCut = false
  }

  /// Removes a character that was cut in half.
  private mutating func dropTornCharacter() {
    guard let last = line.last, last >= 0x80 else { return }
    while let last = line.last, last & 0xc0 == 0x80 { line.removeLast() }
    line.removeLast(min(1, line.count))
  }
}

/// A number of bytes for people: `512 bytes`, `64 kB`, `3 MB`, `1.2 GB`.
package func roughSize(_ bytes: Int) -> String {
  switch bytes {
  case 1: "1 byte"
  case ..<1000: "\(bytes) bytes"
  case ..<999_500: "\((bytes + 500) / 1000) kB"
  case ..<999_500_000: "\((bytes + 500_000) / 1_000_000) MB"
  case ..<9_950_000_000:
    "\((bytes + 50_000_000) / 1_000_000_000).\((bytes + 50_000_000) / 100_000_000 % 10) GB"
  default: "\((bytes + 500_000_000) / 1_000_000_000) GB"
  }
}
