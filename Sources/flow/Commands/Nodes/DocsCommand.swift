import Nodes
import Engine
import Language

/// `flow docs`: what a source, step or sink does and takes.
enum DocsCommand {
  static let format = CommandOption(
    "format", .choice(["text", "markdown"]), "text (the default), or markdown")

  static let manual = Manual(
    "docs", "explain a source, step or sink",
    operands: .optional("KIND", of: Array(Set(Catalog.all.nodes.map(\.kind))).sorted()),
    options: [format],
    about: "Without KIND it lists them all; in Markdown it explains them all.",
    examples: [("flow docs filter", "what filter does and takes")])

  static let command = Command(manual) { arguments in
    let isMarkdown = arguments.text(format) == "markdown"
    guard let kind = arguments.operands.first else {
      Terminal.say(isMarkdown ? markdown(Catalog.all.nodes) : NodesCommand.text)
      return ExitStatus.done
    }
    // A kind may be a source and a sink as well.
    let specs = Catalog.all.named(kind)
    if specs.isEmpty {
      let near = nearest(to: kind, among: Catalog.all.nodes.map(\.kind)).map { "did you mean \(quoted($0))?" }
      Terminal.complain(
        "flow docs: there is no source, step or sink \(quoted(kind)); \(near ?? "flow nodes lists them all")\n"
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
