/// The line of a file that a problem is about, and carets below what is meant, for any terminal.
struct Excerpt {
  /// The most columns shown of a line.
  static let width = 96

  let lines: [String]

  init(_ place: Place, masking secrets: Secrets) {
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
    let indent = String(repeating: " ", count: shown.prefix(before).reduce(0) { $0 + columns($1) })
    let carets = String(repeating: "^", count: max(1, marked.reduce(0) { $0 + columns($1) }))
    lines = [
      "\(margin)\(number) | \(String(String.UnicodeScalarView(shown)))",
      "      | \(indent)\(carets)",
    ]
  }
}

private func tabsAsSpaces(_ text: String) -> String {
  String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\t" ? " " : $0 }))
}

/// How many columns of a terminal a character takes: none when it combines, two when it is wide.
func columns(_ scalar: Unicode.Scalar) -> Int {
  if scalar.isASCII { return 1 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: break
  }
  switch scalar.value {
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
    0x20000...0x3FFFD:
    return 2
  default: return 1
  }
}
