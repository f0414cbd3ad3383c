// What a pipeline may contain and hardly means, reported as warnings: it runs all the same.

extension PlanBuilder {
  /// Warns of steps that compare polls behind a source that is polled once, and of streams that are joined to what they
  /// are part of.
  func warn(of plan: Plan) {
    for source in plan.sources
    where source.spec.part(plan.name, source.options, 0, 2) != nil && !plan.isReadInParts {
      checker.warn(
        "no partition divides what this source reads, or not right behind it, so it is read as one",
        at: source.place,
        hint: "put partition behind it, below filter and map at most, with the order of each key")
    }
    let sourcesByName = Dictionary(plan.sources.map { ($0.name, $0) }) { first, _ in first }
    for stream in plan.streams {
      for step in stream.steps {
        for name in step.reads where stream.from.contains(name) && stream.from.count > 1 {
          let others = stream.from.filter { $0 != name }.joined(separator: ", ")
          checker.warn(
            "\(quoted(name)) is joined here, and its events come through this chain too", at: step.place,
            hint: "give the chain a stream of its own: streams: { joined: { from: \(others), steps: [ … ] } }"
          )
        }
      }
      if let comparing = stream.steps.first(where: \.spec.comparesPolls) {
        for step in stream.steps.prefix(while: { !$0.spec.comparesPolls }) where !step.spec.takesOver.isEmpty
        {
          checker.warn(
            "\(step.spec.kind) takes changes, and stands before \(comparing.spec.kind)", at: step.place,
            hint: "put it behind \(comparing.spec.kind)")
        }
      }
      let steps = stream.steps.filter(\.spec.comparesPolls)
      let sources = plan.sources(behind: stream.name, among: sourcesByName).filter(\.isPolledOnce)
      for step in steps {
        for source in sources {
          checker.warn(
            "\(step.spec.kind) compares polls, and \(quoted(source.name)) is polled once in each run",
            at: step.place,
            hint: "write every: 5m beside \(source.spec.kind); run from cron it compares with the run before")
        }
      }
    }
  }
}

extension Plan {
  /// Whether each task of its partition can read its part of the source by itself.
  fileprivate var isReadInParts: Bool {
    guard let spec = sources.first?.spec,
      let cut = splitAtPartition(sink: { _, _ in spec }, source: { _ in spec })
    else { return false }
    return cut.above == nil
  }

  /// The sources whose events reach a source or stream.
  fileprivate func sources(behind name: String, among sources: [String: SourcePlan]) -> [SourcePlan] {
    if let source = sources[name] { return [source] }
    return streams.first { $0.name == name }?.from.flatMap { self.sources(behind: $0, among: sources) } ?? []
  }
}

extension SourcePlan {
  /// Whether a run polls it once, at its start.
  fileprivate var isPolledOnce: Bool {
    if isPolled, case .once = schedule.rhythm { true } else { false }
  }
}
