import System

/// Texts within the limits of services, escaped for the markup that a service reads.

/// How a service counts the length of a text.
enum TextUnit {
  /// UTF-16 code units, at least as many as characters: for limits in characters.
  case characters
  /// Bytes of UTF-8.
  case bytes

  func length(_ text: String) -> Int {
    switch self {
    case .characters: text.utf16.count
    case .bytes: text.utf8.count
    }
  }
}

/// A text, escaped, of at most `limit` units; a longer one ends with “…” behind its last whole character that fits.
///
/// No character and no entity is cut in two.
func fitted(
  _ text: String, _ limit: Int, _ unit: TextUnit = .characters, escaping: (String) -> String = { $0 }
) -> String {
  let whole = escaping(text)
  if unit.length(whole) <= limit { return whole }
  var room = limit - unit.length("…")
  var kept = ""
  for character in text {
    let piece = escaping(String(character))
    room -= unit.length(piece)
    if room < 0 { break }
    kept += piece
  }
  return unit.length("…") <= limit ? kept + "…" : ""
}

/// A link that is short enough, or nothing: a link that is cut leads elsewhere.
func fittedLink(_ link: String, _ limit: Int) -> String { link.utf16.count <= limit ? link : "" }

/// A text with the characters escaped that Slack interprets: it decodes these three entities and no others.
func slackMarkup(_ text: String) -> String { markup(text, escaping: .brackets) }

/// A tag without the characters that would end a hashtag.
func hashtag(_ text: String) -> String {
  String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
}

extension Message {
  /// The tags in one line of at most `limit` characters; what does not fit is left out.
  func tagLine(_ separator: String = " · ", _ limit: Int = 1000, tag: (String) -> String = { $0 }) -> String {
    var line = ""
    for word in tags.map(tag) {
      let next = line.isEmpty ? word : line + separator + word
      if next.utf16.count > limit { break }
      line = next
    }
    return line
  }
}
