import JSON

/// The reading of `sources`.
extension PlanBuilder {
  mutating func readSources(_ mapping: YAMLNode.Mapping) -> [SourcePlan] {
    guard let entry = mapping["sources"] else {
      // A name that is misspelt has been reported.
      if document.isWhole,
        !mapping.entries.contains(where: { nearest(to: $0.key.text, among: ["sources"]) != nil })
      {
        checker.report(
          "the pipeline has no sources", at: mapping.place,
          hint: "for example sources: { input: stdin }")
      }
      return []
    }
    guard
      let sources = checker.mapping(
        entry.value, "a mapping of names to sources", hint: "for example sources: { input: stdin }")
    else { return [] }
    if sources.entries.isEmpty, document.isWhole {
      checker.report("the pipeline has no sources", at: entry.key.place)
    }
    return sources.entries.compactMap { readSource($0) }
  }

  private mutating func readSource(_ entry: YAMLNode.Entry) -> SourcePlan? {
    claim(entry.key, "source")
    checker.streamsRead = []
    let written = readNode(entry.value, role: "source", among: catalog.sources, beside: SourceOptions.all)
    let reads = checker.streamsRead
    lists += reads
    guard let written, let beside = written.beside else { return nil }
    if let options = written.options { checkSchedule(written.spec, options, beside) }
    let schedule = readSchedule(written.spec, beside)
    if beside.isGiven(SourceOptions.onFailure), !written.spec.keepsAnswers {
      checker.report(
        "\(written.spec.kind) keeps no answers, so on_failure has no effect",
        at: beside.place(of: SourceOptions.onFailure))
    }
    if let options = written.options, beside.isGiven(SourceOptions.key), written.spec.role != .script,
      !written.spec.maker.isPolled(options)
    {
      checker.report(
        "\(written.spec.kind) is not polled here, so its rows need no key",
        at: beside.place(of: SourceOptions.key))
    }
    guard let options = written.options, var schedule else { return nil }
    schedule.fresh = readFresh(written.spec, options, schedule, beside)
    return SourcePlan(
      name: entry.key.text, spec: written.spec, options: options, reads: reads.map(\.text),
      schedule: schedule,
      shown: written.shown, shownSchedule: shown(schedule, written.spec, beside),
      buffer: beside[SourceOptions.buffer], whenFull: beside[SourceOptions.whenFull], place: written.place,
      key: beside[SourceOptions.key])
  }

  /// The name of the source of errors, where it is read and not declared.
  func errorsName(in streams: [StreamDraft], _ sinks: [SinkDraft]) -> Scalar? {
    guard names[Plan.errors] == nil, catalog.sources.contains(where: { $0.kind == Plan.errors }) else {
      return nil
    }
    let references = streams.flatMap { $0.from + $0.reads } + sinks.flatMap(\.from)
    return references.first { $0.name == Plan.errors }.map { reference in
      Scalar(
        text: Plan.errors, written: Plan.errors, style: .plain, meaning: .string, place: reference.place,
        variables: [], map: TextMap())
    }
  }

  /// A source that is named by its kind, without being declared.
  mutating func readSource(named name: Scalar) -> SourcePlan? {
    readSource(YAMLNode.Entry(key: name, value: .scalar(name)))
  }

  /// Reports a schedule beside a source that reads on by itself.
  private func checkSchedule(_ spec: NodeSpec, _ options: Options, _ beside: Options) {
    typealias Given = SourceOptions
    let message: String
    var hint: String?
    switch spec.role {
    case .stream:
      message = "\(spec.kind) is read once, to its end, and has no schedule"
      hint = spec.pollHint
    case .poll where !spec.maker.isPolled(options):
      let option = ["follow", "stream"].first(where: options.isGiven) ?? ""
      message = "\(spec.kind) with \(option) runs on, and has no schedule"
      hint = "remove \(option) to run it on a schedule, or the schedule to let it run on"
    case .poll where !beside.isGiven(Given.every) && !beside.isGiven(Given.cron):
      for (name, place) in given(beside) {
        checker.warn(
          "\(name) has no effect on a source that is polled once", at: place,
          hint: "write every: 5m beside \(spec.kind), or remove \(name)")
      }
      return
    default:
      if beside.isGiven(Given.zone), !beside.isGiven(Given.cron) {
        checker.warn(
          "time_zone is that of cron, and has no effect here", at: beside.place(of: Given.zone),
          hint: "write cron: '0 8 * * *' in place of every, or remove time_zone")
      }
      return
    }
    for (_, place) in given(beside) { checker.report(message, at: place, hint: hint) }
  }

