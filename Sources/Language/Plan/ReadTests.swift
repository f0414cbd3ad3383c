import JSON

extension PlanBuilder {
  private static let coverageKeys = ["coverage", "order", "last", "moves"]
  /// Members of `$meta` that a source with `each` adds.
  private static let entryKeys = ["each", "entry", "gone"]
  private static let testKeys = ["name", "now", "vars", "given", "expect", "web"]

  mutating func readTests(_ node: YAMLNode?) -> [TestPlan] {
    guard let node else { return [] }
    guard case .sequence(let sequence) = node else {
      checker.report("tests is a list, not \(node.kind)", at: node.place, hint: "begin each test with “- ”")
      return []
    }
    return sequence.elements.enumerated().compactMap { index, element in
      readTest(element, number: index + 1)
    }
  }

  private func readTest(_ node: YAMLNode, number: Int) -> TestPlan? {
    guard let mapping = checker.mapping(node, "a test", hint: "a test has a name, given and expect") else {
      return nil
    }
    reportOthers(mapping, "a test", Self.testKeys)
    let name = mapping["name"].flatMap { checker.scalar($0.value, "a text")?.text } ?? "test \(number)"
    var start = 1_767_225_600.0  // 2026-01-01T00:00:00Z
    if let entry = mapping["now"], let scalar = checker.scalar(entry.value, "a time") {
      if let moment = parseTimestamp(scalar.text) {
        start = moment
      } else {
        checker.report(
          "\(quoted(scalar.text)) is not a time", at: scalar.place, hint: "as in 2026-01-01T00:00:00Z")
      }
    }
    var given: [TestPlan.Given] = []
    if let entry = mapping["given"] {
      for (source, list) in lists(entry.value, "given maps each source to a list of its polls or events") {
        if list.isEmpty, names[source.text] == nil {
          checker.report(
            "unknown source \(quoted(source.text))", at: source.place,
            hint: suggestion(for: source.text, among: names.keys.sorted()))
        }
        given += list.compactMap { readGiven($0, source.text) }
      }
    } else {
      checker.report("a test needs given: what the sources return", at: mapping.place)
    }
    var expected: [TestPlan.Expected] = []
    if let entry = mapping["expect"] {
      for (sink, list) in lists(entry.value, "expect maps each sink to a list of its expected events") {
        expected.append(
          TestPlan.Expected(sink: sink.text, events: list.compactMap { readExpected($0) }, place: sink.place))
      }
    } else {
      checker.report("a test needs expect: what the sinks receive", at: mapping.place)
    }
    return TestPlan(
      name: name, start: start, variant: variant(mapping["vars"]), given: given, expect: expected,
      web: readWeb(mapping["web"]), place: mapping.place)
  }

  /// The pipeline with the vars that a test sets.
  private func variant(_ entry: YAMLNode.Entry?) -> [Plan] {
    guard let entry else { return [] }
    guard
      let vars = checker.mapping(entry.value, "vars", hint: "vars names values, as those of the pipeline do")
    else { return [] }
    var builder = PlanBuilder(root, document, reader, test: vars, included)
    let plan = builder.build()
    // What is wrong with any vars has been said.
    if checker.problems.isEmpty { checker.problems.add(builder.checker.problems) }
    return plan.map { [$0] } ?? []
  }

  private func readWeb(_ entry: YAMLNode.Entry?) -> [String: JSON.Value] {
    guard let entry else { return [:] }
    let answers = checker.mapping(
      entry.value, "a mapping of addresses to responses",
      hint: "web maps addresses to the responses of lookups")
    var web: [String: JSON.Value] = [:]
    for answer in answers?.entries ?? [] { web[answer.key.text] = answer.value.value }
    return web
  }

  private func reportOthers(_ mapping: YAMLNode.Mapping, _ what: String, _ allowed: [String]) {
    for entry in mapping.entries where !allowed.contains(entry.key.text) {
      checker.report(
        "\(what) has no \(quoted(entry.key.text))", at: entry.key.place,
        hint: suggestion(for: entry.key.text, among: allowed))
    }
  }

  private func lists(_ node: YAMLNode, _ what: String) -> [(Scalar, [YAMLNode])] {
    guard let mapping = checker.mapping(node, "a mapping", hint: what) else { return [] }
    return mapping.entries.compactMap { entry in
      if case .null? = entry.value.scalar?.meaning { return (entry.key, []) }
      guard case .sequence(let sequence) = entry.value else {
        checker.report("a list is expected here, not \(entry.value.kind)", at: entry.value.place, hint: what)
        return nil
      }
      return (entry.key, sequence.elements)
    }
  }

