extension StepPlan {
  /// The key and the number of tasks of a partition; nil for any other step.
  package var partition: (key: Expression, tasks: Int)? {
    guard case .partition(let key, let tasks, _) = spec.partitioning else { return nil }
    return (options[key], options[tasks])
  }

  /// Whether it compares what all tasks of a partition have of a poll.
  fileprivate var countsPolls: Bool {
    if case .byKey(_, _, _, let counts) = spec.partitioning { counts(options) } else { false }
  }

  /// Whether each of its keys belongs to one key of the partition above.
  package var hasFinerKey: Bool {
    if case .byKey = spec.partitioning { options[StepOptions.keyWithin] } else { false }
  }
}

extension Plan {
  /// The same pipeline with so many tasks in each partition.
  package func divided(into tasks: Int) -> Plan {
    var plan = self
    plan.streams = streams.map { stream in
      StreamPlan(
        name: stream.name, from: stream.from, steps: stream.steps.map { $0.divided(into: tasks) },
        place: stream.place)
    }
    return plan
  }

  /// The plan cut at its partition: what is above it ends in a sink, what is below it begins with a source, once for each
  /// task, and between them events go to other machines.
  ///
  /// Where each task can read its part of the source by itself, there is nothing above: steps above the partition that take
  /// each event by itself go along.
  ///
  /// Nil where there is no partition, where more than one chain leads to it or away from it, or where its tasks must know
  /// of each other: to keep the source's order, or to compare what they have of a poll.
  package func splitAtPartition(
    sink: (Expression, _ tasks: Int) -> NodeSpec, source: (_ task: Int) -> NodeSpec
  ) -> (above: Plan?, below: [Plan])? {
    guard streams.count == 1, let stream = streams.first,
      let place = stream.steps.firstIndex(where: { $0.partition != nil }), place + 1 < stream.steps.count,
      let (key, tasks) = stream.steps[place].partition, tasks > 1,
      sinks.allSatisfy({ $0.from == [stream.name] }), !sources.contains(where: \.readsErrors)
    else { return nil }
    let step = stream.steps[place]
    let (first, rest) = (Array(stream.steps[..<place]), Array(stream.steps[(place + 1)...]))
    if case .partition(_, _, let order) = step.spec.partitioning, step.options[order] == .source {
      return nil
    }
    if sources.contains(where: \.isPolled), rest.contains(where: \.countsPolls) { return nil }
    // What reads other streams has no place here, nor what takes each poll for the whole of a list that it is not.
    guard stream.steps.allSatisfy(\.reads.isEmpty), first.allSatisfy(\.spec.emitsWholePolls) else {
      return nil
    }
    func chain(from: [String], _ steps: [StepPlan]) -> [StreamPlan] {
      [StreamPlan(name: stream.name, from: from, steps: steps, place: stream.place)]
    }
    if let only = sources.first, sources.count == 1, stream.from == [only.name],
      first.allSatisfy(\.spec.handlesEachAlone)
    {
      let parts = (0..<tasks).compactMap { task in
        only.spec.part(name, only.options, task, tasks).map { spec in
          var plan = self
          plan.name = "\(name)~\(task)"
          plan.sources[0].spec = spec
          plan.sources[0].shown += ", part \(task) of \(tasks)"
          plan.streams = chain(from: stream.from, first + rest)
          plan.tests = []
          return plan
        }
      }
      if parts.count == tasks { return (nil, parts) }
    }
    var above = self
    above.streams = chain(from: stream.from, first)
    above.sinks = [
      SinkPlan(
        name: step.name, spec: sink(key, tasks), options: step.options, from: [stream.name], when: nil,
        onError: step.onError, shown: step.shown, place: step.place)
    ]
    above.tests = []
    let below = (0..<tasks).map { task in
      var plan = self
      plan.name = "\(name)~\(task)"
      plan.sources = [
        SourcePlan(
          name: step.name, spec: source(task), options: step.options, reads: [], schedule: .once,
          shown: step.shown, shownSchedule: "", buffer: 8, whenFull: .wait, place: step.place)
      ]
      plan.streams = chain(from: [step.name], rest)
      plan.tests = []
      return plan
    }
    return (above, below)
  }

