import System

/// The text on one line, with the characters that a terminal would obey escaped as in JSON.
///
///     printable("two\nlines \u{1B}[2J")  // two\nlines \u001b[2J
///
/// Escaped are control characters (a line break as `\n`, a tab as `\t`), line and paragraph separators, what
/// turns the direction of writing, and byte order marks. A backslash stays as it is: this is for eyes, not
/// for reading back.
public func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isObeyed) else { return text }
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if isObeyed(scalar) {
      shown.append(contentsOf: escape(scalar).unicodeScalars)
    } else {
      shown.append(scalar)
    }
  }
  return String(shown)
}

/// A text with its control characters escaped, except line breaks and tabs.
public func printableLines(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
  var shown = ""
  var line = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if scalar == "\n" || scalar == "\t" {
      shown += printable(String(line))
      shown.unicodeScalars.append(scalar)
      line.removeAll()
    } else {
      line.append(scalar)
    }
  }
  return shown + printable(String(line))
}

private func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}

private func escape(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": return "\\n"
  case "\r": return "\\r"
  case "\t": return "\\t"
  default:
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// A command quoted for a shell, on one line and printable; for showing, never for running.
///
///     shellQuoted(["./tell.sh", "it's late", "a\nb"])  // ./tell.sh 'it'\''s late' $'a\nb'
public func shellQuoted(_ arguments: [String]) -> String {
  arguments.map { shellQuoted($0) }.joined(separator: " ")
}

public func shellQuoted(_ text: String) -> String {
  if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
  let shown = printable(text)
  if shown == text { return "'" + text.replacing("'", by: #"'\''"#) + "'" }
  // The escapes that `printable` writes are those that `$'…'` reads.
  let escaped = text.replacing("\\", by: "\\\\").replacing("'", by: "\\'")
  return "$'" + printable(escaped) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: "_-+./:,@%=".utf8.contains(byte)
  }
}
