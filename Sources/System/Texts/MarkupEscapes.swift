// Texts as they stand in HTML, XML and SVG.

/// The characters of a text that are escaped.
package enum MarkupEscapes: Sendable {
  /// `&`, `<` and `>`, for readers that decode no others.
  case brackets
  /// `"` as well: what the text holds stays the same, in an attribute too.
  case quotes
  /// `'` as well; and what XML 1.0 cannot hold is replaced by U+FFFD.
  case all
}

/// A text, escaped.
package func markup(_ text: String, escaping escapes: MarkupEscapes = .all) -> String {
  var bytes: [UInt8] = []
  appendMarkup(text, to: &bytes, escaping: escapes)
  return String(decoding: bytes, as: UTF8.self)
}

/// Appends a text, escaped, to a document.
package func appendMarkup(
  _ text: String, to document: inout [UInt8], escaping escapes: MarkupEscapes = .all
) {
  var text = text
  text.withUTF8 { text in
    // Most texts have nothing to escape: what lies between is copied as a whole.
    var start = 0
    for (place, byte) in text.enumerated() {
      let escape: StaticString
      var length = 1
      switch byte {
      case UInt8(ascii: "&"): escape = "&amp;"
      case UInt8(ascii: "<"): escape = "&lt;"
      case UInt8(ascii: ">"): escape = "&gt;"
      case UInt8(ascii: "\"") where escapes != .brackets: escape = "&quot;"
      case UInt8(ascii: "'") where escapes == .all: escape = "&#39;"
      case 0..<32 where escapes == .all && ![9, 10, 13].contains(byte): escape = "\u{FFFD}"
      // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
      case 0xef where escapes == .all && text[place + 1] == 0xbf && text[place + 2] >= 0xbe:
        escape = "\u{FFFD}"
        length = 3
      default: continue
      }
      document.append(contentsOf: text[start..<place])
      escape.withUTF8Buffer { document.append(contentsOf: $0) }
      start = place + length
    }
    document.append(contentsOf: text[start...])
  }
}
