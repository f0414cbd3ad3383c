import Nodes
import Engine
import Language

/// `flow docs`: the documentation of sources, steps and sinks.
enum DocsCommand {
  static let format = CommandOption(
    "format", .choice(["text", "markdown"]), "text (the default), or markdown")

  static let manual = Manual(
    "docs", "show the documentation of a source, step or sink",
    operands: .optional("KIND", of: Array(Set(Catalog.all.nodes.map(\.kind))).sorted()),
    options: [format],
    about: "Without KIND it lists all of them; in Markdown it documents all of them.",
    examples: [("flow docs filter", "filter and its options")])

  static let command = Command(manual) { arguments in
    let isMarkdown = arguments.text(format) == "markdown"
    guard let kind = arguments.operands.first else {
      Terminal.say(isMarkdown ? markdown(Catalog.all.nodes) : NodesCommand.text)
      return ExitStatus.done
    }
    // A kind may be both a source and a sink.
    let specs = Catalog.all.named(kind)
    if specs.isEmpty {
      let near = nearest(to: kind, among: Catalog.all.nodes.map(\.kind)).map { "did you mean \(quoted($0))?" }
      Terminal.complain(
        "flow docs: unknown source, step or sink \(quoted(kind)); \(near ?? "flow nodes lists them all")\n"
      )
      return ExitStatus.usage
    }
    Terminal.say(isMarkdown ? markdown(specs) : text(specs))
    return ExitStatus.done
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
