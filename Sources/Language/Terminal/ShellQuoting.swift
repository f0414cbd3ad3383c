/// A command as somebody could type it into a shell, on one line and printable; for showing, never for running.
///
///     shellQuoted(["./tell.sh", "it's late", "a\nb"])  // ./tell.sh 'it'\''s late' $'a\nb'
public func shellQuoted(_ arguments: [String]) -> String {
  arguments.map { shellQuoted($0) }.joined(separator: " ")
}

public func shellQuoted(_ text: String) -> String {
  if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
  let shown = printable(text)
  if shown == text { return "'" + text.replacing("'", with: #"'\''"#) + "'" }
  // The escapes that `printable` writes are those that `$'…'` reads.
  let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  return "$'" + printable(escaped) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: "_-+./:,@%=".utf8.contains(byte)
  }
}
