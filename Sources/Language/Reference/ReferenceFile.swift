import System

/// A file of Markdown in the reference, about a topic or a node.
enum ReferenceFile {
  /// A part of a page.
  enum Part: Sendable {
    case heading(String)
    /// Paragraphs, separated by empty lines.
    case text(String)
    /// Rows of cells: the first is a name, the last its meaning.
    case table(columns: [String], rows: [[String]])
    /// An example. `info` is the info string of the fence in Markdown, by which a test knows how to run it.
    case code(info: String, text: String)
  }

  /// The parts of a file of Markdown, some lines standing for parts that are generated.
  static func parts(of text: ArraySlice<UInt8>, generated: (String) -> [Part]? = { _ in nil }) -> [Part] {
    var parts: [Part] = []
    var rest = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.first {
      if line.isEmpty {
        rest.removeFirst()
      } else if line.hasPrefix("### ") {
        parts.append(.heading(String(line.dropFirst(4))))
        rest.removeFirst()
      } else if line.hasPrefix("```") {
        let code = rest.dropFirst().prefix { $0 != "```" }
        parts.append(.code(info: String(line.dropFirst(3)), text: code.joined(separator: "\n")))
        rest = rest.dropFirst(code.count + 2)
      } else if line.hasPrefix("| ") {
        let rows = rest.prefix { $0.hasPrefix("| ") }.map(Self.cells)
        parts.append(.table(columns: rows.first ?? [], rows: Array(rows.dropFirst(2))))
        rest = rest.dropFirst(rows.count)
      } else if let made = generated(String(line)) {
        parts += made
        rest.removeFirst()
      } else {
        let text = rest.prefix { line in
          !["### ", "```", "| "].contains { line.hasPrefix($0) } && generated(String(line)) == nil
        }
        parts.append(.text(Self.paragraphs(text)))
        rest = rest.dropFirst(text.count)
      }
    }
    return parts
  }

  /// The cells of a table's row; a bar in one has a backslash before it.
  private static func cells(_ row: Substring) -> [String] {
    let bar = "\u{0}"
    return String(row.dropFirst(2).dropLast(2)).replacing("\\|", by: bar).split(separator: "|").map {
      $0.split(separator: " ").joined(separator: " ").replacing(bar, by: "|")
    }
  }

  /// Paragraphs as one line each, as the points of a list are; lines of code stay as they are.
  private static func paragraphs(_ lines: ArraySlice<Substring>) -> String {
    var text = ""
    for line in lines {
      if line.isEmpty {
        text += "\n\n"
      } else if text.isEmpty || text.hasSuffix("\n") {
        text += line
      } else if line.hasPrefix("- ") || line.hasPrefix("    ") {
        text += "\n\(line)"
      } else {
        text += " \(line.drop { $0 == " " })"
      }
    }
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
