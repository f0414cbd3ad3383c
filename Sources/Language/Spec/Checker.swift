import JSON

/// The checker, which every option is read with: collects problems, secrets and what only one node may have.
public final class Checker {
  public var problems = Problems()
  public var secrets = Secrets()
  /// `$vars` and `$config`, for expressions and for scalars that name them.
  let vars: JSON.Value
  let config: JSON.Value
  let scope: ExpressionScope
  /// Streams that the options of the present node read, besides what flows into it.
  var streamsRead: [Scalar] = []
  /// The things that only one node may have, such as the file that a sink writes.
  private(set) var claims: [Claim] = []
  /// Files that belong to the pipeline.
  var files = ReferredFiles()
  /// Whether there is a program of that name, or a script, on this machine.
  public internal(set) var commandExists: (_ name: String, _ isProgram: Bool) -> Bool = { _, _ in true }
  let catalog: Catalog
  /// The shape of the events that the present node is given, where it is known.
  var shape: EventShape?
  /// The shape of what comes out of each stream.
  var shapes: [String: EventShape] = [:]
  /// The members that `$meta` may have; nil where a source of the pipeline may add any.
  var metaMembers: [String]? = ExpressionScope.metaMembers.map(\.name)
  /// The members of `$config` that the pipeline reads.
  var configRead: Set<String> = []
  /// The settings of `--set`.
  var settings: [(name: String, text: String)] = []
  /// Scalars that name a variable which `--set` gives, with that setting.
  private var settingPlaces: [SourceRange: String] = [:]
  /// Scalars whose `$vars` or `$config` name is unknown, which has been reported.
  private var unresolvable: Set<SourceRange> = []

  /// A thing that a node needs for itself among all pipelines of a run.
  struct Claim {
    let thing: String
    let place: SourceRange
    /// The error if another node has it, to which the place of that one is added, and its hint.
    let conflict: (message: String, hint: String)
  }

  init(vars: JSON.Value, config: JSON.Value, scope: ExpressionScope, catalog: Catalog) {
    self.vars = vars
    self.config = config
    self.scope = scope
    self.catalog = catalog
  }

  /// Claims a thing that only one node may have; `message` is the error if another has it.
  public func claim(_ thing: String, at place: SourceRange, _ message: String, hint: String) {
    claims.append(Claim(thing: thing, place: place, conflict: (message, hint)))
  }

  public func report(_ message: String, at place: SourceRange, hint: String? = nil) {
    let setting = settingPlaces[place].map { " (\(printable($0)))" } ?? ""
    problems.report(message + setting, at: place, hint: hint)
  }

  /// Reports what is allowed and hardly meant.
  public func warn(_ message: String, at place: SourceRange, hint: String? = nil) {
    problems.report(Problem(message, at: place, hint: hint, isWarning: true))
  }

  public func report(_ flaw: TextError, in scalar: Scalar) {
    if settingPlaces[scalar.place] != nil {
      return report(flaw.message, at: scalar.place, hint: flaw.hint)
    }
    problems.report(scalar.problem(flaw))
  }

  /// Reads the text of a scalar; nil, and a problem, when that fails.
  func read<Value>(_ scalar: Scalar, _ parse: (String) throws(TextError) -> Value) -> Value? {
    do throws(TextError) { return try parse(scalar.text) } catch { report(error, in: scalar) }
    return nil
  }

  /// The scalar, with `$vars.NAME` and `$config.NAME` replaced by what they stand for.
  public func resolved(_ node: YAMLNode) -> YAMLNode {
    guard case .scalar(let scalar) = node, scalar.meaning == .string, scalar.text.hasPrefix("$") else {
      return node
    }
    for (root, value) in [("$vars", vars), ("$config", config)] where scalar.text.hasPrefix(root + ".") {
      let path = scalar.text.dropFirst(root.count + 1).split(separator: ".", omittingEmptySubsequences: false)
      guard path.allSatisfy(isName) else { return node }
      if root == "$config" { configRead.insert(String(path[0])) }
      guard let found = path.reduce(Optional(value), { $0?.member(String($1)) }) else {
        let known = path.count == 1 ? value.keys.map(\.name) : []
        reportMember(root, path.joined(separator: "."), among: known, at: scalar.place)
        unresolvable.insert(scalar.place)
        return node
      }
      if root == "$vars", let setting = settings.last(where: { $0.name == path[0] }) {
        settingPlaces[scalar.place] = "--set \(setting.name)=\(setting.text)"
      }
      return YAMLNode(found, at: scalar)
    }
    return node
  }

