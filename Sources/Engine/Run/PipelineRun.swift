import Language
import System
import Reactive
import Synchronization

/// Why a pipeline is stopped.
public enum StopReason: Sendable {
  /// By a signal.
  case request
  /// Its time is over: it is judged by what it has done, as one that ends by itself.
  case time
  /// Another run takes its place.
  case reload
}

/// A pipeline at work, from its start to its end.
///
///     let run = try PipelineRun(plan, options) { status in … }
///     run.start()
///     run.stop()  // sources stop, what is under way goes through, sinks write
public final class PipelineRun: Sendable {
  private struct Progress: Sendable {
    var sinksLeft: Int
    var isStopping = false
    /// Why it was stopped first.
    var reason: StopReason?
    var isFinishing = false
    var hasFailed = false
    /// The first error of the pipeline or of a source.
    var error: String?
    /// Whether a source has ended before its end.
    var isCutShort = false
    /// The second stop: nothing is waited for.
    var isAborted = false
    /// The last snapshot, taken before the lane ended.
    var last: PipelineStatus?
  }

  public let plan: Plan
  public let meters: [Meter]
  private let options: RunOptions
  let lane: Lane
  /// The file of its state; nil where it keeps none.
  package let statePath: String?
  private let root: Subscription
  let sinks: [SinkObserver]
  private let errorReporters: [ErrorReporter]
  private let sources: [SourceRun]
  private let sinkStop: StopSign
  private let progress: ProgressBox
  private let started: Double
  private let done: @Sendable (_ hasFailed: Bool) -> Void

  /// State shared with callbacks made before `self` is initialised.
  private final class ProgressBox: Sendable {
    let state: Locked<Progress>
    let ended = Locked<(@Sendable () -> Void)?>(nil)

    init(sinks: Int) { state = Locked(Progress(sinksLeft: sinks)) }

    func sinkEnded() {
      let isLast = state.withLock { state in
        state.sinksLeft -= 1
        return state.sinksLeft == 0
      }
      if isLast { ended.withLock { $0 }?() }
    }
  }

