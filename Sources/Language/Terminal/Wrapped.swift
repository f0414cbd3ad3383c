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