  /// Reports a member that `$vars`, `$config` or `$meta` does not have.
  func reportMember(_ root: String, _ name: String, among known: [String], at place: SourceRange) {
    let none =
      switch root {
      case "$vars": "the pipeline's vars have no such name"
      case "$config": "config.yaml has no such entry"
      default: "flow docs expressions lists its members"
      }
    report("\(root) has no \(quoted(name))", at: place, hint: suggestion(for: name, among: known) ?? none)
  }

  /// A scalar of any kind; nil, and a problem, for a list or mapping.
  func scalar(_ node: YAMLNode, _ wanted: String) -> Scalar? {
    let found = resolved(node)
    if case .scalar(let scalar) = found {
      return unresolvable.contains(scalar.place) ? nil : scalar
    }
    report("\(wanted) is expected here, not \(found.kind)", at: node.place)
    return nil
  }

  func mapping(
    _ node: YAMLNode, _ wanted: String, hint: @autoclosure () -> String? = nil
  ) -> YAMLNode.Mapping? {
    let found = resolved(node)
    if case .mapping(let mapping) = found { return mapping }
    if unresolvable.contains(node.place) { return nil }
    report("\(wanted) is expected here, not \(found.kind)", at: node.place, hint: hint())
    return nil
  }

  func reportUnknown(_ key: Scalar, option name: String, of what: String, among allowed: [String]) {
    var hint = nearest(to: name, among: allowed).map { "did you mean \(quoted($0))?" }
    if let place = catalog.named(what).compactMap({ self.properPlace(of: name, in: $0) }).first {
      hint = place
    } else if hint == nil {
      let others = catalog.nodes.filter { $0.options.contains { $0.name == name } }.map(\.kind)
      let list = allowed.isEmpty ? "it has no options" : "it has \(alternatives(allowed))"
      // What many have is no clue to what was meant.
      hint =
        others.isEmpty || others.count > 6
        ? list : "\(list); \(alternatives(others)) would have \(quoted(name))"
    }
    report("\(what) has no option \(quoted(name))", at: key.place, hint: hint)
  }
}

private func isName(_ text: Substring) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isWordByte($0) }
}

extension YAMLNode {
  /// A value instead of the scalar that names it.
  init(_ value: JSON.Value, at scalar: Scalar) {
    switch value.kind {
    case .array:
      var elements: [YAMLNode] = []
      value.forEachElement { elements.append(YAMLNode($0, at: scalar)) }
      self = .sequence(Sequence(elements: elements, place: scalar.place))
    case .object:
      var entries: [Entry] = []
      value.forEachMember { key, value in
        let name = scalar.standing(for: key.string ?? "", .string)
        entries.append(Entry(key: name, value: YAMLNode(value, at: scalar)))
      }
      self = .mapping(Mapping(entries: entries, place: scalar.place))
    case .string: self = .scalar(scalar.standing(for: value.string ?? "", .string))
    default: self = .scalar(scalar.standing(for: value.description, coreMeaning(value.description)))
    }
  }

  /// The node as a JSON value, each scalar by what it means.
  public var value: JSON.Value {
    switch self {
    case .scalar(let scalar): return scalar.value
    case .sequence(let sequence): return .array(sequence.elements.map(\.value))
    case .mapping(let mapping): return .record(mapping.entries.map { ($0.key.text, $0.value.value) })
    }
  }
}

extension Scalar {
  func standing(for text: String, _ meaning: Meaning) -> Scalar {
    Scalar(
      text: text, written: written, style: style, meaning: meaning, place: place, variables: variables,
      map: TextMap(), secrets: secrets)
  }

  public var value: JSON.Value {
    switch meaningWithVariables {
    case .null: .null
    case .boolean(let flag): .bool(flag)
    case .integer(let number): JSON.Value.literal(text) ?? .number(number)
    case .number(let number): JSON.Value.literal(text) ?? .number(number)
    case .string: .string(text)
    }
  }

  /// The meaning where `${NAME}` may be a number.
  var meaningWithVariables: Meaning {
    meaning == .string && style == .plain && !variables.isEmpty ? coreMeaning(text) : meaning
  }
}
