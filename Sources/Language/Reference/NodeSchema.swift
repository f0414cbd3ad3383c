import JSON

/// The JSON Schema of what stands behind a node's kind: its options, or the value of its shorthand.
struct NodeSchema {
  let schema: JSON.Value

  init(_ spec: NodeSpec) {
    let options = spec.innerOptions
    var forms: [JSON.Value] = []
    if !spec.takesMapping {
      forms.append(
        object(
          options.map { ($0.name, OptionSchema.schema(of: $0)) }, options.filter(\.isRequired).map(\.name)))
    }
    if let short = options.first(where: { $0.name == spec.shorthand }) {
      // That value alone must be enough.
      if !options.contains(where: { $0.isRequired && $0.name != short.name }) {
        forms.append(OptionSchema.schema(of: short))
      }
    }
    if !options.contains(where: \.isRequired) { forms.append(.record([("type", "null")])) }
    var schema = forms.count == 1 ? forms[0] : .record([("anyOf", .array(forms))])
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

  /// The schema of a type, with a scalar that stands for a value in the place of any value that is no text.
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
    if types?.contains("string") ?? (schema.member("enum") == nil) { return open }
    return .record([("anyOf", .array([open, standing]))])
  }

  private static let standing = JSON.Value.record([
    ("type", "string"), ("pattern", #"^\$(vars|config)\.|\$\{"#),
  ])

  private static func plain(_ yaml: String) -> JSON.Value? {
    YAMLDocument(SourceFile(path: "default", text: yaml)) { _ in nil }.root?.value
  }
}
