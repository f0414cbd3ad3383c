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
      text += "\nCommands\n" + Manual.columns([parts.map { ("  \($0.usage)", $0.summary) }], most: 40)[0]
      text += "\nflow \(name) \(parts.map(\.word).joined(separator: "|")) --help describes each.\n"
    }
    let rows = allGroups.map {
      $0.options.map { ("  " + ($0.short == nil ? "    " : "") + $0.spelled, $0.summary) }
    }
    for (group, table) in zip(allGroups, Manual.columns(rows, most: 28)) {
      text += "\n\(group.title)\n\(table)"
    }
    return text
  }

  /// Tables of names and descriptions, in the same two columns; the first is at most `most` wide.
  private static func columns(_ tables: [[(String, String)]], most: Int) -> [String] {
    let column = min(most, (tables.joined().map(\.0.count).max() ?? 0) + 2)
    return tables.map { rows in
      rows.map { spelling, help in
        let words = Manual.wrapped(help, indent: column)
        return spelling + (spelling.count + 2 > column ? "\n\(words)" : words.dropFirst(spelling.count))
      }.joined()
    }
  }

  /// The text wrapped and indented; an empty line is kept, and so is one of code, with four blanks before it.
  static func wrapped(_ text: String, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if paragraph.hasPrefix("    ") {
        lines.append(margin + paragraph)
        continue
      }
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

extension String {
  /// A summary as a sentence.
  var sentence: String { "\(prefix(1).uppercased())\(dropFirst())\(hasSuffix(".") ? "" : ".")" }
}
