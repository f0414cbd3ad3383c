import JSON

/// A draft of a sink, as far as it could be read.
struct SinkDraft {
  let name: String
  let from: [StreamDraft.Reference]
  let plan: SinkPlan?
  let place: SourceRange
}

extension PlanBuilder {
  mutating func readSinks(
    _ mapping: YAMLNode.Mapping, _ onError: ErrorPolicy, _ streams: [StreamDraft]
  ) -> [SinkDraft] {
    let sample = "for example sinks: { screen: console }"
    guard let entry = mapping["sinks"] else {
      if document.isWhole { checker.report("the pipeline has no sinks", at: mapping.place, hint: sample) }
      return []
    }
    guard let sinks = checker.mapping(entry.value, "a mapping of names to sinks", hint: sample) else {
      return []
    }
    if sinks.entries.isEmpty {
      checker.report("the pipeline has no sinks", at: entry.key.place, hint: sample)
    }
    return sinks.entries.map { readSink($0, onError, streams) }
  }

  private mutating func readSink(
    _ entry: YAMLNode.Entry, _ onError: ErrorPolicy, _ streams: [StreamDraft]
  ) -> SinkDraft {
    let name = entry.key.text
    let named = entry.value.mapping?["from"]?.value
    let stream = named.map { $0.scalar?.text ?? "" } ?? Plan.chain
    checker.shape = checker.shapes[stream]
    let written = readNode(
      entry.value, role: "sink", among: catalog.sinks, beside: SinkOptions.beside)
    checker.shape = nil
    var from = references(named, areRead: true)
    if named == nil {
      if streams.contains(where: { $0.name == Plan.chain }) {
        from = [StreamDraft.Reference(name: Plan.chain, place: entry.key.place)]
      } else {
        checker.report(
          "nothing says which stream this sink reads", at: entry.key.place,
          hint: streams.isEmpty ? nil : "add from: \(streams.map(\.name).joined(separator: " or "))")
      }
    }
    var plan: SinkPlan?
    if let written, let options = written.options, let beside = written.beside {
      plan = SinkPlan(
        name: name, spec: written.spec, options: options, from: from.map(\.name),
        when: options[SinkOptions.when], onError: beside[SinkOptions.onError] ?? onError,
        shown: written.shown, place: entry.key.place)
    }
    return SinkDraft(name: name, from: from, plan: plan, place: entry.key.place)
  }
}
