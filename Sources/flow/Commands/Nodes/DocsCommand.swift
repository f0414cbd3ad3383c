import AllNodes
import Engine
import Language

/// `flow docs`: the reference: topics such as the pipeline file, and every source, step and sink.
enum DocsCommand {
  static let format = CommandOption(
    "format", .choice(["text", "markdown", "man"]), "text (the default), markdown, or man for a manual page")

  static let search = CommandOption("search", .value("WORDS"), "list the pages that have all of these words")

  static let out = CommandOption(
    "out", .path("DIR"), "write the whole reference into this folder, a file for each page, in Markdown")

  static let manual = Manual(
    "docs", "show the reference: a topic, source, step or sink",
    operands: .optional("TOPIC", offering: Topic.all.map(\.name) + kinds + CommandPage.pages),
    options: [search, format, out, Pager.off],
    about: """
      TOPIC is the kind of a node, or one of \(Topic.all.map(\.name).joined(separator: ", ")). Without TOPIC it lists \
      everything; in Markdown it prints everything. On a terminal, what does not fit is shown by $PAGER, or else by less.

      As a manual page, TOPIC may also be flow, which is the default, flow-pipeline or flow-nodes: the pages that are \
      installed.
      """,
    examples: [
      ("flow docs filter", "filter and its options"),
      ("flow docs expressions", "what expressions can use"),
      ("flow docs --search 'rate limit'", "the pages about something"),
      ("flow docs --format markdown > reference.md", "the whole reference"),
      ("flow docs --format markdown --out reference", "the same as pages that lead to each other"),
      ("flow docs --format man flow-nodes | man -l -", "a manual page that is not installed"),
    ])

  static let command = Command(manual) { (arguments) throws(WrongUse) in
    if let text = arguments.text(search) {
      if let topic = arguments.operands.first {
        throw WrongUse(
          "--search goes through all pages: leave out \(quoted(topic)), or put it into the words")
      }
      if arguments.text(format) != nil {
        throw WrongUse("--search lists pages; --format has no effect on that")
      }
      let search = DocsSearch(text)
      if search.pages.isEmpty {
        Terminal.complain(
          "flow docs: no page has \(quoted(text)); try fewer words, or flow docs for the list\n")
        return ExitStatus.failed
      }
      Pager.show(search.text(width: Terminal.textWidth, Terminal.paint), arguments)
      return ExitStatus.done
    }
    if let folder = arguments.text(out) {
      if let topic = arguments.operands.first {
        throw WrongUse("--out writes the whole reference: leave out \(quoted(topic))")
      }
      if let format = arguments.text(format), format != "markdown" {
        throw WrongUse("--out writes Markdown; --format \(format) prints one page")
      }
      if let problem = DocsPages().write(to: folder) {
        Terminal.complain("flow docs: \(problem)\n")
        return ExitStatus.usage
      }
      return ExitStatus.done
    }
    let isMan = arguments.text(format) == "man"
    if isMan, let page = CommandPage.named(arguments.operands.first ?? "flow") {
      Terminal.say(page)
      return ExitStatus.done
    }
    let isMarkdown = arguments.text(format) == "markdown"
    guard let kind = arguments.operands.first else {
      Pager.show(isMarkdown ? topics() + "\n" + markdown(Catalog.all.nodes) : list, arguments)
      return ExitStatus.done
    }
    if let topic = Topic.named(kind) {
      Pager.show(
        isMan
          ? CommandPage.reference.text(topic) : isMarkdown ? TopicMarkdown.text(topic, .all) : text(topic),
        arguments)
      return ExitStatus.done
    }
    // A kind may be both a source and a sink.
    let specs = Catalog.all.named(kind)
    if specs.isEmpty {
      if Catalog.all.formats.contains(kind) {
        Terminal.complain("flow docs: \(quoted(kind)) is a format of decode; see flow docs decoders\n")
        return ExitStatus.usage
      }
      let near = nearest(to: kind, among: Topic.all.map(\.name) + kinds).map { "did you mean \(quoted($0))?" }
      let pages = near == nil ? DocsSearch(kind).pages : []
      let names = pages.prefix(4).map(\.name).joined(separator: ", ")
      let others =
        pages.isEmpty ? "flow docs lists them all" : "the word occurs in \(names); see flow docs --search"
      Terminal.complain(
        "flow docs: unknown topic, source, step or sink \(quoted(kind)); \(near ?? others)\n")
      return ExitStatus.usage
    }
    Pager.show(
      isMan ? CommandPage.reference.text(specs) : isMarkdown ? markdown(specs) : text(specs), arguments)
    return ExitStatus.done
  }

  /// Whether there is a page of that name.
  static func has(_ name: String) -> Bool { Topic.named(name) != nil || !Catalog.all.named(name).isEmpty }

  private static let kinds = Array(Set(Catalog.all.nodes.map(\.kind))).sorted()

  /// All topics and nodes, a line each.
  private static var list: String {
    (Topic.list(width: Terminal.textWidth, paint: Terminal.paint) + [""]
      + Catalog.all.list(width: Terminal.textWidth, paint: Terminal.paint)
      + ["", "flow docs TOPIC describes one."]).joined(separator: "\n") + "\n"
  }

  private static func topics() -> String {
    Topic.all.map { TopicMarkdown.text($0, .all) }.joined(separator: "\n")
  }

  private static func text(_ topic: Topic) -> String {
    TopicText.lines(topic, .all, width: Terminal.textWidth, paint: Terminal.paint).joined(separator: "\n")
      + "\n"
  }

  private static func markdown(_ specs: [NodeSpec]) -> String {
    specs.map(NodeMarkdown.text).joined(separator: "\n")
  }

  private static func text(_ specs: [NodeSpec]) -> String {
    let width = Terminal.textWidth
    return specs.map {
      NodeText.lines($0, width: width, paint: Terminal.paint).joined(separator: "\n") + "\n"
    }
    .joined(separator: "\n\n")
  }
}
