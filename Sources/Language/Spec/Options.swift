/// The options that a node was given, defaults included, each asked for by its declaration.
public struct Options: Sendable {
  private var values: [String: any Sendable] = [:]
  /// Where they stand in the file.
  public let place: SourceRange
  private var places: [String: SourceRange] = [:]

  /// Reads a mapping; nil when an option is missing or wrong, which is reported.
  init?(
    reading mapping: YAMLNode.Mapping, as options: [AnyOption], in checker: Checker, what: String,
    alsoAllowed: [String] = []
  ) {
    place = mapping.place
    var isRight = true
    // What a misspelt name was meant to be; that it is missing too goes without saying.
    var meant: Set<String> = []
    for entry in mapping.entries {
      let name = entry.key.text
      guard let option = options.first(where: { $0.name == name }) else {
        if !alsoAllowed.contains(name) {
          checker.reportUnknown(entry.key, option: name, of: what, among: options.map(\.name))
          meant.formUnion(nearest(to: name, among: options.map(\.name)).map { [$0] } ?? [])
          isRight = false
        }
        continue
      }
      places[name] = entry.value.place
      if let value = option.decode(entry.value, checker) { values[name] = value } else { isRight = false }
    }
    for option in options where places[option.name] == nil {
      if option.isRequired {
        isRight = false
        if meant.contains(option.name) { continue }
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

  /// Where an option stands in the file; the whole node for one that is not given.
  public func place<Value>(of option: Option<Value>) -> SourceRange { places[option.name] ?? place }

  /// Whether an option is written in the file, and not as null where that is the same as leaving it out: a variable may
  /// stand for it that has no value.
  public func isGiven<Value>(_ option: Option<Value>) -> Bool {
    // Taken out first: the look-up's own optional is none of the option's.
    guard places[option.name] != nil, let value = values[option.name] else { return false }
    return (value as? any MaybeAbsent)?.isAbsent != true
  }
}

private protocol MaybeAbsent {
  var isAbsent: Bool { get }
}

extension Optional: MaybeAbsent {
  fileprivate var isAbsent: Bool { self == nil }
}
