import JSON

/// One option of a node, declared once: from this come reading, checking, documentation and the schema.
///
///     static let quiet = Option.required("for", .duration, "how long a key must be quiet")
///     static let bound = Option("bound", .integer(1...), default: "65536", "how many keys may wait")
///     …
///     options[quiet]  // a Duration
public struct Option<Value: Sendable>: Sendable {
  public let name: String
  public let type: OptionType<Value>
  public let doc: String
  /// As YAML; nil when the option must be given.
  public let fallback: String?
  /// The example in skeletons and the documentation, as YAML.
  public let example: String?
  /// Whether `null` is the same as not given.
  let isOptional: Bool
  /// The name that it had, which files may still use.
  private(set) var formerly: String?

  /// An option with a default, written as YAML.
  public init(
    _ name: String, _ type: OptionType<Value>, default fallback: String, formerly: String? = nil,
    _ doc: String, example: String? = nil
  ) {
    self.init(name, type, fallback, doc, example, isOptional: false)
    self.formerly = formerly
  }

  private init(
    _ name: String, _ type: OptionType<Value>, _ fallback: String?, _ doc: String, _ example: String?,
    isOptional: Bool
  ) {
    self.name = name
    self.type = type
    self.fallback = fallback
    self.doc = doc
    self.example = example
    self.isOptional = isOptional
  }

  /// An option that must be given.
  public static func required(
    _ name: String, _ type: OptionType<Value>, _ doc: String, example: String? = nil
  ) -> Option {
    Option(name, type, nil, doc, example, isOptional: false)
  }

  /// An option that need not be given and has no default.
  public static func optional<Wrapped: Sendable>(
    _ name: String, _ type: OptionType<Wrapped>, _ doc: String, example: String? = nil
  ) -> Option where Value == Wrapped? {
    Option(name, type.optional, "null", doc, example, isOptional: true)
  }
}

extension Option {
  /// The value of a text outside of a pipeline, such as an argument of a command.
  ///
  /// - Parameter place: What gives the text, for error messages.
  public func value(of text: String, from place: String, in catalog: Catalog) throws(Problem) -> Value {
    let file = SourceFile(path: place, text: text)
    let checker = Checker(vars: .null, config: .null, scope: ExpressionScope(), catalog: catalog)
    let (value, problems) = read(file, checker)
    if let problem = problems.sorted.first ?? checker.problems.sorted.first { throw problem }
    guard let value else {
      throw Problem(
        "\(type.name) is expected here", at: SourceRange(file, 0..<0), hint: "such as \(type.sample)")
    }
    return value
  }

  fileprivate func read(_ file: SourceFile, _ checker: Checker) -> (value: Value?, problems: Problems) {
    let document = YAMLDocument(file) { _ in nil }
    return (document.root.flatMap { type.decode($0, checker) }, document.problems)
  }
}

/// An option of any type: what the documentation and the reader need of it.
public struct AnyOption: Sendable {
  public let name: String
  public let doc: String
  public let typeName: String
  /// As YAML; nil when there is none.
  public let fallback: String?
  public let isRequired: Bool
  /// The name that it had, which files may still use.
  public let formerly: String?
  /// As YAML: the example, the default, or a value of the type.
  public let sample: String
  public let schema: JSON.Value
  /// The variants that it may be one of.
  public let variants: [Variant]
  let decode: @Sendable (YAMLNode, Checker) -> (any Sendable)?
  let decodeFallback: @Sendable (Checker) -> (any Sendable)?

  public init<Value>(_ option: Option<Value>) {
    name = option.name
    formerly = option.formerly
    doc = option.doc
    typeName = option.type.name
    variants = option.type.variants
    fallback = option.isOptional ? nil : option.fallback
    isRequired = option.fallback == nil
    sample = option.example ?? (option.isOptional ? nil : option.fallback) ?? option.type.sample
    var schema = option.type.schema
    schema.setMember("description", .string(option.doc))
    self.schema = schema
    decode = { node, checker in option.type.decode(node, checker) }
    decodeFallback = { checker in
      guard let text = option.fallback else { return nil }
      // A default is no mistake of the file.
      let shape = checker.shape
      checker.shape = nil
      defer { checker.shape = shape }
      return option.read(SourceFile(path: "default of \(option.name)", text: text), checker).value
    }
  }
}

