import JSON

/// The builder of one file's plan, which continues after each problem.
struct PlanBuilder {
  static let keys = [
    "name", "description", "include", "vars", "time_zone", "sources", "steps", "streams", "sinks", "tests",
    "on_error", "on_stop", "epoch", "fsync", "trace", "at",
  ]

  let checker: Checker
  let catalog: Catalog
  let document: YAMLDocument
  /// The root as it is written.
  private let written: YAMLNode
  /// The root with the keys that were probably meant.
  let root: YAMLNode
  private let unknown: [UnknownKey]
  let reader: PipelineReader
  private(set) var settingsUsed: Set<String> = []
  /// Names of sources and streams, with their places.
  var names: [String: SourceRange] = [:]
  /// Sources whose rows are the lists that others are polled over.
  var lists: [Scalar] = []

  /// Whether this is the variant of the pipeline for one of its tests, with its `vars`.
  private let isForTest: Bool
  let included: IncludedDefinitions

  init(
    _ root: YAMLNode, _ document: YAMLDocument, _ reader: PipelineReader, test vars: YAMLNode.Mapping? = nil,
    _ included: IncludedDefinitions? = nil
  ) {
    isForTest = vars != nil
    written = root
    let (root, unknown) = Self.withKnownKeys(root)
    (self.root, self.unknown) = (root, unknown)
    self.document = document
    self.reader = reader
    catalog = reader.catalog
    let variables = Variables(root.mapping?["vars"], reader.settings, test: vars)
    settingsUsed = variables.used
    var problems = variables.problems
    let folder = folderOf(document.file.path)
    let included =
      included
      ?? IncludedDefinitions(
        root.mapping?["include"]?.value, folder: folder, read: reader.readFile,
        installed: reader.installedFile, &problems)
    self.included = included
    let zone = Self.zone(root.mapping?["time_zone"]?.value, variables.value, reader, &problems)
    let scope = ExpressionScope(
      library: included.library, files: included.files, lacksDefinitions: included.isBroken,
      vars: variables.value, config: reader.config, timeZone: zone ?? reader.defaultTimeZone)
    checker = Checker(vars: variables.value, config: reader.config, scope: scope, catalog: catalog)
    checker.problems.add(problems)
    checker.settings = reader.settings
    checker.commandExists = reader.commandExists
    checker.files = ReferredFiles(folder: folder, exists: reader.fileExists)
    for name in included.names { checker.files.add(name) }
    // A recording contains what its sources added.
    let sources = root.mapping?["sources"]?.value.mapping?.entries ?? []
    let kinds = sources.flatMap { $0.value.mapping?.entries.map(\.key.text) ?? [] }
    if kinds.contains(where: { kind in catalog.sources.contains { $0.kind == kind && $0.isScript } }) {
      checker.metaMembers = nil
    }
  }

  /// Whether a pipeline may have this key.
  ///
  /// Those that begin with `x-` are a place for YAML anchors.
  private static func isKey(_ text: String) -> Bool { keys.contains(text) || text.hasPrefix("x-") }

  mutating func build() -> Plan? {
    let hint = "a pipeline is a mapping with sources, steps and sinks"
    guard let given = checker.mapping(written, "a pipeline", hint: hint) else { return nil }
    if let key = Self.foreignKey(of: given) {
      checker.report(
        "this looks like a file of another program: a pipeline has no \(quoted(key.text))", at: key.place,
        hint: "a pipeline has sources, steps and sinks: see flow docs pipeline, and flow new for a first one")
      return nil
    }
    for key in unknown { report(key) }
    let mapping = root.mapping ?? given
    checkDefaults()
    let onError = policy(mapping["on_error"]?.value) ?? .log
    var sources = readSources(mapping)
    var streams = readStreams(mapping, onError)
    if let chain = readChain(mapping, onError, sources: names, hasStreams: !streams.isEmpty) {
      streams.insert(chain, at: 0)
    }
    let sinks = readSinks(mapping, onError, streams)
    // Where there are no steps, there is a chain only for the sinks that do not say what they are given.
    if mapping["steps"] == nil, !sinks.contains(where: { $0.from.contains { $0.name == Plan.chain } }) {
      streams.removeAll { $0.name == Plan.chain }
    }
    var sourceNames = mapping["sources"]?.value.mapping?.entries.map(\.key) ?? []
    if let name = errorsName(in: streams, sinks), let errors = readSource(named: name) {
      sources.append(errors)
      sourceNames.append(name)
    }
    checkTime(sources)
    checkLists(sources)
    let tests = isForTest ? [] : readTests(mapping["tests"]?.value)
    guard document.isWhole else { return nil }
    let wiring = Wiring(
      sources: sourceNames, lists: lists, streams: streams, sinks: sinks, names: names)
    let order = wiring.check(checker)
    checkTests(tests, sources: sources, sinks: sinks)
    guard checker.problems.isEmpty else { return nil }
    var plan = Plan(
      name: text(mapping["name"]) ?? baseName(document.file.path),
      description: text(mapping["description"]) ?? "",
      path: document.file.path, sources: sources, streams: order, sinks: sinks.map(\.plan).compactMap(\.self),
      tests: tests, onStop: onStop(mapping["on_stop"]) ?? .keep, epochs: epochs(mapping),
      scope: checker.scope,
      hasTimeZone: mapping["time_zone"] != nil, machine: text(mapping["at"]))
    plan.trace = trace(mapping["trace"])
    plan.streams = plan.streamsWithOptionsTakenOver
    warn(of: plan)
    return plan
  }

