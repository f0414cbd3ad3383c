import JSON

/// A draft of a stream, as far as it could be read: enough to check the wiring.
struct StreamDraft {
  let name: String
  /// The streams and sources that it reads, with the places of the names.
  let from: [Reference]
  let steps: [StepPlan]
  let reads: [Reference]
  let place: SourceRange

  struct Reference {
    let name: String
    let place: SourceRange
  }

  var plan: StreamPlan {
    StreamPlan(name: name, from: from.map(\.name), steps: steps, place: place)
  }
}

extension PlanBuilder {
  /// The chain under `steps`, from every source; without `steps` and `streams`, the sources as they are.
  mutating func readChain(
    _ mapping: YAMLNode.Mapping, _ onError: ErrorPolicy, sources: [String: SourceRange], hasStreams: Bool
  ) -> StreamDraft? {
    let entry = mapping["steps"]
    if entry == nil, hasStreams { return nil }
    let place = entry?.key.place ?? mapping.place
    let sources = mapping["sources"]?.value.mapping?.entries.map(\.key) ?? []
    // What is only a list for another source is no part of the chain.
    let names = sources.filter { source in !lists.contains { $0.text == source.text } }
    let (steps, reads) = readSteps(entry?.value, of: Plan.chain, prefix: "", onError)
    return StreamDraft(
      name: Plan.chain, from: names.map { StreamDraft.Reference(name: $0.text, place: $0.place) },
      steps: steps, reads: reads, place: place)
  }

  mutating func readStreams(_ mapping: YAMLNode.Mapping, _ onError: ErrorPolicy) -> [StreamDraft] {
    guard let entry = mapping["streams"] else { return [] }
    let hint = "for example streams: { slips: { from: upcoming, steps: [ … ] } }"
    guard let streams = checker.mapping(entry.value, "a mapping of names to streams", hint: hint) else {
      return []
    }
    return streams.entries.compactMap { readStream($0, onError) }
  }

  private mutating func readStream(_ entry: YAMLNode.Entry, _ onError: ErrorPolicy) -> StreamDraft? {
    claim(entry.key, "stream")
    let hint = "a stream has from and steps: \(entry.key.text): { from: …, steps: [ … ] }"
    guard let mapping = checker.mapping(entry.value, "a stream", hint: hint) else { return nil }
    for other in mapping.entries where !["from", "steps"].contains(other.key.text) {
      checker.report(
        "a stream has no \(quoted(other.key.text))", at: other.key.place,
        hint: suggestion(for: other.key.text, among: ["from", "steps"]))
    }
    if mapping["from"] == nil {
      checker.report("nothing says what this stream reads", at: entry.key.place, hint: hint)
    }
    let (steps, reads) = readSteps(
      mapping["steps"]?.value, of: entry.key.text, prefix: entry.key.text + "/", onError,
      given: mapping["from"]?.value.scalar.flatMap { checker.shapes[$0.text] })
    return StreamDraft(
      name: entry.key.text, from: references(mapping["from"]?.value), steps: steps, reads: reads,
      place: entry.key.place)
  }

  /// One name, or a list of them.
  ///
  /// Where they have been read as an option, what is no name has been reported.
  func references(_ node: YAMLNode?, areRead: Bool = false) -> [StreamDraft.Reference] {
    guard let node else { return [] }
    if case .sequence(let sequence) = node, sequence.elements.isEmpty {
      checker.report("from is empty", at: sequence.place)
    }
    var named: Set<String> = []
    return (node.sequence?.elements ?? [node]).compactMap { element in
      if areRead, element.scalar == nil { return nil }
      guard let scalar = checker.scalar(element, "the name of a source or stream") else { return nil }
      if !named.insert(scalar.text).inserted {
        checker.report("from contains \(quoted(scalar.text)) twice", at: scalar.place)
      }
      return StreamDraft.Reference(name: scalar.text, place: scalar.place)
    }
  }

  private mutating func readSteps(
    _ node: YAMLNode?, of stream: String, prefix: String, _ onError: ErrorPolicy, given: EventShape? = nil
  ) -> ([StepPlan], [StreamDraft.Reference]) {
    guard let node else { return ([], []) }
    if case .null? = node.scalar?.meaning { return ([], []) }
    guard case .sequence(let sequence) = node else {
      checker.report(
        "steps is a list, not \(node.kind)", at: node.place,
        hint: "begin each step with “- ” on a line of its own")
      return ([], [])
    }
    var steps: [StepPlan] = []
    var reads: [StreamDraft.Reference] = []
    checker.shape = given
    defer {
      checker.shapes[stream] = checker.shape
      checker.shape = nil
    }
    // State is found again by these names, so they do not change with what stands before a step.
    var unnamed: [String: Int] = [:]
    func ownName(_ kind: String) -> String {
      unnamed[kind, default: 0] += 1
      return unnamed[kind].flatMap { $0 > 1 ? "\(kind)-\($0)" : nil } ?? kind
    }
    for element in sequence.elements {
      checker.streamsRead = []
      let written = readNode(element, role: "step", among: catalog.steps, beside: StepOptions.all)
      checker.shape = written?.options.flatMap { written?.spec.shape($0, checker.shape) }
      let named = checker.streamsRead.map { StreamDraft.Reference(name: $0.text, place: $0.place) }
      reads += named
      guard let written, let options = written.options, let beside = written.beside else { continue }
      let name = beside[StepOptions.name] ?? prefix + ownName(written.spec.kind)
      if let other = steps.first(where: { $0.name == name }) {
        checker.report(
          "the name \(quoted(name)) is already used at line \(other.place.position.line)", at: written.place)
      }
      steps.append(
        StepPlan(
          name: name, isNamed: beside[StepOptions.name] != nil, spec: written.spec, options: options,
          onError: beside[StepOptions.onError] ?? onError,
          reads: named.map(\.name), shown: written.shown, place: written.place))
    }
    checkPartition(steps)
    return (steps, reads)
  }
}

extension Plan {
  /// The streams, in which steps have taken over options of the step before that compares polls.
  ///
  /// Nothing is taken over past a step that sends other events than it takes, nor where several streams meet.
  var streamsWithOptionsTakenOver: [StreamPlan] {
    var ends: [String: Options] = [:]
    return streams.map { stream in
      var compared = stream.from.count == 1 ? ends[stream.from[0]] : nil
      let steps = stream.steps.map { step in
        defer {
          switch step.spec.partitioning {
          case _ where step.spec.comparesPolls: compared = step.options
          case .each, .partition: break
          default: compared = nil
          }
        }
        return compared.map { step.with(step.options.completed(with: $0, step.spec.takesOver)) } ?? step
      }
      ends[stream.name] = compared
      return StreamPlan(name: stream.name, from: stream.from, steps: steps, place: stream.place)
    }
  }
}
