/// The line of a file that a problem is about, and carets below what is meant, for any terminal.
struct Excerpt {
  /// The most columns shown of a line.
  static let width = 96

  let lines: [String]

  init(_ place: SourceRange, masking secrets: Secrets) {
    let number = place.position.line
    let range = place.file.range(ofLine: number)
    let start = min(place.range.lowerBound, range.upperBound)
    let end = max(start, min(place.range.upperBound, range.upperBound))
    let bytes = place.file.bytes
    let pieces = [range.lowerBound..<start, start..<end, end..<range.upperBound].map { piece in
      Array(printable(tabsAsSpaces(String(decoding: bytes[piece], as: UTF8.self))).unicodeScalars)
    }
    let whole = String(String.UnicodeScalarView(pieces.joined()))
    var shown = Array(secrets.maskedInPlace(whole).unicodeScalars)
    var before = pieces[0].count
    // A long line is shown from a little before the place.
    if before > Excerpt.width * 2 / 3 {
      let cut = before - Excerpt.width / 3
      shown = ["…"] + shown.dropFirst(cut)
      before -= cut - 1
    }
    if shown.count > Excerpt.width { shown = shown.prefix(Excerpt.width) + ["…"] }
    let marked = shown.dropFirst(before).prefix(pieces[1].count)
    let margin = String(repeating: " ", count: max(0, 5 - String(number).count))
    let indent = String(repeating: " ", count: shown.prefix(before).reduce(0) { $0 + $1.columns })
    let carets = String(repeating: "^", count: max(1, marked.reduce(0) { $0 + $1.columns }))
    lines = [
      "\(margin)\(number) | \(String(String.UnicodeScalarView(shown)))",
      "      | \(indent)\(carets)",
    ]
  }
}

private func tabsAsSpaces(_ text: String) -> String {
  String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\t" ? " " : $0 }))
}