  /// A key that no pipeline has, and the one that was probably meant.
  private struct UnknownKey {
    let key: Scalar
    let near: String?
  }

  /// The root with the keys that were probably meant, so that the mistakes below them are found too, and those that they
  /// are in place of.
  private static func withKnownKeys(_ root: YAMLNode) -> (YAMLNode, [UnknownKey]) {
    guard case .mapping(var mapping) = root else { return (root, []) }
    var unknown: [UnknownKey] = []
    for (index, entry) in mapping.entries.enumerated() where !isKey(entry.key.text) {
      let near = nearest(to: entry.key.text, among: keys)
      unknown.append(UnknownKey(key: entry.key, near: near))
      if let near, mapping[near] == nil {
        mapping.entries[index].key = entry.key.standing(for: near, .string)
      }
    }
    return (.mapping(mapping), unknown)
  }

  private func report(_ unknown: UnknownKey) {
    let name = unknown.key.text
    let isOfSource =
      unknown.near == nil && catalog.sources.contains { $0.besideOptions.contains { $0.name == name } }
    checker.report(
      "a pipeline has no \(quoted(name))", at: unknown.key.place,
      hint: isOfSource
        ? "it is an option of a source: indent it below one, as in sources: { NAME: { KIND: …, \(name): … } }"
        : suggestion(for: name, among: Self.keys))
  }

  /// A key by which a file is one of Redpanda Connect, Vector, GitHub Actions or Compose.
  private static func foreignKey(of mapping: YAMLNode.Mapping) -> Scalar? {
    if mapping["sources"] != nil && mapping["sinks"] != nil { return nil }
    if mapping.entries.contains(where: { ["steps", "streams"].contains($0.key.text) }) { return nil }
    let foreign = ["input", "output", "pipeline", "transforms", "jobs", "services"]
    return mapping.entries.first { foreign.contains($0.key.text) }?.key
  }

  /// The pipeline's own time zone; nil where it has none, or names a variable that is null.
  private static func zone(
    _ node: YAMLNode?, _ vars: JSON.Value, _ reader: PipelineReader, _ problems: inout Problems
  ) -> String? {
    guard let node else { return nil }
    let checker = Checker(
      vars: vars, config: reader.config, scope: ExpressionScope(), catalog: reader.catalog)
    defer { problems.add(checker.problems) }
    guard let scalar = checker.scalar(node, "the name of a time zone"), scalar.meaning != .null else {
      return nil
    }
    return scalar.text
  }

  private func text(_ entry: YAMLNode.Entry?) -> String? {
    guard let entry else { return nil }
    return checker.scalar(entry.value, "a text")?.text
  }

  private func onStop(_ entry: YAMLNode.Entry?) -> Ending? {
    guard let entry, let scalar = checker.scalar(entry.value, "keep or flush") else { return nil }
    return checker.read(scalar) { (text) throws(TextError) in
      try choice(text, among: ["keep": Ending.keep, "flush": .flush])
    }
  }

  private func trace(_ entry: YAMLNode.Entry?) -> Int? {
    guard let entry, let scalar = checker.scalar(entry.value, "a number of events") else { return nil }
    return checker.read(scalar) { (text) throws(TextError) in
      let words = text.split(separator: " ")
      guard words.count == 2, words[1] == "events", let count = Int(words[0]), (1...100_000).contains(count)
      else {
        throw TextError(
          "\(quoted(text)) is not a number of events from 1 to 100000", at: 0..<text.utf8.count,
          hint: "as in trace: 1000 events")
      }
      return count
    }
  }

  func policy(_ node: YAMLNode?) -> ErrorPolicy? { node.flatMap { ErrorPolicy.type.decode($0, checker) } }
}

/// `pipelines/a.yaml` is in `pipelines`.
func folderOf(_ path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// `pipelines/new-launches.yaml` is new-launches.
func baseName(_ path: String) -> String {
  let file = path.split(separator: "/").last ?? "pipeline"
  return String(file.split(separator: ".", omittingEmptySubsequences: false).first ?? file)
}

/// `epoch`: how much of a source that never rests is kept at a time.
enum EpochOptions {
  static let events = Option.optional(
    "events", OptionType<Int>.integer(1...10_000_000),
    "the most events per commit (10000, or 200000 for a file)", example: "1000")
  static let time = Option.optional(
    "time", OptionType<Duration>.duration,
    "the longest time until an event is committed (200ms, or 2s for a file)",
    example: "1s")

  static let all = AnyOption.list(events, time)
}

extension PlanBuilder {
  func epochs(_ mapping: YAMLNode.Mapping) -> EpochPlan {
    var plan = EpochPlan()
    if let entry = mapping["epoch"],
      let epoch = checker.mapping(
        entry.value, "a mapping", hint: "for example epoch: { events: 1000, time: 1s }"),
      let options = Options(reading: epoch, as: EpochOptions.all, in: checker, what: "epoch")
    {
      plan.events = options[EpochOptions.events]
      plan.time = options[EpochOptions.time]
    }
    if let entry = mapping["fsync"], let scalar = checker.scalar(entry.value, "epoch or never") {
      let syncs = checker.read(scalar) { (text) throws(TextError) in
        try choice(text, among: ["epoch": true, "never": false])
      }
      plan.syncs = syncs ?? plan.syncs
    }
    return plan
  }
}
