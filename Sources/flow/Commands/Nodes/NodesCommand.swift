import JSON
import Nodes
import Engine
import Language

/// `flow nodes`: the sources, steps and sinks there are.
enum NodesCommand {
  static let json = Option("json", .flag, "everything that is declared of each, for other programs")

  static let manual = Manual(
    "nodes", "list the sources, steps and sinks there are", options: [json],
    examples: [
      ("flow nodes", "the list"), ("flow nodes --json | flow eval -r '.[].kind'", "their names alone"),
    ])

  static let command = Command(manual) { arguments in
    if arguments.has(json) {
      Terminal.say(Terminal.pretty(.array(Catalog.all.nodes.map(\.json))))
    } else {
      Terminal.say(text)
    }
    return ExitStatus.done
  }

  static var text: String {
    (Catalog.all.list(width: Terminal.textWidth, paint: Terminal.paint)
      + ["", "flow docs KIND says more of one."]).joined(separator: "\n") + "\n"
  }
}
