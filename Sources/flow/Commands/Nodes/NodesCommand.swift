import JSON
import Nodes
import Engine
import Language

/// `flow nodes`: the sources, steps and sinks there are.
enum NodesCommand {
  static let json = CommandOption("json", .flag, "everything that is declared of each, for other programs")

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

/// `flow schema`: the JSON Schema of pipeline files.
enum SchemaCommand {
  static let manual = Manual(
    "schema", "write the JSON Schema of pipelines, for editors",
    about: """
      Editors that speak yaml-language-server complete and check pipelines with it: put this line at the top of one.

      # yaml-language-server: $schema=flow.schema.json
      """,
    examples: [("flow schema > flow.schema.json", "into the folder of the pipelines")])

  static let command = Command(manual) { _ in
    Terminal.say(Terminal.pretty(PipelineSchema.make(.all)))
    return ExitStatus.done
  }
}
