import Engine
import Language

/// `flow graph`: shows the nodes of a pipeline and their connections.
enum GraphCommand {
  static let format = CommandOption(
    "format", .choice(["text", "mermaid", "dot", "svg"]),
    "text for people (the default), mermaid for Markdown, dot for Graphviz, or svg")

  static let manual = Manual(
    "graph", "show the nodes of a pipeline and how they connect", operands: .one("FILE", or: .installed),
    options: [format, PipelineFiles.set, PipelineFiles.config],
    about: """
      Options are shown as written; secrets are redacted.
      """,
    examples: [
      ("flow graph slips", "as a tree"),
      ("flow graph --format svg slips > slips.svg", "as a drawing"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let files = try PipelineFiles(arguments.operands, arguments)
    files.complain()
    guard files.isRight, files.isDecided, let plan = files.plans.first else { return ExitStatus.usage }
    let diagram = Diagram(plan, masking: files.secrets)
    switch arguments.text(format) {
    case "mermaid": Terminal.say(DiagramMermaid.text(diagram))
    case "dot": Terminal.say(DiagramDot.text(diagram))
    case "svg": Terminal.say(DiagramSVG.text(diagram))
    default:
      let lines = DiagramText.lines(diagram, width: Terminal.columns(1) ?? 100, paint: Terminal.paint)
      Terminal.say(lines.joined(separator: "\n") + "\n")
    }
    return ExitStatus.done
  }
}
