// How much room text takes on a terminal, which is neither its bytes nor its characters: an ideograph takes
// two columns, an accent none, and a family of four emoji joined to one takes two. For text that is
// `printable`.

extension Unicode.Scalar {
  /// The columns it takes by itself: none when it combines, two when it is wide.
  public var columns: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    // The later parts of a Hangul syllable.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
      0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x1F300...0x1F320, 0x20000...0x3FFFD:
      return 2
    // Flags are pairs of these.
    case 0x1F1E6...0x1F1FF: return 1
    default: return properties.isEmojiPresentation || properties.isEmojiModifier ? 2 : 1
    }
  }
}

extension Character {
  /// The columns that all of its scalars take together: 0, 1 or 2.
  public var columns: Int {
    let scalars = unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return first.columns }
    if (0x1F1E6...0x1F1FF).contains(first.value) { return 2 }
    // Variation selector 16 asks for the coloured picture, which is wide.
    if first.properties.isEmoji, scalars.contains("\u{FE0F}") { return 2 }
    return scalars.reduce(0) { max($0, $1.columns) }
  }
}

extension StringProtocol {
  /// The columns it takes on a terminal.
  public var columns: Int {
    let text = String(self)
    // Not through the protocol, which is slow.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + $1.columns }
  }

  /// The text, cut where it is wider than that, with `…` for what is missing.
  ///
  /// No character is ever cut in two.
  ///
  ///     "Starlink".clipped(to: 5)  // Star…
  public func clipped(to width: Int) -> String {
    if utf8.count <= width { return String(self) }
    guard width > 0 else { return "" }
    var taken = 0
    // Where the text is cut if it turns out too wide.
    var cut = startIndex
    for index in indices {
      taken += self[index].columns
      if taken > width { return self[..<cut] + "…" }
      if taken < width { cut = self.index(after: index) }
    }
    return String(self)
  }

  /// The text with spaces up to that width: behind it, or in front of it where it is aligned to the right.
  public func padded(to width: Int, right: Bool = false) -> String {
    let spaces = String(repeating: " ", count: Swift.max(0, width - columns))
    return right ? spaces + String(self) : String(self) + spaces
  }
}

extension String {
  /// The same as `clipped(to:)` for a text with styles in it, which take no room and end where it is cut.
  public func clippedStyled(to width: Int) -> String {
    guard unicodeScalars.contains("\u{1B}") else { return clipped(to: width) }
    let pieces = styledPieces
    guard String.columns(of: pieces) > width else { return self }
    var left = width
    var text = ""
    for (number, piece) in pieces.enumerated() {
      if piece.isStyle {
        text += piece.text
        continue
      }
      // The mark of what is missing needs a column, unless nothing is missing.
      let columns = piece.text.columns
      let isLast = pieces[(number + 1)...].allSatisfy { $0.isStyle || $0.text.isEmpty }
      if columns > left || (columns == left && !isLast) {
        let cut = piece.text.clipped(to: left)
        text += cut.columns < columns || left == 0 ? cut : piece.text.dropLast() + "…"
        return text + (unicodeScalars.contains("]") ? Paint.linkEnd : "") + "\u{1B}[0m"
      }
      text += piece.text
      left -= columns
    }
    return text
  }

  /// The columns of a text with styles in it, which take no room.
  public var styledColumns: Int {
    unicodeScalars.contains("\u{1B}") ? String.columns(of: styledPieces) : columns
  }

  private static func columns(of pieces: [(text: Substring, isStyle: Bool)]) -> Int {
    pieces.reduce(0) { $0 + ($1.isStyle ? 0 : $1.text.columns) }
  }

  /// The text cut into its escape sequences and what is between them.
  private var styledPieces: [(text: Substring, isStyle: Bool)] {
    var pieces: [(text: Substring, isStyle: Bool)] = []
    // Not by characters: an accent may follow a sequence, and would be one with its end.
    let scalars = unicodeScalars
    var start = startIndex
    while let escape = scalars[start...].firstIndex(of: "\u{1B}") {
      let isLink = scalars[escape...].dropFirst().first == "]"
      // A style ends with an m, the address of a link with a backslash.
      let end = scalars[escape...].firstIndex(of: isLink ? "\\" : "m")
      let stop = end.map { scalars.index(after: $0) } ?? endIndex
      pieces += [(self[start..<escape], false), (self[escape..<stop], true)]
      start = stop
    }
    return pieces + [(self[start...], false)]
  }
}

/// The text in lines of at most that width, each with so many blanks in front; a line break in it stays one.
///
///     wrapped("a few words", to: 7, indent: 2)  // ["  a few", "  words"]
///
/// A word that is wider than that has a line of its own.
public func wrapped(_ text: String, to width: Int, indent: Int = 0) -> [String] {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
    var line = ""
    var used = indent
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, used + 1 + word.columns > width {
        lines.append(margin + line)
        line = ""
        used = indent
      }
      used += (line.isEmpty ? 0 : 1) + word.columns
      line += line.isEmpty ? String(word) : " \(word)"
    }
    lines.append(line.isEmpty ? "" : margin + line)
  }
  return lines
}
