import JSON

/// A variant of an option's value: a name with options of its own, written `csv` or `csv: { delimiter: ';' }`.
///
/// Declared once beside its code, as a node is; from this come reading, checks, documentation and the schema.
public struct Variant: Sendable {
  public let name: String
  /// One line.
  public let summary: String
  /// More, in paragraphs.
  public let details: String
  public let options: [AnyOption]
  public let examples: [Example]
  /// The rules between options; problems are reported to the checker.
  let check: @Sendable (Options, Checker) -> Void

  public init(
    _ name: String, _ summary: String, details: String = "", options: [AnyOption] = [],
    examples: [Example] = [], check: @escaping @Sendable (Options, Checker) -> Void = { _, _ in }
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.options = options
    self.examples = examples
    self.check = check
  }

  /// An example that `flow docs` shows and a test runs: a text, and the values that it becomes, one per line.
  public struct Example: Sendable {
    public let title: String
    /// The value of the option: `csv`, `{ csv: { delimiter: ';' } }`.
    public let yaml: String
    public let input: String
    public let output: String

    public init(_ title: String, _ yaml: String, input: String, output: String) {
      self.title = title
      self.yaml = yaml
      self.input = input
      self.output = output
    }
  }
}

/// The variant that a file chooses, with its options, defaults included.
public struct ChosenVariant: Sendable {
  public let name: String
  public let options: Options
}

extension OptionType where Value == ChosenVariant {
  /// One of several variants.
  public static func variant(of variants: [Variant]) -> OptionType {
    let names = variants.map(\.name)
    var forms: [JSON.Value] = [.record([("enum", .array(names.map { .string($0) }))])]
    let members = variants.filter { !$0.options.isEmpty }.map { variant in
      var schema = schemaOfOptions(variant.options)
      schema.setMember("description", .string(variant.summary))
      return (variant.name, schema)
    }
    forms.append(
      .record([
        ("type", "object"), ("properties", .record(members)), ("additionalProperties", .bool(false)),
        ("minProperties", .number(1)), ("maxProperties", .number(1)),
      ]))
    return OptionType(
      names.joined(separator: " or "), sample: names.first ?? "",
      schema: .record([("anyOf", .array(forms))]), variants: variants
    ) { node, checker in
      choose(checker.resolved(node), among: variants, checker)
    }
  }
}

/// Reads `NAME` or `NAME: { options }`.
private func choose(_ node: YAMLNode, among variants: [Variant], _ checker: Checker) -> ChosenVariant? {
  let names = variants.map(\.name)
  let wanted = "one of \(alternatives(names))"
  let key: Scalar
  var mapping: YAMLNode.Mapping
  switch node {
  case .mapping(let given):
    guard let entry = given.entries.first, given.entries.count == 1 else {
      checker.report(
        "\(wanted) is expected here, with its options", at: node.place,
        hint: "for example \(names.first ?? ""): { … }")
      return nil
    }
    key = entry.key
    let empty = entry.value.scalar.map { $0.meaning == .null && $0.written.isEmpty } ?? false
    let none = YAMLNode.Mapping(entries: [], place: key.place)
    guard
      let found = empty
        ? none : checker.mapping(entry.value, "a mapping of options", hint: "the options of \(key.text)")
    else { return nil }
    mapping = found
  default:
    guard let scalar = checker.scalar(node, wanted) else { return nil }
    key = scalar
    mapping = YAMLNode.Mapping(entries: [], place: scalar.place)
  }
  guard let variant = variants.first(where: { $0.name == key.text }) else {
    checker.report(
      "\(quoted(key.text)) is not \(wanted)", at: key.place,
      hint: nearest(to: key.text, among: names).map { "did you mean \(quoted($0))?" })
    return nil
  }
  if mapping.entries.isEmpty { mapping.place = key.place }
  guard let options = Options(reading: mapping, as: variant.options, in: checker, what: variant.name) else {
    return nil
  }
  variant.check(options, checker)
  return ChosenVariant(name: variant.name, options: options)
}
