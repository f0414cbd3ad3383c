import JSON

/// The JSON Schema (draft 7) of pipeline files, made from what the nodes declare: for editors that complete and check YAML.
///
///     # yaml-language-server: $schema=flow.schema.json
public struct PipelineSchema {
  /// The identifier of the schema; it names no place on the web.
  static let id = "urn:flow:pipeline"

  private let catalog: Catalog
  private let version: String

  /// The schema; `version` is that of the program whose nodes it describes.
  public static func make(_ catalog: Catalog, version: String = "") -> JSON.Value {
    PipelineSchema(catalog: catalog, version: version).schema
  }

  private init(catalog: Catalog, version: String) { (self.catalog, self.version) = (catalog, version) }

  private var schema: JSON.Value {
    let properties = keys([
      ("name", text, "the name of the pipeline (default: the file's name)"),
      ("description", text, "the purpose of the pipeline"),
      ("include", oneOrMany(text), "files of jq definitions for every expression here"),
      ("vars", type("object", "null"), "the default values of $vars, which --set overrides"),
      (
        "time_zone", type("string", "null"),
        "the zone of local times and cron schedules; by default that of config.yaml, then TZ"
      ),
      ("sources", names(of: "source"), "the sources by name"),
      ("steps", list(of: "step", orNull: true), "one chain, fed by all sources"),
      ("streams", names(of: "stream"), "named chains"),
      ("sinks", names(of: "sink"), "the sinks by name"),
      ("tests", list(of: "test"), "the tests of the pipeline"),
      ("on_error", reference("on_error"), "how an event that a node fails on is handled"),
      (
        "on_stop", choice("keep", "flush"),
        "whether steps keep or flush waiting events when the pipeline is stopped"
      ),
      (
        "fsync", choice("epoch", "never"),
        "whether committed data survives a power cut, or only the process"
      ),
      (
        "epoch", OptionSchema.opened(schemaOfOptions(EpochOptions.all)),
        "how much of a continuous source goes into one commit"
      ),
      (
        "trace", .record([("type", "string"), ("pattern", "^[1-9][0-9]* events$")]),
        "how many of the last events are kept with the state, for `flow why` and `why-not`; as in 1000 events"
      ),
      ("at", text, "the machine of a cluster that runs this pipeline, because its files are there"),
    ])
    return .record([
      // Draft 7 is the one that editors know.
      ("$schema", "http://json-schema.org/draft-07/schema#"), ("$id", .string(Self.id)),
      ("$comment", .string("flow \(version)")),
      ("title", "a flow pipeline"), ("type", "object"), ("properties", .record(properties)),
      ("patternProperties", .record([("^x-", .emptyObject)])),
      ("required", .array(["sources", "sinks"])), ("additionalProperties", .bool(false)),
      ("definitions", definitions),
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
    return ifMapping(mapping, else: .record([("enum", .array(names))]))
  }

  private func names(of definition: String) -> JSON.Value {
    .record([("type", "object"), ("additionalProperties", reference(definition))])
  }

  private func list(of definition: String, orNull: Bool = false) -> JSON.Value {
    .record([("type", orNull ? .array(["array", "null"]) : "array"), ("items", reference(definition))])
  }
}

private let text = type("string", "number", "boolean")

/// The schema of values of a type, or of some.
private func type(_ names: JSON.Value...) -> JSON.Value {
  .record([("type", names.count == 1 ? names[0] : .array(names))])
}

private func choice(_ words: JSON.Value...) -> JSON.Value { .record([("enum", .array(words))]) }

/// Keys of a mapping, with a description of each.
private func keys(_ rows: [(name: String, schema: JSON.Value, doc: String)]) -> [(String, JSON.Value)] {
  rows.map { ($0.name, described($0.schema, $0.doc)) }
}

func reference(_ definition: String) -> JSON.Value {
  .record([("$ref", .string("#/definitions/\(definition)"))])
}

func described(_ schema: JSON.Value, _ doc: String) -> JSON.Value {
  // Draft 7 ignores whatever is beside a reference.
  var schema = schema.member("$ref") == nil ? schema : .record([("allOf", .array([schema]))])
  schema.setMember("description", .string(doc))
  return schema
}

/// The schema of a mapping, or of what is none: so an editor names what is wrong within it, and not that no form fits.
func ifMapping(_ mapping: JSON.Value, else other: JSON.Value) -> JSON.Value {
  .record([("if", .record([("type", "object")])), ("then", mapping), ("else", other)])
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
    let rows = type("array")
    let time: (String, JSON.Value, String) = (
      "at", type("string", "integer"), "the time after the start: 6h, 1m30s, 0s"
    )
    let given = keys([
      time, ("poll", rows, "the rows of a poll"),
      (
        "coverage", choice("complete", "truncated", "partial"),
        "how much of its list the poll has seen; complete by default"
      ),
      (
        "order", type("string"),
        "of a truncated poll, the member by which the list is sorted: .date, descending -.date"
      ),
      (
        "last", anything,
        "of a truncated poll, the position of its last row; by default that of the last row given"
      ),
      ("moves", type("boolean"), "of a truncated poll, whether rows change their position"),
      ("each", anything, "the entry that was polled, of a source with each; with error, the one that failed"),
      ("entry", anything, "what that entry is known by, unless it is the entry itself"),
      (
        "gone", choice("remove", "forget"),
        "of the empty poll of an entry that has left its list, what happens to its rows"
      ),
      ("events", rows, "events that arrive together"), ("event", anything, "one event"),
      ("error", type("string"), "the error of a failed poll"), ("end", anything, "the source ends"),
    ])
    let expected = keys([
      time, ("where", type("string", "boolean", "number"), "a condition for the event"),
      ("is", anything, "the whole event"),
    ])
    func lists(_ definition: String) -> JSON.Value {
      let list = JSON.Value.record([("type", .array(["array", "null"])), ("items", reference(definition))])
      return .record([("type", "object"), ("additionalProperties", list)])
    }
    let test = keys([
      ("name", text, "what the test shows"),
      ("now", type("string"), "the time at the start, such as 2026-01-01T00:00:00Z"),
      ("vars", type("object"), "values for some of the pipeline's vars"),
      ("given", lists("given"), "the polls and events of each source"),
      ("expect", lists("expected"), "the expected events of each sink"),
      ("web", type("object"), "the responses to lookups by address; null for a missing resource"),
    ])
    return [
      ("test", object(test, ["given", "expect"])), ("given", object(given)), ("expected", object(expected)),
    ]
  }
}

/// The JSON Schema of what stands behind a node's kind: its options, or the value of its shorthand.
struct NodeSchema {
  let schema: JSON.Value

