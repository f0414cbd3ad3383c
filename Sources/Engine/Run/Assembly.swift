import Language
import System
import Reactive

/// The assembly of a plan: connects sources, mailboxes, steps and sinks.
struct Assembly {
  let plan: Plan
  let options: RunOptions
  let lane: Lane
  let root: Subscription
  let schedulers: RunSchedulers
  let ending: @Sendable () -> Ending
  var meters: [Meter] = []
  private(set) var errorReporters: [ErrorReporter] = []
  private var streams: [String: Observable<Event>] = [:]
  /// The sources whose polls reach each source or stream.
  private var origins: [String: Set<String>] = [:]
  /// The feed of the source `errors`, if the pipeline has one.
  let errors: ErrorFeed?
  /// Takes the outcome of each poll, of sources and of nodes that fail on rows.
  let note: @Sendable (PollOutcome) -> Void
  /// The log of nodes whose errors are events.
  private let errorFeedingLog: Log

  init(
    _ plan: Plan, _ options: RunOptions, _ lane: Lane, _ root: Subscription, _ schedulers: RunSchedulers,
    _ alerts: AlertFeed?, ending: @escaping @Sendable () -> Ending
  ) {
    self.plan = plan
    self.options = options
    self.lane = lane
    self.root = root
    self.schedulers = schedulers
    self.ending = ending
    let source = plan.sources.first(where: \.readsErrors)
    let others = plan.sources.filter { !$0.readsErrors }.map(\.name)
    let errors = source.map {
      options.errors?.feed
        ?? ErrorFeed($0.name, besides: others, and: plan.processors, in: options.world)
    }
    self.errors = errors
    note = { [name = plan.name] outcome in
      errors?.note(outcome)
      alerts?.note(outcome, of: name)
    }
    errorFeedingLog = errors?.errorFeedingLog(options.log) ?? options.log
  }

  /// The log of a node that events of these sources reach; what reads errors does not feed them.
  func log(_ node: String, of sources: Set<String> = []) -> NodeLog {
    let isBelow = errors != nil && plan.sources.contains { $0.readsErrors && sources.contains($0.name) }
    return NodeLog(log: isBelow ? options.log : errorFeedingLog, pipeline: plan.name, node: node)
  }

  /// The sources whose events reach a sink.
  private func sources(of plan: SinkPlan) -> Set<String> {
    plan.from.reduce(into: []) { $0.formUnion(origins[$1] ?? []) }
  }

  mutating func meter(_ name: String, _ spec: NodeSpec) -> Meter {
    let meter = Meter(name: name, kind: spec.kind)
    meters.append(meter)
    return meter
  }

  /// The entry of a source's events into the lane.
  mutating func entry(
    for source: SourcePlan, _ meter: Meter, stop: StopSign, in subscription: Subscription
  ) -> SourceEntry {
    let entry = SourceEntry(source, meter, lane, stop, subscription) { [errors] in
      if !source.readsErrors { errors?.noteEnd() }
    }
    origins[source.name] = [source.name]
    let events = tapped(entry.events, source.name)
    streams[source.name] = readers(of: source.name) > 1 ? events.share() : events
    return entry
  }

  mutating func connectStreams() throws {
    for stream in plan.streams {
      var events = merged(stream.from)
      var isWhole = stream.from.allSatisfy { plan.sendsSnapshots($0) }
      let own = stream.from.reduce(into: Set()) { $0.formUnion(origins[$1] ?? []) }
      for (index, step) in stream.steps.enumerated() {
        if let (key, count) = step.partition {
          events = try connect(
            step, by: key, into: count, stream.steps[(index + 1)...], to: events, of: own,
            isGivenSnapshots: isWhole)
          break
        }
        events = try connect(step, to: events, of: own, isGivenSnapshots: isWhole)
        isWhole = isWhole && step.spec.emitsWholePolls
      }
      origins[stream.name] = stream.from.reduce(into: []) { $0.formUnion(origins[$1] ?? []) }
      streams[stream.name] = readers(of: stream.name) > 1 ? events.share() : events
    }
  }