  private func readGiven(_ node: YAMLNode, _ source: String) -> TestPlan.Given? {
    let kinds = ["poll", "events", "event", "error", "end"]
    let hint =
      "for example { at: 6h, poll: [ … ] }, { at: 0s, events: [ … ] } or { at: 1h, error: no answer }"
    guard let mapping = checker.mapping(node, "what a source answers", hint: hint) else { return nil }
    reportOthers(mapping, "an answer", kinds + ["at"] + Self.coverageKeys + Self.entryKeys)
    let at = duration(mapping["at"]) ?? .zero
    guard let entry = mapping.entries.first(where: { kinds.contains($0.key.text) }) else {
      checker.report("nothing says what the source returns", at: node.place, hint: hint)
      return nil
    }
    let answer: TestPlan.Given.Answer
    switch entry.key.text {
    case "poll":
      let rows = rows(entry.value)
      answer = .poll(rows, coverage: readCoverage(mapping, of: rows))
    case "events": answer = .events(rows(entry.value))
    case "event": answer = .events([entry.value.value])
    case "error": answer = .error(entry.value.scalar?.text ?? "it failed")
    default: answer = .end
    }
    let ofPolls = Self.coverageKeys + Self.entryKeys
    // The poll of one entry may fail.
    let misplaced = entry.key.text == "error" ? ofPolls.filter { $0 != "each" && $0 != "entry" } : ofPolls
    for key in misplaced where entry.key.text != "poll" {
      guard let other = mapping[key] else { continue }
      checker.report(
        "\(quoted(key)) goes with poll, not with \(entry.key.text)", at: other.key.place,
        hint: "a poll has seen all of a list or a part of it")
    }
    let notes = Self.entryKeys.compactMap { key in mapping[key].map { (key, $0.value.value) } }
    return TestPlan.Given(source: source, at: at, answer: answer, notes: .record(notes), place: node.place)
  }

  /// How much of its list a poll has seen; the horizon of a truncated one is its last row, unless `last` is given.
  private func readCoverage(_ mapping: YAMLNode.Mapping, of rows: [JSON.Value]) -> Coverage {
    let names = ["complete", "truncated", "partial"]
    let hint = "for example { at: 6h, poll: [ … ], coverage: truncated, order: .date }"
    let scalar = mapping["coverage"].flatMap { checker.scalar($0.value, alternatives(names)) }
    if let scalar, !names.contains(scalar.text) {
      checker.report(
        "\(quoted(scalar.text)) is no coverage", at: scalar.place,
        hint: suggestion(for: scalar.text, among: names))
      return .complete
    }
    if scalar?.text != "truncated" {
      for key in Self.coverageKeys.dropFirst() {
        guard let other = mapping[key] else { continue }
        checker.report("\(quoted(key)) needs coverage: truncated", at: other.key.place, hint: hint)
      }
      return scalar?.text == "partial" ? .partial : .complete
    }
    let order = mapping["order"].flatMap { OptionType<RowOrder>.order.decode($0.value, checker) }
    let moves = mapping["moves"].flatMap { OptionType<Bool>.boolean.decode($0.value, checker) } ?? false
    guard let order else {
      for key in ["last", "moves"] where mapping["order"] == nil {
        guard let other = mapping[key] else { continue }
        checker.report(
          "\(quoted(key)) needs order, the member by which the list is sorted", at: other.key.place,
          hint: hint)
      }
      return .truncated(nil)
    }
    if let last = mapping["last"]?.value.value ?? rows.last.flatMap({ order.position(of: $0) }) {
      return .truncated(Horizon(order: order, last: last, moves: moves))
    }
    checker.report(
      "the last row has no \(order.text), so the position of the horizon is not known",
      at: (mapping["order"] ?? mapping["poll"])?.value.place ?? mapping.place,
      hint: "last gives the position at which the list is truncated")
    return .truncated(nil)
  }

  private func rows(_ node: YAMLNode) -> [JSON.Value] {
    if case .sequence(let sequence) = node { return sequence.elements.map(\.value) }
    checker.report("a list of events is expected here, not \(node.kind)", at: node.place)
    return []
  }

  private func readExpected(_ node: YAMLNode) -> TestPlan.Expected.Entry? {
    let keys = ["at", "where", "is"]
    let hint = "for example { at: 6h2m, where: .type == \"changed\" }, or { is: { id: 1 } }"
    guard let mapping = checker.mapping(node, "an expected event", hint: hint) else { return nil }
    reportOthers(mapping, "an expected event", keys)
    var condition: Expression?
    if let entry = mapping["where"] {
      condition = OptionType<Expression>.condition.decode(entry.value, checker)
      if condition == nil { return nil }
    }
    return TestPlan.Expected.Entry(
      at: duration(mapping["at"]), condition: condition, equals: mapping["is"]?.value.value, place: node.place
    )
  }

  private func duration(_ entry: YAMLNode.Entry?) -> Duration? {
    guard let entry else { return nil }
    return OptionType<Duration>.duration(allowingZero: true).decode(entry.value, checker)
  }

  /// Names in tests are those of sources and sinks.
  func checkTests(_ tests: [TestPlan], sources: [SourcePlan], sinks: [SinkDraft]) {
    for test in tests {
      for given in test.given where names[given.source] == nil {
        checker.report(
          "unknown source \(quoted(given.source))", at: given.place,
          hint: suggestion(for: given.source, among: sources.map(\.name)))
      }
      for expected in test.expect where !sinks.contains(where: { $0.name == expected.sink }) {
        checker.report(
          "unknown sink \(quoted(expected.sink))", at: expected.place,
          hint: suggestion(for: expected.sink, among: sinks.map(\.name)))
      }
    }
  }
}
