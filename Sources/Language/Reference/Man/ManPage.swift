/// A manual page in roff, with the man macros.
///
///     var page = ManPage("flow-nodes", section: 7, "the nodes of pipelines", version: "1.0", date: "2026-11-22")
///     page.heading("Sources")
///     page.text("A source reads `events`.")
///     print(page.text)
///
/// Texts are Markdown as far as topics use it: paragraphs, lists with dashes, and code between backticks, which is bold.
public struct ManPage {
  /// The length of the lines of its source.
  private static let width = 78
  private var lines: [String] = []

  public init(_ name: String, section: Int, _ summary: String, version: String, date: String) {
    lines = [
      ".TH \(Self.inline(name.uppercased())) \(section) \(date) \"flow \(version)\" \"flow manual\"",
      // Neither hyphenated nor justified: names and code would suffer.
      ".nh", ".ad l",
      ".SH NAME", "\(Self.inline(name)) \\- \(Self.inline(summary))",
    ]
  }

  public var source: String { lines.joined(separator: "\n") + "\n" }

  public mutating func heading(_ text: String) { lines.append(".SH \(Self.argument(text.uppercased()))") }

  public mutating func subheading(_ text: String) { lines.append(".SS \(Self.argument(text))") }

  /// Paragraphs, separated by empty lines, lists, and lines of code with four blanks before them.
  public mutating func text(_ text: String) {
    var paragraph: [Substring] = []
    var bullet = false
    func flush() {
      defer { paragraph = [] }
      if paragraph.isEmpty { return }
      if bullet { lines.append(".IP \\(bu 2") } else { beginParagraph() }
      lines += Self.filled(paragraph.joined(separator: " "))
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    ") {
        flush()
        code(String(line.dropFirst(4)))
      } else if line.isEmpty || line.hasPrefix("- ") {
        flush()
        bullet = line.hasPrefix("- ")
        if bullet { paragraph.append(line.dropFirst(2)) }
      } else {
        paragraph.append(line)
      }
    }
    flush()
  }

  /// A name with its meaning: an option, a key, a command.
  public mutating func item(_ name: String, _ meaning: String, note: String = "") {
    lines += [".TP", "\\fB\(Self.escaped(name))\\fP" + (note.isEmpty ? "" : " (\(Self.inline(note)))")]
    let body = meaning.split(separator: "\n").map { Self.filled(String($0)) }
    for (index, paragraph) in body.enumerated() {
      if index > 0 { lines.append(".IP") }
      lines += paragraph
    }
    // An item without a text would take the next macro for its body.
    if body.isEmpty { lines.append("\\&") }
  }

  public mutating func code(_ text: String) {
    beginParagraph()
    lines += [".RS 4", ".nf"]
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.isEmpty ? "\\&" : Self.guarded(Self.escaped(line))
    }
    lines += [".fi", ".RE"]
  }

  /// A heading begins a paragraph by itself.
  private mutating func beginParagraph() {
    if !(lines.last ?? "").hasPrefix(".S") { lines.append(".PP") }
  }

  /// A text of several words as the argument of a macro.
  private static func argument(_ text: String) -> String { "\"\(inline(text).map(quote).joined())\"" }

  private static func quote(_ character: Character) -> String {
    character == "\"" ? "\\(dq" : String(character)
  }

  private static func filled(_ text: String) -> [String] {
    wrapped(inline(text), to: width).map(guarded)
  }

  /// A line that begins with a full stop or a quote would be a request.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  /// A text with its code in bold.
  private static func inline(_ text: some StringProtocol) -> String {
    var result = ""
    for (index, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      // A break between lines must not end the font.
      result += index % 2 == 0 || part.isEmpty ? escaped(part) : "\\fB\(escaped(part))\\fP"
    }
    return result
  }

  /// The characters that roff would take for others.
  private static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      default: result.append(character)
      }
    }
    return result
  }
}