  /// Puts the pipeline together; with a `clock`, everything runs on that instead of on threads.
  ///
  /// `done` is called once, when all is written, with whether anything failed that was to be done.
  public init(
    _ plan: Plan, _ options: RunOptions, clock: VirtualScheduler? = nil,
    done: @escaping @Sendable (_ hasFailed: Bool) -> Void
  ) throws {
    let alerts = options.alerts(plan)
    var options = options
    if let alerts { options.log = alerts.log(options.log) }
    self.plan = plan
    self.options = options
    self.done = done
    started = options.world.wallClock()
    let schedulers = options.threads.schedulers(at: options.world.speed, clock: clock)
    let lane = Lane(
      on: schedulers.makeLane(), world: options.world,
      waiting: schedulers.isVirtual ? .withinTurn : .acrossTurns)
    self.lane = lane
    lane.isWhole = false
    let root = Subscription()
    self.root = root
    let sinkStop = StopSign()
    self.sinkStop = sinkStop
    var sinks: [SinkObserver] = []
    var sources: [SourceRun] = []
    var isWhole = false
    defer { if !isWhole { Self.takeApart(lane, root, sources, sinks, isVirtual: schedulers.isVirtual) } }
    if let open = options.state, plan.hasState {
      let log = NodeLog(log: options.log, pipeline: plan.name, node: "")
      let isRepeatable = plan.isRepeatable && !options.isReplicated
      lane.checkpointer = try Checkpointer(
        try open(plan), Checkpointer.Limits(plan.epochs, isRepeatable: isRepeatable),
        isRepeatable: isRepeatable, on: lane, in: root, stop: sinkStop, log)
    }
    statePath = lane.checkpointer?.state.value.file.path
    // A log has no place for it.
    if let checkpointer = lane.checkpointer, !options.isReplicated {
      checkpointer.state.value.trace = try KeptTrace(of: plan, in: checkpointer.state.value.file, on: lane)
      if let trace = checkpointer.state.value.trace { options.notes = trace.eventNotes }
    }
    let progress = ProgressBox(sinks: plan.sinks.count)
    self.progress = progress
    let isKept = lane.checkpointer != nil
    var assembly = Assembly(plan, options, lane, root, schedulers, alerts) {
      let state = progress.state.withLock { $0 }
      // With state, the next run resumes waiting events.
      if state.reason == .reload, isKept { return .keep }
      return state.isStopping ? plan.onStop : .flush
    }
    let makers = plan.sources.map { options.source($0) ?? $0.spec.maker as? Maker }
    let polledRows = PolledRows(
      of: Set(zip(plan.sources, makers).compactMap { $1?.listSource($0.options) }))
    for (source, maker) in zip(plan.sources, makers) {
      let child = root.child()
      let meter = assembly.meter(source.name, source.spec)
      var context = SourceContext(
        name: source.name, world: options.world, log: assembly.log(source.name), meter: meter,
        isOnce: options.isOnce, stop: StopSign(), position: try lane.checkpointer?.position(of: source.name),
        storesPositions: lane.checkpointer != nil, identity: lane.checkpointer?.identity(of: source.name),
        nextPoll: options.nextPolls[source.name],
        progress: { [report = options.progress] in report(plan.name, source.name, $0) })
      context.polledRows = polledRows
      context.isPolled = { [isPolled = options.isPolled] in isPolled(source.name, $0) }
      context.entryPositions = try lane.checkpointer?.entryPositions(of: source.name) ?? [:]
      if let note = options.polled {
        context.polled = { [pipeline = plan.name] poll in
          var poll = poll
          poll.pipeline = pipeline
          note(poll)
        }
      }
      let entry = assembly.entry(for: source, meter, stop: sinkStop, in: child)
      sources.append(
        SourceRun(
          source, maker, context, to: entry, in: child, on: schedulers, lane: lane, errors: assembly.errors,
          noting: assembly.note))
    }
    try assembly.connectStreams()
    for sink in plan.sinks {
      if let observer = try assembly.connectSink(sink, stop: sinkStop, ended: progress.sinkEnded) {
        sinks.append(observer)
      }
    }
    self.sinks = sinks
    self.sources = sources
    meters = assembly.meters
    errorReporters = assembly.errorReporters
    lane.onFailure { [weak self] error in self?.fail(error) }
    lane.onLoss { progress.state.withLock { $0.hasFailed = true } }
    let finish: @Sendable () -> Void = { [weak self] in self?.finish() }
    progress.ended.withLock { $0 = finish }
    isWhole = true
  }

  /// Lets go of what was made of a pipeline that cannot begin: its files, its connections and its state, which another
  /// attempt needs.
  private static func takeApart(
    _ lane: Lane, _ root: Subscription, _ sources: [SourceRun], _ sinks: [SinkObserver], isVirtual: Bool
  ) {
    let end: @Sendable () -> Void = {
      for source in sources { source.stop() }
      for sink in sinks { sink.abandon() }
      root.dispose()
      lane.end()
    }
    // Where there is no sink yet nothing can have rung: a state that has no room, say.
    if isVirtual || sinks.isEmpty { return end() }
    // On the lane, and waited for, so that the caller finds nothing in use; but lanes may stand still on all threads.
    let hasEnded = ConditionLock(false)
    lane.scheduler.perform {
      end()
      hasEnded.change { $0 = true }
    }
    _ = hasEnded.wait(until: MonotonicClock.now + .seconds(10)) { $0 ? true : nil }
  }

  public func start() {
    lane.scheduler.perform { [lane] in lane.start() }
    for source in sources {
      source.start { [self] error in
        progress.state.withLock { state in
          state.hasFailed = true
          state.isCutShort = true
          state.error = state.error ?? "\(source.plan.name): \(error)"
        }
        NodeLog(log: options.log, pipeline: plan.name, node: source.plan.name).error("\(error)")
      }
    }
  }

