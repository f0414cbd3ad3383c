import JSON

/// The type of an option's value: its name, how it is read from YAML, its schema.
///
/// The types are text, secret, boolean, integer, number, duration, size, choice, path, expression, template,
/// shape, value, stream, variants, and lists and mappings of them.
public struct OptionType<Value: Sendable>: Sendable {
  /// As in `flow docs`: “duration”, “list of expressions”.
  public let name: String
  /// The JSON Schema of it.
  public let schema: JSON.Value
  /// The sample in a skeleton where there is neither a default nor an example.
  public let sample: String
  /// The variants that it may be one of.
  let variants: [Variant]
  /// The value of a node of the file; nil when it is wrong, which is reported.
  public let decode: @Sendable (YAMLNode, Checker) -> Value?

  public init(
    _ name: String, sample: String, schema: JSON.Value, variants: [Variant] = [],
    decode: @escaping @Sendable (YAMLNode, Checker) -> Value?
  ) {
    self.name = name
    self.sample = sample
    self.schema = schema
    self.variants = variants
    self.decode = decode
  }

  /// The same type, with a pattern for editors; what is right is decided by `decode`.
  func like(_ pattern: String) -> OptionType {
    var schema = schema
    schema.setMember("pattern", .string(pattern))
    return OptionType(name, sample: sample, schema: schema, variants: variants, decode: decode)
  }

  /// The same type, its values transformed.
  public func map<Other: Sendable>(
    _ name: String? = nil, _ transform: @escaping @Sendable (Value) -> Other
  ) -> OptionType<Other> {
    OptionType<Other>(name ?? self.name, sample: sample, schema: schema, variants: variants) {
      node, checker in
      decode(node, checker).map(transform)
    }
  }

  /// The same, where `null` is allowed and means that nothing is given.
  var optional: OptionType<Value?> {
    OptionType<Value?>(name, sample: sample, schema: schema) { node, checker in
      if case .null? = checker.resolved(node).scalar?.meaning { return .some(nil) }
      return decode(node, checker).map { .some($0) }
    }
  }

  /// A list of such values; one alone stands for a list of one.
  public static func list<Element: Sendable>(
    of element: OptionType<Element>, count: PartialRangeFrom<Int> = 0...
  ) -> OptionType<[Element]> where Value == [Element] {
    OptionType<[Element]>(
      "list of \(element.name)", sample: "[\(element.sample)]",
      schema: JSON.Value.record([
        ("anyOf", .array([.record([("type", "array"), ("items", element.schema)]), element.schema]))
      ])
    ) { node, checker in
      let node = checker.resolved(node)
      guard case .sequence(let sequence) = node else { return element.decode(node, checker).map { [$0] } }
      if sequence.elements.count < count.lowerBound {
        checker.report(
          sequence.elements.isEmpty ? "the list is empty" : "the list has too few elements", at: node.place,
          hint: "at least \(count.lowerBound), as in [\(element.sample)]")
        return nil
      }
      let decoded = sequence.elements.map { element.decode($0, checker) }
      let values = decoded.compactMap(\.self)
      return values.count == decoded.count ? values : nil
    }
  }

  /// A mapping of names to such values, in the order of the file.
  public static func mapping<Element: Sendable>(
    of element: OptionType<Element>
  ) -> OptionType<[Named<Element>]> where Value == [Named<Element>] {
    OptionType<[Named<Element>]>(
      "mapping of \(element.name)", sample: "{ name: \(element.sample) }",
      schema: .record([("type", "object"), ("additionalProperties", element.schema)])
    ) { node, checker in
      guard let mapping = checker.mapping(node, "a mapping") else { return nil }
      let decoded = mapping.entries.map { entry in
        element.decode(entry.value, checker).map { Named(name: entry.key.text, value: $0) }
      }
      let values = decoded.compactMap(\.self)
      return values.count == decoded.count ? values : nil
    }
  }

  /// Options within an option, read by a form of its own.
  public static func group(_ name: String, _ options: [AnyOption]) -> OptionType<Options>
  where Value == Options {
    OptionType<Options>(
      name, sample: "{}", schema: schemaOfOptions(options)
    ) { node, checker in
      let sample = options.first.map { "for example \(name): { \($0.name): \($0.sample) }" }
      guard let mapping = checker.mapping(node, "a mapping", hint: sample) else { return nil }
      return Options(reading: mapping, as: options, in: checker, what: name)
    }
  }

  /// The same, where `true` stands for all their defaults, and `false` for none of it.
  public static func groupOrTrue(_ name: String, _ options: [AnyOption]) -> OptionType<Options?>
  where Value == Options? {
    let group = OptionType<Options>.group(name, options)
    return OptionType<Options?>(
      "boolean or \(name)", sample: "true",
      schema: .record([("anyOf", .array([.record([("type", "boolean")]), group.schema]))])
    ) { node, checker in
      guard let scalar = checker.resolved(node).scalar else { return group.decode(node, checker) }
      guard let isOn = OptionType<Bool>.boolean.decode(node, checker) else { return nil }
      if !isOn { return .some(nil) }
      let none = YAMLNode.Mapping(entries: [], place: scalar.place)
      return Options(reading: none, as: options, in: checker, what: name)
    }
  }
}

/// A value with the name it has in a mapping.
public struct Named<Value: Sendable>: Sendable {
  public let name: String
  public let value: Value
}

extension JSON.Value: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .string(text) }
}

/// The JSON Schema of a mapping of options.
func schemaOfOptions(_ options: [AnyOption], others: Bool = false) -> JSON.Value {
  var properties = JSON.Value.emptyObject
  for option in options { properties.setMember(Key(option.name), option.schema) }
  let required = options.filter(\.isRequired).map { JSON.Value.string($0.name) }
  return .record(
    [("type", "object"), ("properties", properties)]
      + (required.isEmpty ? [] : [("required", .array(required))])
      + (others ? [] : [("additionalProperties", .bool(false))]))
}
