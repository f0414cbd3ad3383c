extension String {
  /// The same as `clipped(to:)` for a text with styles in it, which take no room and end where it is cut.
  public func clippedStyled(to width: Int) -> String {
    guard unicodeScalars.contains("\u{1B}") else { return clipped(to: width) }
    let pieces = styledPieces
    guard pieces.reduce(0, { $0 + ($1.isStyle ? 0 : $1.text.columns) }) > width else { return self }
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
        return text + "\u{1B}[0m"
      }
      text += piece.text
      left -= columns
    }
    return text
  }

  /// The text cut into its escape sequences and what is between them.
  private var styledPieces: [(text: Substring, isStyle: Bool)] {
    var pieces: [(text: Substring, isStyle: Bool)] = []
    // Not by characters: an accent may follow a sequence, and would be one with its end.
    let scalars = unicodeScalars
    var start = startIndex
    while let escape = scalars[start...].firstIndex(of: "\u{1B}") {
      let stop = scalars[escape...].firstIndex(of: "m").map { scalars.index(after: $0) } ?? endIndex
      pieces += [(self[start..<escape], false), (self[escape..<stop], true)]
      start = stop
    }
    return pieces + [(self[start...], false)]
  }
}