  /// Ends the pipeline in an orderly way: sources stop, what is under way goes through, sinks write.
  ///
  /// To be followed by `abort` when that takes longer than the grace.
  public func stop(_ reason: StopReason = .request) {
    progress.state.withLock { state in
      state.isStopping = true
      state.reason = state.reason ?? reason
    }
    for source in sources { source.stop() }
  }

  /// Ends the pipeline at once: what waits in mailboxes and queues is dropped.
  ///
  /// The turn under way is completed, on the lane: cut off in its middle, a batch would be stored without its
  /// position, and its events would come twice. A turn that takes longer than the process has is as good as killed.
  public func abort() {
    progress.state.withLock { $0.isAborted = true }
    sinkStop.set()
    for source in sources { source.stop() }
    finish()
  }

  /// Polls a source now, besides its schedule; false where it is not polled, or has ended.
  public func poll(_ source: String) -> Bool {
    sources.first { $0.plan.name == source }?.pollNow() ?? false
  }

  /// The events that a source's mailbox dropped.
  func droppedDeliveries(_ source: Int) -> Int { sources[source].dropped }

  private func fail(_ error: any Error) {
    let isFirst = progress.state.withLock { state in
      defer {
        state.hasFailed = true
        state.error = state.error ?? "\(error)"
      }
      return !state.hasFailed
    }
    if isFirst { NodeLog(log: options.log, pipeline: plan.name, node: "").error("\(error)") }
    stop()
  }

  /// When all streams have ended: the sinks write what they have.
  private func finish() {
    let before = progress.state.withLock { state in
      defer { state.isFinishing = true }
      return state
    }
    if before.isFinishing { return }
    for source in sources { source.stop() }
    lane.scheduler.perform { [self] in
      lane.checkpointer?.breakOffRegeneration()
      let now = lane.scheduler.now
      // A pipeline that ends by itself has no time limit; one that is stopped is aborted when the time is over.
      let grace = options.world.speed.shown(for: options.grace)
      let deadline = before.isAborted ? now : before.isStopping ? now + grace : .distantFuture
      lane.turn { for sink in sinks { sink.close() } }
      for sink in sinks { sink.finish(by: deadline) }
      for reporter in errorReporters { reporter.summarize() }
      let isCompleted = !before.isStopping && !before.isAborted && !progress.state.withLock { $0.isCutShort }
      lane.checkpointer?.finish(
        isCompleted: isCompleted, sources: plan.sources.filter(\.spec.isRepeatable).map(\.name))
      let isLate = !before.isAborted && lane.scheduler.now >= deadline
      let hasFailed = end(isLate: isLate, isStopped: before.isStopping || before.isAborted)
      root.dispose()
      lane.end()
      done(hasFailed)
    }
  }

  /// Takes the last snapshot, on the lane; returns whether the run has failed.
  private func end(isLate: Bool, isStopped: Bool) -> Bool {
    var status = snapshot()
    status.ended = options.world.wallClock()
    let (isFailed, reason) = progress.state.withLock { ($0.hasFailed, $0.reason) }
    // A run that is stopped by request may do so at any moment: what has failed until then is in its status.
    let isJudged = !isStopped || reason == .time
    let hasFailed = isLate || isFailed || isJudged && !status.losses.isEmpty
    status.phase = hasFailed ? .failed : isStopped ? .stopped : .completed
    if hasFailed, status.error == nil { status.error = status.losses.first }
    progress.state.withLock { [status] in $0.last = status }
    return hasFailed
  }
}

// MARK: - Status

