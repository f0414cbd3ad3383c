import JSON
import Language
import System

extension TextFormat {
  /// YAML documents.
  package static let yaml: TextFormat = .init(
    Variant(
      "yaml", "YAML documents, each a value",
      details: """
        Numbers, booleans and null are those of YAML 1.2's core schema; dates stay text. Aliases and merge keys (`<<`) \
        are followed, within a million values. A key that is given twice, or is not a text, is an error. `${NAME}` means \
        nothing here. A tag beyond that schema, as in `!Ref name` or `!secret token`, is left out, and what it stands before is \
        read as without it; `!!binary` stays the text in base64.
        """,
      examples: [
        .init(
          "two documents", "yaml", input: "a: &x [1, yes]\nb: *x\n---\ntext: '${HOME}'",
          output: #"{"a":[1,"yes"],"b":[1,"yes"]}"# + "\n" + #"{"text":"${HOME}"}"#),
        .init("tags of others", "yaml", input: "Bucket: !Ref Logs", output: #"{"Bucket":"Logs"}"#),
      ]),
    isWhole: true
  ) { input in
    WholeText(input, .yaml) { text throws(TextFlaw) in
      try YAMLData.values(of: Array(text), refusal: input.budget.begin())
    }
  }
}
