import JSON

/// The JSON Schema of pipeline files, made from what the nodes declare: for editors that complete and check YAML.
///
///     # yaml-language-server: $schema=flow.schema.json
public struct PipelineSchema {
  private let catalog: Catalog

  public static func make(_ catalog: Catalog) -> JSON.Value { PipelineSchema(catalog: catalog).schema }

  private init(catalog: Catalog) { self.catalog = catalog }

  private var schema: JSON.Value {
    let properties: [(String, JSON.Value)] = [
      ("name", described(text, "what the pipeline is called; else the file's name")),
      ("description", described(text, "what it is for")),
      ("include", described(oneOrMany(text), "files of jq definitions for every expression here")),
      (
        "vars",
        described(.record([("type", .array(["object", "null"]))]), "values for $vars; --set replaces them")
      ),
      ("sources", described(names(of: "source"), "where events come from, by name")),
      ("steps", described(list(of: "step", orNull: true), "one chain, from every source")),
      ("streams", described(names(of: "stream"), "chains by name, for what is not one chain")),
      ("sinks", described(names(of: "sink"), "where events go to, by name")),
      ("tests", described(list(of: "test"), "what the pipeline should make of given events")),
      ("on_error", described(reference("on_error"), "how an event that a node fails on is handled")),
      (
        "on_stop",
        described(
          .record([("enum", .array(["keep", "flush"]))]),
          "whether steps keep or flush the events they hold when the pipeline is stopped")
      ),
      (
        "fsync",
        described(
          .record([("enum", .array(["epoch", "never"]))]),
          "whether what is kept and written outlives a power cut, or only the process")
      ),
      (
        "epoch",
        described(
          OptionSchema.opened(schemaOfOptions(EpochOptions.all)),
          "of a source that never rests, how much is kept at a time")
      ),
    ]
    return .record([
      ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "a flow pipeline"),
      ("type", "object"), ("properties", .record(properties)),
      ("required", .array(["sources", "sinks"])), ("additionalProperties", .bool(false)),
      ("$defs", definitions),
    ])
  }

  private var definitions: JSON.Value {
    var all: [(String, JSON.Value)] = []
    for (role, specs, beside) in [
      ("source", catalog.sources, SourceOptions.all), ("step", catalog.steps, StepOptions.all),
      ("sink", catalog.sinks, SinkOptions.beside),
    ] {
      all.append((role, node(role, specs, beside)))
      for spec in specs { all.append(("\(role).\(spec.kind)", NodeSchema(spec).schema)) }
    }
    all += [
      ("stream", object([("from", oneOrMany(text)), ("steps", list(of: "step", orNull: true))], ["from"])),
      ("on_error", OptionSchema.opened(ErrorPolicy.type.schema)),
    ]
    return .record(all + TestSchema.definitions)
  }

  /// Any node of a role: its kind alone, or a mapping with its kind as one of the keys.
  private func node(_ role: String, _ specs: [NodeSpec], _ beside: [AnyOption]) -> JSON.Value {
    var properties: [(String, JSON.Value)] = specs.map { ($0.kind, reference("\(role).\($0.kind)")) }
    properties += beside.map { ($0.name, OptionSchema.schema(of: $0)) }
    let mapping = JSON.Value.record([
      ("type", "object"), ("properties", .record(properties)), ("additionalProperties", .bool(false)),
      ("oneOf", .array(specs.map { .record([("required", .array([.string($0.kind)]))]) })),
    ])
    let bare = specs.filter { spec in !spec.innerOptions.contains { $0.isRequired } }
    guard !bare.isEmpty else { return mapping }
    // A kind such as null is a word of YAML's own where it is not quoted.
    let names = bare.flatMap { [JSON.Value.string($0.kind)] + ($0.kind == "null" ? [.null] : []) }
    return .record([("anyOf", .array([mapping, .record([("enum", .array(names))])]))])
  }

  private func names(of definition: String) -> JSON.Value {
    .record([("type", "object"), ("additionalProperties", reference(definition))])
  }

  private func list(of definition: String, orNull: Bool = false) -> JSON.Value {
    .record([("type", orNull ? .array(["array", "null"]) : "array"), ("items", reference(definition))])
  }
}

private let text = JSON.Value.record([("type", .array(["string", "number", "boolean"]))])

func reference(_ definition: String) -> JSON.Value { .record([("$ref", .string("#/$defs/\(definition)"))]) }

func described(_ schema: JSON.Value, _ doc: String) -> JSON.Value {
  var schema = schema
  schema.setMember("description", .string(doc))
  return schema
}

func oneOrMany(_ schema: JSON.Value) -> JSON.Value {
  .record([("anyOf", .array([schema, .record([("type", "array"), ("items", schema)])]))])
}

/// The schema of a mapping that has these keys and no others.
func object(_ properties: [(String, JSON.Value)], _ required: [String] = []) -> JSON.Value {
  .record(
    [("type", "object"), ("properties", .record(properties)), ("additionalProperties", .bool(false))]
      + (required.isEmpty ? [] : [("required", .array(required.map { .string($0) }))]))
}

/// The JSON Schema of a pipeline's own tests.
enum TestSchema {
  static var definitions: [(String, JSON.Value)] {
    let anything = JSON.Value.emptyObject
    let time = described(
      .record([("type", .array(["string", "integer"]))]), "when, after the start: 6h, 1m30s, 0s")
    let rows = JSON.Value.record([("type", "array")])
    let given = object([
      ("at", time), ("poll", described(rows, "the whole answer to a poll")),
      ("events", described(rows, "events that come together")), ("event", described(anything, "one event")),
      ("error", described(.record([("type", "string")]), "what is wrong with a poll that fails")),
      ("end", described(anything, "the source has ended")),
    ])
    let condition = JSON.Value.record([("type", .array(["string", "boolean", "number"]))])
    let expected = object([
      ("at", time), ("where", described(condition, "an expression that holds for the event")),
      ("is", described(anything, "the event, whole")),
    ])
    func lists(_ definition: String) -> JSON.Value {
      .record([
        ("type", "object"),
        (
          "additionalProperties",
          .record([("type", .array(["array", "null"])), ("items", reference(definition))])
        ),
      ])
    }
    let test = object(
      [
        (
          "name",
          described(.record([("type", .array(["string", "number", "boolean"]))]), "what the test shows")
        ),
        ("now", described(.record([("type", "string")]), "the time at the start, as 2026-01-01T00:00:00Z")),
        ("vars", described(.record([("type", "object")]), "values for some of the pipeline's vars")),
        ("given", described(lists("given"), "what each source answers")),
        ("expect", described(lists("expected"), "what each sink is given")),
        (
          "web",
          described(
            .record([("type", "object")]),
            "what lookups over HTTP are answered, by address; null where nothing is there")
        ),
      ], ["given", "expect"])
    return [("test", test), ("given", given), ("expected", expected)]
  }
}
