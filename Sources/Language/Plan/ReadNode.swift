import JSON

extension PlanBuilder {
  /// A node as it is written: which one, its options, and the options beside it.
  struct Written {
    let spec: NodeSpec
    let options: Options?
    let beside: Options?
    /// The options on one line, secrets masked.
    let shown: String
    let place: SourceRange
  }

  /// Reads `{ kind: options, … }`, where the other keys are options that all nodes of that role have.
  ///
  /// Nil when it is not known which node is meant, which is reported.
  mutating func readNode(
    _ node: YAMLNode, role: String, among specs: [NodeSpec], beside: [AnyOption]
  ) -> Written? {
    if case .scalar(let scalar) = node,
      scalar.meaning == .string || specs.contains(where: { $0.kind == scalar.written })
    {
      // `- count`: a node without options.
      guard let spec = find(scalar, role, specs) else { return nil }
      let empty = YAMLNode.Mapping(entries: [], place: scalar.place)
      return Written(
        spec: spec, options: read(nil, spec, at: scalar.place),
        beside: Options(reading: empty, as: beside, in: checker, what: spec.kind), shown: "",
        place: scalar.place)
    }
    guard let mapping = checker.mapping(node, "a \(role)", hint: "for example \(sample(specs))") else {
      return nil
    }
    let kinds = mapping.entries.filter { entry in !beside.contains { $0.name == entry.key.text } }
    guard let first = kinds.first else {
      // It may be what could not be read.
      if !document.isWhole { return nil }
      checker.report(
        "the kind of this \(role) is missing", at: mapping.place,
        hint: "for example \(sample(specs))")
      return nil
    }
    let known = kinds.filter { entry in specs.contains { $0.kind == entry.key.text } }
    let chosen = known.first ?? first
    if let other = known.dropFirst().first {
      checker.report(
        "one \(role) is \(quoted(chosen.key.text)) already", at: other.key.place,
        hint: role == "step" ? "begin a new line with “- ” for each step" : "give each its own name")
    }
    let rest = mapping.entries.filter { entry in
      !known.contains { $0.key.text == entry.key.text } && entry.key.text != chosen.key.text
    }
    let besideMapping = YAMLNode.Mapping(entries: rest, place: mapping.place)
    let spec = find(chosen.key, role, specs)
    reportStrays(rest, beside, spec)
    let besideOptions = Options(
      reading: besideMapping, as: beside, in: checker, what: "a \(role)", alsoAllowed: rest.map(\.key.text))
    guard let spec else { return nil }
    let options = read(chosen.value, spec, at: chosen.key.place)
    let shown = ShownOptions(chosen.value, spec, masking: checker.secrets).text
    return Written(
      spec: spec, options: options, beside: besideOptions, shown: shown, place: chosen.key.place)
  }

  /// Options that stand beside the node instead of within it, and nonsense.
  private func reportStrays(_ entries: [YAMLNode.Entry], _ beside: [AnyOption], _ spec: NodeSpec?) {
    for entry in entries where !beside.contains(where: { $0.name == entry.key.text }) {
      let name = entry.key.text
      let own = spec?.innerOptions.map(\.name) ?? []
      let hint =
        own.contains(name)
        ? "it is an option of \(spec?.kind ?? ""): move it in, as in \(spec?.kind ?? ""): { \(name): … }"
        : spec.flatMap { checker.properPlace(of: name, in: $0) }
          ?? suggestion(for: name, among: beside.map(\.name) + own)
      checker.report("\(quoted(name)) is not an option here", at: entry.key.place, hint: hint)
    }
  }

  private func sample(_ specs: [NodeSpec]) -> String {
    let text = specs.first?.examples.first?.yaml ?? ""
    return text.contains("\n") ? (specs.first?.kind ?? "") + ": …" : text
  }

