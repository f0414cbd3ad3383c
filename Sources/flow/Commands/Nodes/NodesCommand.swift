import AllNodes
import JSON
import Engine
import Language

/// `flow nodes`: lists all sources, steps and sinks.
enum NodesCommand {
  static let json = CommandOption("json", .flag, "print their full declarations as JSON")

  static let manual = Manual(
    "nodes", "list all sources, steps and sinks", options: [json],
    examples: [
      ("flow nodes", "the list"), ("flow nodes --json | flow eval -r '.[].kind'", "only their names"),
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
      + ["", "flow docs KIND describes one."]).joined(separator: "\n") + "\n"
  }
}

/// `flow schema`: prints the JSON Schema of pipeline files.
enum SchemaCommand {
  static let manual = Manual(
    "schema", "print the JSON Schema of pipeline files, for editors",
    about: """
      Editors with yaml-language-server use it to complete and check pipelines: put this line at the top of a file.

          # yaml-language-server: $schema=flow.schema.json

      Or name pipelines NAME.flow.yaml, and map *.flow.yaml to the schema in the settings of the editor. make install \
      puts it into share/flow. It is JSON Schema, draft 7.
      """,
    examples: [("flow schema > flow.schema.json", "into the folder of the pipelines")])

  static let command = Command(manual) { _ in
    Terminal.say(Terminal.pretty(PipelineSchema.make(.all, version: VersionCommand.version)))
    return ExitStatus.done
  }
}