extension AnyOption {
  /// Lists options of different types: `.list(key, quiet, bound)`.
  ///
  /// By hand: found by reflection in a group, or as property wrappers, those of three nodes take two lines less each, and a
  /// tenth more instructions at every start. A Tidy test finds one that is left out.
  public static func list<each Value>(_ option: repeat Option<each Value>) -> [AnyOption] {
    var all: [AnyOption] = []
    repeat all.append(AnyOption(each option))
    return all
  }
}

/// The option values of a node, defaults included, each looked up by its declaration.
public struct Options: Sendable {
  private var values: [String: any Sendable] = [:]
  /// Their place in the file.
  public let place: SourceRange
  private var places: [String: SourceRange] = [:]

  /// Reads a mapping; nil when an option is missing or wrong, which is reported.
  init?(
    reading mapping: YAMLNode.Mapping, as options: [AnyOption], in checker: Checker, what: String,
    alsoAllowed: [String] = []
  ) {
    place = mapping.place
    var isRight = true
    // The options that misspelt names were meant for, which are not reported as missing too.
    var meant: Set<String> = []
    for entry in mapping.entries {
      let name = entry.key.text
      guard let option = options.first(where: { $0.name == name || $0.formerly == name }) else {
        if !alsoAllowed.contains(name) {
          checker.reportUnknown(entry.key, option: name, of: what, among: options.map(\.name))
          meant.formUnion(nearest(to: name, among: options.map(\.name)).map { [$0] } ?? [])
          isRight = false
        }
        continue
      }
      if places[option.name] != nil, let former = option.formerly {
        checker.report(
          "\(quoted(former)) is another name of \(quoted(option.name)), which is given too",
          at: entry.key.place)
      }
      places[option.name] = entry.value.place
      if let value = option.decode(entry.value, checker) {
        values[option.name] = value
      } else {
        isRight = false
      }
    }
    for option in options where places[option.name] == nil {
      if option.isRequired {
        isRight = false
        if mapping.isCut || meant.contains(option.name) { continue }
        checker.report(
          "\(what) needs the option \(quoted(option.name)): \(option.doc)", at: mapping.place,
          hint: "for example \(option.name): \(option.sample)")
      } else if let value = option.decodeFallback(checker) {
        values[option.name] = value
      } else {
        isRight = false
      }
    }
    if !isRight { return nil }
  }

  /// The value of an option.
  public subscript<Value>(_ option: Option<Value>) -> Value {
    guard let value = values[option.name] as? Value else {
      preconditionFailure("the option \(option.name) is not in the node's spec, or with another type")
    }
    return value
  }

  /// The expressions that are written in the file, in the order of their names.
  package var expressions: [(name: String, expression: Expression)] {
    values.filter { isGiven($0.key) }.compactMap { name, value in
      ((value as? Expression) ?? (value as? Template)?.expression).map { (name, $0) }
    }.sorted { $0.0 < $1.0 }
  }

  /// The same options with another value of one of them.
  func with<Value>(_ value: Value, for option: Option<Value>) -> Options {
    var options = self
    options.values[option.name] = value
    return options
  }

  /// The same options with those of another node in place of the named ones that are not given here.
  func completed(with others: Options, _ names: [String]) -> Options {
    var options = self
    for name in names where !isGiven(name) && others.isGiven(name) {
      options.values[name] = others.values[name]
    }
    return options
  }

  /// The place of an option in the file; the whole node for one that is not given.
  public func place<Value>(of option: Option<Value>) -> SourceRange { places[option.name] ?? place }

  /// Whether an option is written in the file, and not as null where that is the same as leaving it out: a variable may
  /// stand for it that has no value.
  public func isGiven<Value>(_ option: Option<Value>) -> Bool { isGiven(option.name) }

  /// Whether an option is written in the file, also as null.
  public func isWritten<Value>(_ option: Option<Value>) -> Bool { places[option.name] != nil }

  func isGiven(_ name: String) -> Bool {
    // Taken out first: the look-up's own optional is none of the option's.
    guard places[name] != nil, let value = values[name] else { return false }
    return (value as? any MaybeAbsent)?.isAbsent != true
  }
}

private protocol MaybeAbsent {
  var isAbsent: Bool { get }
}

extension Optional: MaybeAbsent {
  fileprivate var isAbsent: Bool { self == nil }
}