  /// The node of that name; a problem if there is none.
  private func find(_ name: Scalar, _ role: String, _ specs: [NodeSpec]) -> NodeSpec? {
    if let spec = specs.first(where: { $0.kind == name.text }) { return spec }
    if let elsewhere = catalog.named(name.text).first {
      checker.report(
        "\(quoted(name.text)) is a \(elsewhere.roleName), not a \(role)", at: name.place,
        hint: elsewhere.roleName == "step" ? "put it under steps" : "put it under \(elsewhere.roleName)s")
      return nil
    }
    if role == "step", name.text == SinkOptions.from.name {
      checker.report(
        "a step has no from: what a chain reads is beside its steps", at: name.place,
        hint: "give it a name: streams: { main: { from: orders, steps: [ … ] } }")
      return nil
    }
    // `console "…"`, without the colon.
    let words = name.text.split(separator: " ", maxSplits: 1).map(String.init)
    if words.count == 2, specs.contains(where: { $0.kind == words[0] }) {
      checker.report(
        "unknown \(role) \(quoted(name.text))", at: name.place,
        hint: "what belongs to \(words[0]) stands behind a colon: \(words[0]): …")
      return nil
    }
    let near = nearest(to: name.text, among: specs.map(\.kind))
    let usual = usualNames[role]?[name.text.lowercased()]
    checker.report(
      "unknown \(role) \(quoted(name.text))", at: name.place,
      hint: (usual ?? near).map { "did you mean \(quoted($0))?" } ?? "flow nodes lists them all")
    // So that the mistakes in its options are found too.
    return usual == nil ? specs.first { $0.kind == near } : nil
  }

  /// The options of a node: a mapping, the one value of a shorthand, or nothing.
  private func read(_ value: YAMLNode?, _ spec: NodeSpec, at place: SourceRange) -> Options? {
    let options = spec.innerOptions
    let empty = YAMLNode.Mapping(entries: [], place: place)
    var mapping = empty
    switch value {
    case nil: break
    case .scalar(let scalar)? where scalar.meaning == .null && scalar.written.isEmpty: break
    case .mapping(let given)? where !spec.takesMapping: mapping = given
    case let value?:
      guard let shorthand = spec.shorthand else {
        checker.report(
          "\(spec.kind) needs a mapping of options, not \(value.kind)", at: value.place,
          hint: options.isEmpty ? "it has no options" : "it has \(alternatives(options.map(\.name)))")
        return nil
      }
      let key = Scalar(
        text: shorthand, written: shorthand, style: .plain, meaning: .string, place: place, variables: [],
        map: TextMap())
      mapping = YAMLNode.Mapping(entries: [YAMLNode.Entry(key: key, value: value)], place: value.place)
    }
    if mapping.entries.isEmpty { mapping.place = place }
    mapping.entries += defaults(of: spec, options, beside: mapping)
    guard let read = Options(reading: mapping, as: options, in: checker, what: spec.kind) else { return nil }
    // Of what was cut off no combination is wrong.
    if mapping.isCut { return nil }
    spec.check(read, checker)
    return read
  }
}

/// Reads the defaults that a config gives nodes:
///
///     defaults:
///       launch_library: { url: "https://lldev.thespacedevs.com", cache: 1h }
///       notify: { through: bell }
///       sources: { fresh: 3 }
extension PlanBuilder {
  private var allDefaults: [YAMLNode.Entry] { reader.defaults?.mapping?.entries ?? [] }

  /// The config's defaults for those options of a node that are not given.
  func defaults(of spec: NodeSpec, _ options: [AnyOption], beside given: YAMLNode.Mapping) -> [YAMLNode.Entry]
  {
    let entries = allDefaults.filter { $0.key.text == spec.kind }.flatMap { $0.value.mapping?.entries ?? [] }
    return entries.filter { entry in
      given[entry.key.text] == nil && options.contains { $0.name == entry.key.text }
    }
  }

  /// The age that is too old for all sources.
  var defaultFresh: PollsOrTime? {
    let entries = allDefaults.filter { $0.key.text == Self.allSources }
    let node = entries.compactMap { $0.value.mapping?[SourceOptions.fresh.name]?.value }.first
    return node.flatMap { SourceOptions.fresh.type.decode($0, checker) } ?? nil
  }