  package var hasPartition: Bool { streams.contains { $0.steps.contains { $0.partition != nil } } }

  /// Whether outputs of a partition meet other events of its source behind it, in an order that depends on deliveries.
  var hasMixedPartition: Bool {
    let divided = streams.filter { $0.steps.contains { $0.partition != nil } }.map(\.name)
    if divided.isEmpty { return false }
    // What reads a divided stream, directly or not.
    var behind = Set(divided)
    for stream in streams where stream.from.contains(where: behind.contains) { behind.insert(stream.name) }
    let froms = streams.map { $0.from + $0.steps.flatMap(\.reads) } + sinks.map(\.from)
    return froms.contains { $0.count > 1 && $0.contains(where: behind.contains) }
  }
}

extension StepPlan {
  fileprivate func divided(into tasks: Int) -> StepPlan {
    guard case .partition(_, let option, _) = spec.partitioning else { return self }
    return with(options.with(tasks, for: option))
  }
}

extension PlanBuilder {
  /// Checks the steps of a chain that has a partition: each must be correct where every task has its own of it.
  func checkPartition(_ steps: [StepPlan]) {
    guard let start = steps.firstIndex(where: { $0.partition != nil }), let (key, _) = steps[start].partition
    else {
      for step in steps where step.hasFinerKey {
        checker.warn(
          "key_within has a meaning below a partition only", at: step.options.place(of: StepOptions.keyWithin)
        )
      }
      return
    }
    let below = steps[(start + 1)...]
    if below.isEmpty {
      checker.warn(
        "nothing stands below this partition", at: steps[start].place,
        hint: "put it above the steps that are to run in several tasks")
    }
    // The expressions that are the key of the partition.
    var keys = [Self.normal(key.text)]
    for step in below {
      switch step.spec.partitioning {
      case .whole: reportWhole(step)
      case .each: continue
      case .reshaped(let option):
        let members = step.options[option].members.filter { keys.contains(Self.normal($0.value)) }
        keys = members.keys.sorted().map { ".\($0)" }
      case .byKey(let option, _, let unless, _):
        if let reason = unless(step.options) { reportWhole(step, reason) }
        check(step, option, keys, partition: key)
        if let sent = step.spec.sentKey(step.options) {
          keys = sent.isEmpty || step.hasFinerKey ? [] : [sent]
        }
      case .partition:
        checker.report(
          "a partition stands above this one, at line \(steps[start].place.position.line)", at: step.place,
          hint:
            "one chain has one partition: to divide by another key, begin a stream with from: behind this one"
        )
      }
    }
  }

  private func check(_ step: StepPlan, _ option: Option<Expression>, _ keys: [String], partition: Expression)
  {
    let kind = step.spec.kind
    let text = step.options[option].text
    if step.hasFinerKey || keys.contains(Self.normal(text)) { return }
    guard Self.normal(text) != "null" else {
      return checker.report(
        "\(kind) without a key takes all events together, and below a partition no task has all of them",
        at: step.place, hint: "give it key: \(keys.first ?? partition.text), or put it above partition")
    }
    let place = step.options.isGiven(option) ? step.options.place(of: option) : step.place
    guard let known = keys.first else {
      return checker.report(
        "\(kind) goes by \(text), and a step above it may have changed by which task that is", at: place,
        hint: "put the step that makes other events above partition; or say key_within: true"
          + " if events with one \(text) always have one \(partition.text) there")
    }
    checker.report(
      "\(kind) goes by \(text) and the partition by \(partition.text): events of one key may be in several tasks",
      at: place,
      hint: "use key: \(known); or say key_within: true if events with one \(text) always have one"
        + " \(partition.text)")
  }

  private func reportWhole(_ step: StepPlan, _ reason: String? = nil) {
    checker.report(
      "\(step.spec.kind) needs the whole stream\(reason.map { ", as \($0)" } ?? ""), and below a partition each task has a part of it",
      at: step.place,
      hint:
        "put it above partition, or into a stream of its own behind this one, where the parts are together again"
    )
  }

  /// Without the white space that makes no difference.
  private static func normal(_ text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}
