import Nodes
import Engine
import Language

/// `flow docs`: the reference: topics such as the pipeline file, and every source, step and sink.
enum DocsCommand {
  static let format = CommandOption(
    "format", .choice(["text", "markdown", "man"]), "text (the default), markdown, or man for a manual page")

  static let manual = Manual(
    "docs", "show the reference: a topic, source, step or sink",
    operands: .optional("TOPIC", of: Topic.all.map(\.name) + kinds + CommandPage.pages),
    options: [format],
    about: """
      TOPIC is the kind of a node, or one of \(Topic.all.map(\.name).joined(separator: ", ")). Without TOPIC it lists \
      everything; in Markdown it prints everything.

      As a manual page, TOPIC may also be flow, which is the default, flow-pipeline or flow-nodes: the pages that are \
      installed.
      """,
    examples: [
      ("flow docs filter", "filter and its options"),
      ("flow docs expressions", "what expressions can use"),
      ("flow docs --format markdown > reference.md", "the whole reference"),
      ("flow docs --format man flow-nodes | man -l -", "a manual page that is not installed"),
    ])

  static let command = Command(manual) { arguments in
    let isMan = arguments.text(format) == "man"
    if isMan, let page = CommandPage.named(arguments.operands.first ?? "flow") {
      Terminal.say(page)
      return ExitStatus.done
    }
    let isMarkdown = arguments.text(format) == "markdown"
    guard let kind = arguments.operands.first else {
      Terminal.say(isMarkdown ? topics() + "\n" + markdown(Catalog.all.nodes) : list)
      return ExitStatus.done
    }
    if let topic = Topic.named(kind) {
      Terminal.say(
        isMan
          ? CommandPage.reference.text(topic) : isMarkdown ? TopicMarkdown.text(topic, .all) : text(topic))
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
      Terminal.complain(
        "flow docs: unknown topic, source, step or sink \(quoted(kind)); \(near ?? "flow docs lists them all")\n"
      )
      return ExitStatus.usage
    }
    Terminal.say(
      isMan ? CommandPage.reference.text(specs) : isMarkdown ? markdown(specs) : text(specs))
    return ExitStatus.done
  }

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