  mutating func connectSink(
    _ plan: SinkPlan, stop: StopSign, ended: @escaping @Sendable () -> Void
  ) throws -> SinkObserver? {
    guard case .sink(let make) = plan.spec.maker as? Maker else { return nil }
    let meter = meter(plan.name, plan.spec)
    let log = log(plan.name, of: sources(of: plan))
    // The alarm outlives the stream: the sink may have work while other sinks still receive events.
    var context = SinkContext(
      name: plan.name, pipeline: self.plan.name, lane: lane, log: log, meter: meter,
      errors: try errorReporter(plan.onError, meter, log), alarm: SinkAlarm(lane, in: root.child()),
      stop: stop,
      isDryRun: options.isDryRun, screen: options.screen,
      isGivenSnapshots: plan.from.allSatisfy { self.plan.sendsSnapshots($0) },
      outbox: lane.checkpointer.map { Outbox(plan.name, pipeline: self.plan.name, $0) },
      syncs: self.plan.epochs.syncs, outputs: options.outputs)
    context.isOnce = options.isOnce
    context.progress = { [report = options.progress, pipeline = self.plan.name] in
      report(pipeline, plan.name, $0)
    }
    context.plan = self.plan
    let sink = try options.sink(plan, context) ?? make(plan.options, context)
    let child = root.child()
    let observer = SinkObserver(sink, when: plan.when, context, in: child, ended: ended)
    lane.add(observer)
    lane.onStart { [alarm = context.alarm] in alarm.begin() }
    if observer.isKeeping { lane.checkpointer?.state.value.sinks.append(observer) }
    merged(plan.from).attach(
      options.notes.map { GivenObserver(meter, $0, to: observer) } ?? observer, in: child)
    return observer
  }

  private mutating func connect(
    _ plan: StepPlan, to events: Observable<Event>, of own: Set<String>, isGivenSnapshots: Bool
  ) throws -> Observable<Event> {
    guard let make = (plan.spec.maker as? Maker)?.step else { return events }
    let meter = meter(plan.name, plan.spec)
    let other = plan.reads.reduce(into: Set<String>()) { $0.formUnion(origins[$1] ?? []) }
    var context = StepContext(
      name: plan.name, lane: lane, log: log(plan.name, of: own), meter: meter,
      isGivenSnapshots: isGivenSnapshots,
      sideSources: other,
      isPolledOnBothSides: self.plan.sources.allSatisfy {
        $0.isPolled || !own.contains($0.name) && !other.contains($0.name)
      }, schedules: self.plan.schedules)
    context.onError = plan.onError
    // Made here, so that an error shows before anything starts.
    let step = try make(plan.options, context)
    let errors = try errorReporter(plan.onError, meter, context.log)
    let sides = plan.reads.compactMap { streams[$0] }
    return tapped(events.through(step, context, errors, reading: sides, ending: ending), plan.name)
  }

  mutating func errorReporter(
    _ policy: ErrorPolicy, _ meter: Meter, _ log: NodeLog
  ) throws -> ErrorReporter {
    var policy = policy
    if case .deadLetter(let path) = policy {
      options.outputs.report(path, to: self.log(""))
      policy = .deadLetter(try options.outputs.place(path, of: plan.name, on: options.world.disk))
    }
    let reporter = ErrorReporter(
      policy, lane, meter, log, letters: options.letters, note: log.log === errorFeedingLog ? note : nil)
    errorReporters.append(reporter)
    return reporter
  }

  private func merged(_ names: [String]) -> Observable<Event> {
    let ways = names.compactMap { name in streams[name].map { (events: $0, sources: origins[name] ?? []) } }
    if ways.count == 1 { return ways[0].events }
    let sources = ways.flatMap(\.sources)
    return Set(sources).count < sources.count
      ? .merge(aligningPollsOf: ways) : .merge(ways.map(\.events))
  }

  /// The same events, for those who listen; in a task in the order of the partition's output, and the end of a poll once,
  /// behind its events in all tasks.
  func tapped(
    _ events: Observable<Event>, _ name: String, in task: PartitionTask? = nil
  ) -> Observable<Event> {
    var events = events
    if let tap = options.tap {
      events = events.do(next: { event in
        guard let task else { return tap(name, event) }
        if task.isLast || !event.isEndOfPoll { task.perform { tap(name, event) } }
      })
    }
    guard let notes = options.notes else { return events }
    return Observable { [events] observer, subscription in
      events.attach(NotingObserver(name, notes, task, to: observer), in: subscription)
    }
  }

  private func readers(of name: String) -> Int {
    let streams = plan.streams.reduce(0) { sum, stream in
      sum + stream.from.count { $0 == name } + stream.steps.reduce(0) { $0 + $1.reads.count { $0 == name } }
    }
    return streams + plan.sinks.reduce(0) { $0 + $1.from.count { $0 == name } }
  }
}
