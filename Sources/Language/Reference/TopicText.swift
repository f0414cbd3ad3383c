/// The page of a topic, as Markdown.
public enum TopicMarkdown {
  public static func text(_ topic: Topic, _ catalog: Catalog) -> String {
    let parts = topic.parts(catalog).map { part in
      switch part {
      case .heading(let text): "### \(text)"
      case .text(let text): text
      case .table(let columns, let rows):
        ([row(columns), row(columns.map { _ in "---" })] + rows.map(row)).joined(separator: "\n")
      case .code(let info, _): "```\(info)\n\(part.titledCode)\n```"
      }
    }
    return (["## \(topic.name)", "*\(topic.summary)*"] + parts).joined(separator: "\n\n") + "\n"
  }

  private static func row(_ cells: [String]) -> String {
    "| \(cells.map(\.markdownCell).joined(separator: " | ")) |"
  }
}

/// The page of a topic, as lines for a terminal.
public enum TopicText {
  public static func lines(_ topic: Topic, _ catalog: Catalog, width: Int, paint: Paint = .off) -> [String] {
    let width = max(40, width)
    var lines = [paint(topic.name, .bold) + ": \(topic.summary)"]
    for part in topic.parts(catalog) {
      lines.append("")
      switch part {
      case .heading(let text): lines.append(paint(text, .bold))
      case .text(let text): lines += wrapped(text, to: width)
      case .table(let columns, let rows):
        lines += table(columns, rows.map { $0.map { $0.filter { $0 != "`" } } }, width, paint)
      case .code:
        lines += part.titledCode.split(separator: "\n", omittingEmptySubsequences: false)
          .map { $0.isEmpty ? "" : "  \($0)" }
      }
    }
    return lines
  }

  /// Two cells beside each other; of more, the meaning goes below.
  ///
  /// The cells are without Markdown's backticks.
  private static func table(
    _ columns: [String], _ rows: [[String]], _ width: Int, _ paint: Paint
  ) -> [String] {
    let longest = rows.map { $0.first?.columns ?? 0 }.max() ?? 0
    return rows.flatMap { cells -> [String] in
      let name = cells.first ?? ""
      let meaning = cells.last ?? ""
      if cells.count == 2, longest <= 24 {
        let words = wrapped(meaning, to: width, indent: longest + 4)
        let first = (words.first ?? "").dropFirst(2 + name.columns)
        return ["  " + paint(name, .cyan) + first] + words.dropFirst()
      }
      let middle = zip(columns, cells).dropFirst().dropLast().filter { !$0.1.isEmpty }
        .map { $0 == "default" && $1 != "required" ? "default \($1)" : $1 }.joined(separator: ", ")
      let rest = middle.isEmpty ? "" : " " + paint(middle, .dim)
      return ["  " + paint(name, .cyan) + rest] + wrapped(meaning, to: width, indent: 6)
    }
  }
}

extension Topic.Part {
  /// The text of an example, a pipeline below the name of its file.
  var titledCode: String {
    guard case .code(let info, let text) = self else { return "" }
    let words = info.split(separator: " ")
    guard words.count == 2, words[0] == "yaml", words[1] != "no-test" else { return text }
    return "# \(words[1])\n\(text)"
  }
}

extension Topic {
  /// The topics under a title, as `flow docs` lists them below the nodes.
  public static func list(width: Int, paint: Paint = .off) -> [String] {
    let column = (all.map(\.name.columns).max() ?? 0) + 4
    return [paint("Topics", .bold)]
      + all.flatMap { topic -> [String] in
        let words = wrapped(topic.summary, to: max(width, column + 20), indent: column)
        return ["  " + paint(topic.name, .cyan) + (words.first ?? "").dropFirst(2 + topic.name.columns)]
          + words.dropFirst()
      }
  }
}