  /// The name of the defaults for what stands beside all sources.
  private static let allSources = "sources"

  /// Checks that all of them are options of known nodes.
  func checkDefaults() {
    guard let root = reader.defaults else { return }
    let hint = "for example defaults: { launch_library: { cache: 1h } }"
    guard checker.mapping(root, "defaults", hint: hint) != nil else { return }
    for entry in allDefaults {
      let kind = entry.key.text
      let areAll = kind == Self.allSources
      let names =
        areAll ? [SourceOptions.fresh.name] : catalog.named(kind).flatMap { $0.options.map(\.name) }
      if !areAll, catalog.named(kind).isEmpty {
        checker.report(
          "unknown node \(quoted(kind))", at: entry.key.place,
          hint: suggestion(for: kind, among: catalog.nodes.map(\.kind)))
      } else if let options = checker.mapping(entry.value, "the options of \(kind)", hint: hint) {
        for option in options.entries where !names.contains(option.key.text) {
          checker.reportUnknown(option.key, option: option.key.text, of: kind, among: names)
        }
      }
    }
  }
}

/// A node's options on one line, for listings and drawings: as they are written, but never a secret.
///
/// `filter: .n > 1` gives `.n > 1`, `debounce: { key: .id, for: 2m }` gives `key: .id, for: 2m`. Values of the
/// environment stay `${NAME}`.
struct ShownOptions {
  let text: String

  init(_ value: YAMLNode, _ spec: NodeSpec, masking secrets: Secrets) {
    text = secrets.masked(ShownOptions.line(value, spec))
  }

  private static func line(_ value: YAMLNode, _ spec: NodeSpec) -> String {
    func isSecret(_ name: String?) -> Bool {
      spec.options.contains { $0.name == name && $0.typeName.hasSuffix("secret") }
    }
    guard case .mapping(let mapping) = value, !spec.takesMapping else {
      if isSecret(spec.shorthand) { return hidden(value) }
      if let scalar = value.scalar, scalar.meaning == .null, scalar.written.isEmpty { return "" }
      return value.scalar.map { printable($0.written) } ?? FlowYAML.text(value)
    }
    return mapping.entries.map { entry in
      let name = entry.key.text
      return "\(printable(name)): \(isSecret(name) ? hidden(entry.value) : FlowYAML.text(entry.value))"
    }.joined(separator: ", ")
  }

  /// Nothing but the names of the variables that a secret comes from.
  private static func hidden(_ value: YAMLNode) -> String {
    guard let scalar = value.scalar, let name = scalar.variables.first else { return "***" }
    return scalar.written == "${\(name)}" ? scalar.written : "***"
  }
}

/// Names that other programs have for nodes, by role.
private let usualNames: [String: [String: String]] = [
  "source": [
    "url": "http", "fetch": "http", "rest": "http", "api": "http", "https": "http", "curl": "http",
    "input": "stdin", "tail": "file", "jsonl": "file", "log": "file", "interval": "generate",
  ],
  "step": [
    "select": "filter", "where": "filter", "reject": "filter", "transform": "map", "mapping": "map",
    "project": "map", "unique": "dedupe", "distinct": "dedupe", "limit": "take", "head": "take",
    "diff": "changes",
    "aggregate": "window", "group": "window", "reduce": "scan", "lookup": "enrich", "quiet": "debounce",
    "rate_limit": "throttle", "deadline": "timeout", "order": "sort", "print": "log",
  ],
  "sink": [
    "stdout": "console", "print": "console", "log": "console", "terminal": "console", "webhook": "http",
    "post": "http", "https": "http", "slack": "http", "file": "jsonl", "jsonlines": "jsonl",
    "ndjson": "jsonl",
    "command": "exec", "shell": "exec", "run": "exec", "calendar": "ics", "ical": "ics", "desktop": "notify",
    "notification": "notify", "discard": "null",
  ],
]
