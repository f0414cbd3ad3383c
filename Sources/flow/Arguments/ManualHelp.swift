extension Manual {
  /// The length to which lines of the help are wrapped.
  static let width = 80

  /// The output of `--help`.
  var help: String {
    var text = "flow \(usage)    \(summary)\n"
    if !about.isEmpty { text += "\n" + Manual.wrapped(about, indent: 0) }
    if !examples.isEmpty {
      text += "\n"
      for (command, what) in examples { text += "  # \(what)\n  \(command)\n" }
    }
    if !parts.isEmpty {
      text += "\nCommands\n" + Manual.columns(parts.map { ("  \($0.usage)", $0.summary) }, most: 40)
      text += "\nflow \(name) \(parts.map(\.word).joined(separator: "|")) --help describes each.\n"
    }
    text +=
      "\nOptions\n"
      + Manual.columns(
        allOptions.map { ("  " + ($0.short == nil ? "    " : "") + $0.spelled, $0.summary) }, most: 28)
    return text
  }

  /// Names and descriptions in two columns; the first is at most `limit` wide.
  private static func columns(_ rows: [(String, String)], most: Int) -> String {
    let column = min(most, (rows.map(\.0.count).max() ?? 0) + 2)
    var text = ""
    for (spelling, help) in rows {
      let words = Manual.wrapped(help, indent: column)
      if spelling.count + 2 > column {
        text += spelling + "\n" + words
      } else {
        text += spelling + words.dropFirst(spelling.count)
      }
    }
    return text
  }

  /// The text wrapped and indented; an empty line is kept.
  static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, indent + line.count + 1 + word.count > width {
          lines.append(margin + line)
          line = ""
        }
        line += line.isEmpty ? String(word) : " \(word)"
      }
      lines.append(line.isEmpty ? "" : margin + line)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
