import Nodes
import Engine
import Language

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
