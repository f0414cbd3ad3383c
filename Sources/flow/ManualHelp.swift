extension Manual {
  /// Lines of the help are no longer than this, where the words allow it.
  static let width = 80

  /// What `--help` says.
  var help: String {
    var text = "flow \(usage)    \(summary)\n"
    if !about.isEmpty { text += "\n" + Manual.wrapped(about, indent: 0) }
    if !examples.isEmpty {
      text += "\n"
      for (command, what) in examples { text += "  # \(what)\n  \(command)\n" }
    }
    text += "\nOptions\n"
    let rows = allOptions.map { (Manual.spelled($0), $0.summary) }
    let column = min(28, (rows.map(\.0.count).max() ?? 0) + 2)
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

  /// As in `  -n, --lines NUM`.
  private static func spelled(_ option: Option) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    var long = "--\(option.name)"
    if case .toggle = option.form { long += ", --no-\(option.name)" }
    return "  \(short)\(long)\(option.valueName.map { " \($0)" } ?? "")"
  }

  /// The text in lines that begin that far to the right; an empty line stays one.
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
