import AllNodes
import Engine
import Language

/// The reference as a folder of Markdown files, a page for each topic, node and command, from the declarations alone.
///
/// Pages lead to each other where they say `flow docs NAME`, or the name of a command.
struct DocsPages {
  /// A page: its path in the folder, without `.md`, and what it is listed by.
  private struct Page {
    let path: String
    let name: String
    let summary: String
    let text: String

    init(_ folder: String, _ name: String, _ summary: String, _ text: String) {
      (path, self.name, self.summary, self.text) = ("\(folder)/\(name)", name, summary, text)
    }
  }

  private let chapters: [(title: String, pages: [Page])] = [
    ("Topics", Topic.all.map { Page("topics", $0.name, $0.summary, TopicMarkdown.text($0, .all)) }),
    ("Sources", Self.nodes("sources", Catalog.all.sources)),
    ("Steps", Self.nodes("steps", Catalog.all.steps)),
    ("Sinks", Self.nodes("sinks", Catalog.all.sinks)),
    (
      "Commands",
      Command.all.map { Page("commands", $0.name, $0.summary, $0.manual?.markdown ?? $0.markdown) }
    ),
  ]

  private static func nodes(_ folder: String, _ specs: [NodeSpec]) -> [Page] {
    specs.map { Page(folder, $0.kind, $0.summary, NodeMarkdown.text($0)) }
  }

  /// The path and text of each file.
  func files() -> [(path: String, text: String)] {
    [("index.md", index)]
      + chapters.flatMap { chapter in chapter.pages.map { ("\($0.path).md", text(of: $0)) } }
  }

  /// Writes them; returns a message for the first that cannot be written.
  func write(to folder: String) -> String? {
    for (name, text) in files() {
      let path = folder + "/" + name
      NewFile.makeFolders(of: path)
      if let problem = NewFile.write(Array(text.utf8), to: path, isForced: true) { return problem }
    }
    return nil
  }

  private var index: String {
    chapters.reduce(into: "# Reference\n") { text, chapter in
      text += "\n## \(chapter.title)\n\n| | |\n|---|---|\n"
      for page in chapter.pages {
        text += "| [`\(page.name)`](\(page.path).md) | \(page.summary.markdownCell) |\n"
      }
    }
  }

  /// The text with the headings of a page of its own, and with links.
  private func text(of page: Page) -> String {
    var isCode = false
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode || line.hasPrefix("```") { return String(line) }
      return line.hasPrefix("##") ? String(line.dropFirst()) : linked(line, from: page)
    }
    let others = named(page.name).filter { $0.path != page.path }
    let also = others.map { link($0, "\($0.name)", from: page) + " (\($0.path.split(separator: "/")[0]))" }
    return lines.joined(separator: "\n")
      + (also.isEmpty ? "" : "\nSee also \(also.joined(separator: ", ")).\n")
  }

  /// A line whose pieces of code that name a page lead there.
  private func linked(_ line: Substring, from page: Page) -> String {
    let pieces = line.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    // Of a line that is not text and code in turn nothing is known.
    guard pieces.count % 2 == 1, !pieces.dropFirst().dropLast().contains("") else { return String(line) }
    return pieces.enumerated().map { index, piece in
      guard index % 2 == 1 else { return piece }
      guard let target = target(of: piece), target.path != page.path else { return "`\(piece)`" }
      return link(target, piece, from: page)
    }.joined()
  }

  /// The page that a piece of code names: `flow docs filter` that of the node, `flow state ls` that of the command.
  private func target(of code: String) -> Page? {
    let words = code.split(separator: " ").map(String.init)
    guard words.count > 1, words[0] == "flow" else { return nil }
    if words.count == 3, words[1] == "docs" { return named(words[2]).first }
    return chapters.last?.pages.first { $0.name == words[1] }
  }

  private func named(_ name: String) -> [Page] { chapters.flatMap(\.pages).filter { $0.name == name } }

  private func link(_ target: Page, _ text: String, from page: Page) -> String {
    "[`\(text)`](../\(target.path).md)"
  }
}

extension Command {
  /// The page of a command without a declaration of its arguments: its help.
  fileprivate var markdown: String { "## `flow \(name)`\n\n\(summary.sentence)\n\n    flow \(usage)\n" }
}

extension Manual {
  /// The page of a command and its subcommands, as Markdown.
  fileprivate var markdown: String {
    ([own(level: "##")] + parts.map { $0.own(level: "###") }).joined(separator: "\n\n") + "\n"
  }

  private func own(level: String) -> String {
    var blocks = ["\(level) `flow \(name)`", summary.sentence, "```sh\nflow \(usage)\n```"]
    if !about.isEmpty { blocks.append(about) }
    for (title, options) in groups where !options.isEmpty {
      let rows = options.map { "| `\($0.spelled.markdownCell)` | \($0.summary.markdownCell) |" }
      blocks.append((["| \(title.lowercased()) | meaning |", "|---|---|"] + rows).joined(separator: "\n"))
    }
    if !examples.isEmpty {
      blocks.append("```sh\n\(examples.map { "# \($0.what)\n\($0.command)" }.joined(separator: "\n"))\n```")
    }
    return blocks.joined(separator: "\n\n")
  }
}
