/// How sources, streams and sinks hang together: unknown names, circles, and what leads nowhere.
struct Wiring {
  private let sources: [Scalar]
  private let lists: [Scalar]
  private let streams: [StreamDraft]
  private let sinks: [SinkDraft]
  private let names: [String]

  init(
    sources: [Scalar], lists: [Scalar], streams: [StreamDraft], sinks: [SinkDraft],
    names: [String: SourceRange]
  ) {
    self.sources = sources
    self.lists = lists
    self.streams = streams
    self.sinks = sinks
    let hasChain = streams.contains { $0.name == Plan.chain }
    self.names = (names.map(\.key) + (hasChain ? [Plan.chain] : [])).sorted()
  }

  /// The streams, each behind those it reads; problems go to the checker.
  func check(_ checker: Checker) -> [StreamPlan] {
    for list in lists where !sources.contains(where: { $0.text == list.text }) {
      checker.report(
        "unknown source \(quoted(list.text))", at: list.place,
        hint: suggestion(for: list.text, among: sources.map(\.text)))
    }
    for stream in streams {
      for reference in stream.from + stream.reads { checkName(reference, checker) }
    }
    for sink in sinks {
      for reference in sink.from { checkName(reference, checker) }
    }
    let order = ordered(checker)
    reportDeadEnds(checker)
    return order.map(\.plan)
  }

  private func checkName(_ reference: StreamDraft.Reference, _ checker: Checker) {
    if names.contains(reference.name) { return }
    checker.report(
      "unknown source or stream \(quoted(reference.name))", at: reference.place,
      hint: suggestion(for: reference.name, among: names))
  }

  private func ordered(_ checker: Checker) -> [StreamDraft] {
    var order: [StreamDraft] = []
    var done: Set<String> = []
    var path: [String] = []
    func visit(_ stream: StreamDraft, at place: SourceRange) {
      if done.contains(stream.name) { return }
      if let start = path.firstIndex(of: stream.name) {
        let circle = (path[start...] + [stream.name]).joined(separator: " → ")
        checker.report(
          "these streams form a cycle: \(circle)", at: place, hint: "a stream cannot read its own output")
        return
      }
      path.append(stream.name)
      for reference in stream.from + stream.reads {
        if let other = streams.first(where: { $0.name == reference.name }) {
          visit(other, at: reference.place)
        }
      }
      path.removeLast()
      done.insert(stream.name)
      order.append(stream)
    }
    for stream in streams { visit(stream, at: stream.place) }
    return order
  }

  /// Sources and streams from which no way leads to a sink.
  private func reportDeadEnds(_ checker: Checker) {
    var used = Set(sinks.flatMap(\.from).map(\.name) + lists.map(\.text))
    var grew = true
    while grew {
      let before = used.count
      for stream in streams where used.contains(stream.name) {
        used.formUnion((stream.from + stream.reads).map(\.name))
      }
      grew = used.count > before
    }
    // What seems to lead nowhere may be what a missing or misspelt name stands for, which has been reported.
    let reads = streams.filter { $0.name != Plan.chain }.map(\.from) + sinks.map(\.from)
    let isCertain = reads.allSatisfy { $0.allSatisfy { names.contains($0.name) } && !$0.isEmpty }
    if sinks.isEmpty || !isCertain { return }
    for stream in streams where !used.contains(stream.name) {
      let what = stream.name == Plan.chain ? "what comes out of steps" : "the stream \(quoted(stream.name))"
      checker.report(
        "\(what) is not read by any sink", at: stream.place,
        hint: "add it to a sink, as in from: \(stream.name)")
    }
    for source in sources where !used.contains(source.text) {
      checker.report(
        "nothing reads the source \(quoted(source.text))", at: source.place,
        hint: "name it in the from of a stream or sink, or remove it")
    }
    if sources.isEmpty { return }
    // A sink is fed when some source leads to it.
    var fed = Set(sources.map(\.text))
    grew = true
    while grew {
      let before = fed.count
      for stream in streams where stream.from.contains(where: { fed.contains($0.name) }) {
        fed.insert(stream.name)
      }
      grew = fed.count > before
    }
    for sink in sinks where !sink.from.isEmpty && !sink.from.contains(where: { fed.contains($0.name) }) {
      checker.report("no source leads to this sink", at: sink.place)
    }
  }
}

extension PlanBuilder {
  /// A list that another source is polled over is the rows of a poll.
  func checkLists(_ sources: [SourcePlan]) {
    for list in lists where sources.contains(where: { $0.name == list.text && !$0.isPolled }) {
      checker.report(
        "\(quoted(list.text)) is not polled, so it has no list of rows", at: list.place,
        hint: "a file is read as a list with each: { file: PATH }")
    }
    let circle = sources.behindTheirLists.circle.map(\.name)
    guard let list = lists.first(where: { circle.contains($0.text) }) else { return }
    checker.report(
      circle.count == 1
        ? "a source cannot be polled over its own rows"
        : "each of \(circle.map(quoted).joined(separator: " and ")) waits for the rows of another: none is ever polled",
      at: list.place)
  }

  /// A recording runs in virtual time, where nothing from outside can happen.
  func checkTime(_ sources: [SourcePlan]) {
    guard let script = sources.first(where: \.isScript) else { return }
    for source in sources where !source.isScript && !source.readsErrors {
      checker.report(
        "\(source.spec.kind) answers in real time, and \(quoted(script.name)) runs in virtual time",
        at: source.place, hint: "replay all sources, or none")
    }
  }
}

extension [SourcePlan] {
  /// Each source behind those whose rows it is polled over, and those for which there is no such order.
  var behindTheirLists: (order: [SourcePlan], circle: [SourcePlan]) {
    // Of thousands of sources hardly any is polled over another.
    if allSatisfy(\.reads.isEmpty) { return (self, []) }
    var (order, rest): ([SourcePlan], [Int]) = ([], Array<Int>(indices))
    var waiting = Set(map(\.name))
    while let next = rest.firstIndex(where: { !self[$0].reads.contains(where: waiting.contains) }) {
      let source = self[rest.remove(at: next)]
      waiting.remove(source.name)
      order.append(source)
    }
    return (order, rest.map { self[$0] })
  }
}

extension SourcePlan {
  /// Whether it runs in virtual time.
  public var isScript: Bool { if case .script = spec.role { true } else { false } }

  /// Whether its events are the errors of the pipeline itself.
  package var readsErrors: Bool { spec.kind == Plan.errors }
}