  /// The options of a schedule that are given, and their places.
  private func given(_ beside: Options) -> [(name: String, place: SourceRange)] {
    typealias Given = SourceOptions
    func given<Value>(_ option: Option<Value>) -> [(name: String, place: SourceRange)] {
      beside.isGiven(option) ? [(option.name, beside.place(of: option))] : []
    }
    return given(Given.every) + given(Given.cron) + given(Given.atStart) + given(Given.jitter)
      + given(Given.zone) + given(Given.retry)
  }

  private func readSchedule(_ spec: NodeSpec, _ beside: Options) -> Schedule? {
    typealias Given = SourceOptions
    if case .stream = spec.role { return .once }
    var schedule = Schedule.once
    (schedule.jitter, schedule.retry) = (beside[Given.jitter], beside[Given.retry])
    schedule.onFailure = beside[Given.onFailure]
    if let every = beside[Given.every] {
      if beside.isGiven(Given.cron) {
        checker.report(
          "this source has a cron schedule and every; one is enough", at: beside.place(of: Given.every))
        return nil
      }
      (schedule.rhythm, schedule.atStart) = (.every(every), beside[Given.atStart] ?? true)
      return schedule
    }
    guard let text = beside[Given.cron] else { return schedule }
    let zoneName = beside[Given.zone] ?? checker.scope.timeZone
    guard let zone = reader.timeZone(zoneName) else {
      checker.report(
        "unknown time zone \(quoted(zoneName))", at: beside.place(of: Given.zone),
        hint: "zones have names like Europe/Warsaw or UTC")
      return nil
    }
    do throws(TextError) {
      (schedule.rhythm, schedule.atStart) = (.cron(try Cron(text), zone), beside[Given.atStart] ?? false)
      return schedule
    } catch {
      checker.report(error.message, at: beside.place(of: Given.cron), hint: error.hint)
      return nil
    }
  }

  /// The age beyond which what a source has seen is too old: its own, or that of the config for all sources.
  private func readFresh(
    _ spec: NodeSpec, _ options: Options, _ schedule: Schedule, _ beside: Options
  ) -> PollsOrTime? {
    let option = SourceOptions.fresh
    let isPolled = spec.maker.isPolled(options)
    let hasBeats = schedule.beat(1, after: 0) != nil
    let hasAge = spec.kind != Plan.errors && (hasBeats || !isPolled)
    guard beside.isWritten(option) else {
      // A number of polls is for those that are polled.
      let fresh = hasAge ? defaultFresh : nil
      return fresh?.time == nil && !hasBeats ? nil : fresh
    }
    guard let fresh = beside[option] else { return nil }
    let place = beside.place(of: option)
    if !hasAge {
      let what = isPolled ? "a source that is polled once" : spec.kind
      checker.warn(
        "fresh has no effect on \(what)", at: place,
        hint: isPolled ? "write every: 5m beside \(spec.kind), or remove fresh" : "remove fresh")
      return nil
    }
    switch fresh {
    case .polls where !hasBeats:
      checker.report(
        "\(spec.kind) is not polled, so fresh cannot be a number of polls", at: place,
        hint: "write how long it may be without an event, as in fresh: 1h")
      return nil
    case .time(let time):
      if case .every(let period) = schedule.rhythm, time < period {
        checker.warn(
          "fresh is shorter than the time between two polls, so it is too old before each of them", at: place,
          hint: "for example fresh: 3, which is three periods")
      }
    case .polls: break
    }
    return fresh
  }

  private func shown(_ schedule: Schedule, _ spec: NodeSpec, _ beside: Options) -> String {
    switch schedule.rhythm {
    case .every(let period): return "every \(DurationText.format(period))"
    case .cron:
      let zone = beside[SourceOptions.zone].map { ", \($0)" } ?? ""
      return "cron \(beside[SourceOptions.cron] ?? "")\(zone)"
    case .once:
      if case .stream = spec.role { return "" }
      return "once"
    }
  }

  /// Notes the name of a source or stream; each has one of its own.
  mutating func claim(_ key: Scalar, _ what: String) {
    if let other = names[key.text] {
      checker.report(
        "the name \(quoted(key.text)) is already used at line \(other.position.line)", at: key.place,
        hint: "sources and streams need different names")
    } else {
      names[key.text] = key.place
    }
    if what == "stream" || what == "source", key.text == Plan.chain {
      checker.report("a \(what) cannot be called \(quoted(Plan.chain)): that is the chain", at: key.place)
    }
  }
}