  init(_ spec: NodeSpec) {
    let options = spec.innerOptions
    var forms: [JSON.Value] = []
    let mapping = object(
      options.map { ($0.name, OptionSchema.schema(of: $0)) }
        + options.compactMap { option in option.formerly.map { ($0, OptionSchema.former(option)) } },
      options.filter(\.isRequired).map(\.name))
    if let short = options.first(where: { $0.name == spec.shorthand }) {
      // That value alone must be enough.
      if !options.contains(where: { $0.isRequired && $0.name != short.name }) {
        forms.append(OptionSchema.schema(of: short))
      }
    }
    if !options.contains(where: \.isRequired) { forms.append(.record([("type", "null")])) }
    let others = forms.count == 1 ? forms[0] : .record([("anyOf", .array(forms))])
    var schema = forms.isEmpty ? mapping : spec.takesMapping ? others : ifMapping(mapping, else: others)
    let details = spec.details.isEmpty ? "" : "\n\n" + spec.details
    schema.setMember("description", .string(spec.summary + details))
    self.schema = schema
  }
}

/// The JSON Schemas of options, as they may be written in a file.
enum OptionSchema {
  static func schema(of option: AnyOption) -> JSON.Value {
    var forms = [opened(option.schema)]
    if !option.isRequired, option.fallback == nil { forms.append(.record([("type", "null")])) }
    var schema = forms.count == 1 ? forms[0] : .record([("anyOf", .array(forms))])
    schema.setMember("description", .string("\(option.doc) (\(option.need))"))
    if let fallback = option.fallback, let value = plain(fallback) { schema.setMember("default", value) }
    return schema
  }

  /// The schema of an option under the name that it had.
  static func former(_ option: AnyOption) -> JSON.Value {
    var schema = schema(of: option)
    schema.setMember("deprecated", .bool(true))
    schema.setMember("description", .string("the former name of \(option.name)"))
    return schema
  }

  /// The schema of a type, with a scalar that stands for a value in the place of any value that is not any text.
  ///
  /// Such are `$vars.NAME`, `$config.NAME` and whatever has `${NAME}` in it.
  static func opened(_ schema: JSON.Value) -> JSON.Value {
    if let forms = schema.member("anyOf") {
      var open = schema
      open.setMember("anyOf", .array((forms.items ?? []).map(opened)))
      return open
    }
    var open = schema
    for key in ["items", "additionalProperties"] {
      if let inner = schema.member(key), case .object = inner.kind { open.setMember(Key(key), opened(inner)) }
    }
    if let properties = schema.member("properties") {
      var all: [(String, JSON.Value)] = []
      properties.forEachMember { key, value in all.append((key.string ?? "", opened(value))) }
      open.setMember("properties", .record(all))
    }
    let types = schema.member("type").map { $0.string.map { [$0] } ?? ($0.items ?? []).compactMap(\.string) }
    let isText = types?.contains("string") ?? (schema.member("enum") == nil)
    if isText, schema.member("pattern") == nil { return open }
    return .record([("anyOf", .array([open, standing]))])
  }

  private static let standing = JSON.Value.record([
    ("type", "string"), ("pattern", #"^\$(vars|config)\.|\$\{"#),
  ])

  private static func plain(_ yaml: String) -> JSON.Value? {
    YAMLDocument(SourceFile(path: "default", text: yaml)) { _ in nil }.root?.value
  }
}