extension PipelineRun {
  /// The counters of all nodes, from sources to sinks; may be called at any time, from any thread.
  public var statistics: [NodeStatus] {
    let (sources, sinks) = (plan.sources.count, plan.sinks.count)
    return meters.enumerated().map { index, meter in
      let role: NodeStatus.Role = index < sources ? .source : index < meters.count - sinks ? .step : .sink
      var node = NodeStatus(name: meter.name, kind: meter.kind, role: role)
      if role == .source {
        node.queue = meter.backlog
      } else {
        (node.eventsIn, node.seconds) = (meter.eventsIn, meter.seconds)
      }
      node.eventsOut = meter.eventsOut
      node.dropped = meter.eventsDropped + (role == .source ? droppedDeliveries(index) : 0)
      (node.errors, node.givenUp) = (meter.errors, meter.givenUp)
      (node.lost, node.forgotten, node.early, node.stale) = (
        meter.lost, meter.forgotten, meter.early, meter.stale
      )
      (node.wait, node.failing) = (meter.wait, meter.failingRows)
      return node
    }
  }

  /// Attaches a tap to nodes by their names, or to all: sources and steps give what they send, sinks what they take.
  package func attach(_ tap: EventTap, to nodes: Set<String>? = nil) {
    for meter in meters where nodes?.contains(meter.name) ?? true { meter.attach(tap, of: plan.name) }
  }

  package func detach(_ tap: EventTap) {
    for meter in meters { meter.detach(tap) }
  }

  /// A snapshot of what the pipeline does, from any thread but its lane's: the lane takes it between two turns.
  ///
  /// Where the lane does not come to it in time, it has what can be read from outside, and is not responsive.
  public func status(within time: Duration = .seconds(1)) -> PipelineStatus {
    if let last = progress.state.withLock({ $0.last }) { return last }
    let answer = ConditionLock<PipelineStatus?>(nil)
    report { status in answer.change { $0 = status } }
    if let status = answer.wait(until: MonotonicClock.now + time, for: { $0 }) { return status }
    var status = outline()
    status.isResponsive = false
    return status
  }

  /// Calls `receive` with a snapshot, on the lane: never where the lane hangs.
  public func report(to receive: @escaping @Sendable (PipelineStatus) -> Void) {
    lane.scheduler.perform { [self] in receive(snapshot()) }
  }

  /// Whether it stands still because there is no room on the disk for its state.
  public var lacksRoom: Bool { lane.lacksRoom }

  /// Whether it has ended, and `status` is its last.
  public var isOver: Bool { progress.state.withLock { $0.last != nil } }

  /// The status as any thread can read it, its lane's too: without keys, queues and dead letters, and without waiting.
  public func outline() -> PipelineStatus {
    let state = progress.state.withLock { $0 }
    if let last = state.last { return last }
    let phase: PipelineStatus.Phase = state.isStopping || state.isFinishing ? .stopping : .running
    var status = PipelineStatus(name: plan.name, path: plan.path, phase: phase, started: started)
    status.error = state.error
    status.sources = sources.map(\.status)
    status.nodes = statistics
    status.standstill = lane.standstill(of: 1)
    return status
  }

  /// All of it, on the lane.
  private func snapshot() -> PipelineStatus {
    var status = outline()
    status.measured = sinks.compactMap(\.metric)
    let (now, instant) = (options.world.wallClock(), lane.scheduler.now)
    for (index, meter) in meters.enumerated() {
      status.nodes[index].due = meter.due.map { now + ($0 - instant).inSeconds }
    }
    guard let stored = lane.checkpointer?.holdings else { return status }
    for index in status.nodes.indices {
      let name = status.nodes[index].name
      status.nodes[index].keys = stored.keys[name]
      let sink = stored.sinks[name]
      if status.nodes[index].role == .step {
        status.nodes[index].deadLetters = stored.steps.contains(name) ? sink?.dead ?? 0 : nil
      } else if status.nodes[index].role == .sink {
        (status.nodes[index].queue, status.nodes[index].deadLetters) = (sink?.waiting ?? 0, sink?.dead ?? 0)
      }
    }
    return status
  }
}
