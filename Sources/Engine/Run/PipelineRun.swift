import Language
import System
import Reactive
import Synchronization

/// A pipeline at work, from its start to its end.
///
///     let run = try PipelineRun(plan, options) { status in … }
///     run.start()
///     run.stop()  // sources stop, what is under way goes through, sinks write
public final class PipelineRun: Sendable {
  private struct Progress: Sendable {
    var sinksLeft: Int
    var isStopping = false
    var isFinishing = false
    var hasFailed = false
    /// Whether a source has ended before its end.
    var isCutShort = false
    /// The second stop: nothing is waited for.
    var isAborted = false
  }

  public let plan: Plan
  public let meters: [Meter]
  private let options: RunOptions
  private let lane: Lane
  private let root: Subscription
  private let sinks: [SinkObserver]
  private let desks: [ErrorReporter]
  private let sources: [SourceRun]
  private let sinkStop: StopSign
  private let progress: ProgressBox
  private let done: @Sendable (_ hasFailed: Bool) -> Void

  /// What can be asked and told before the run itself is whole.
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
  /// `done` is called once, when all is written, and told whether anything failed that was to be done.
  public init(
    _ plan: Plan, _ options: RunOptions, clock: VirtualScheduler? = nil,
    done: @escaping @Sendable (_ hasFailed: Bool) -> Void
  ) throws {
    self.plan = plan
    self.options = options
    self.done = done
    let scheduler: any Scheduler = clock ?? SerialScheduler(name: "flow-lane", speed: options.world.speed)
    let lane = Lane(
      on: scheduler, world: options.world, waiting: clock == nil ? .acrossTurns : .withinTurn)
    self.lane = lane
    let root = Subscription()
    self.root = root
    let sinkStop = StopSign()
    self.sinkStop = sinkStop
    if let open = options.state, plan.hasState {
      let log = NodeLog(log: options.log, pipeline: plan.name, node: "")
      lane.checkpointer = try Checkpointer(
        try open(plan), Checkpointer.Limits(plan.epochs, isRepeatable: plan.isRepeatable),
        isRepeatable: plan.isRepeatable, on: lane, in: root, stop: sinkStop, log)
    }
    let progress = ProgressBox(sinks: plan.sinks.count)
    self.progress = progress
    var assembly = Assembly(plan, options, lane, root) {
      progress.state.withLock { $0.isStopping } ? plan.onStop : .flush
    }
    var sources: [SourceRun] = []
    for source in plan.sources {
      let child = root.child()
      let meter = assembly.meter(source.name, source.spec)
      let context = SourceContext(
        name: source.name, world: options.world, log: assembly.log(source.name), meter: meter,
        isOnce: options.isOnce, stop: StopSign(), position: try lane.checkpointer?.position(of: source.name),
        isKept: lane.checkpointer != nil,
        progress: { [tell = options.progress] in tell(plan.name, source.name, $0) })
      let entry = assembly.entry(for: source, stop: sinkStop, in: child)
      sources.append(
        SourceRun(
          source, options.source(source) ?? source.spec.maker as? Maker, context, to: entry, in: child,
          on: clock ?? SerialScheduler(name: "flow-\(source.name)", speed: options.world.speed), lane: lane))
    }
    try assembly.connectStreams()
    sinks = try plan.sinks.compactMap {
      try assembly.connectSink($0, stop: sinkStop, ended: progress.sinkEnded)
    }
    self.sources = sources
    meters = assembly.meters
    desks = assembly.desks
    lane.onFailure { [weak self] error in self?.fail(error) }
    lane.onLoss { progress.state.withLock { $0.hasFailed = true } }
    let finish: @Sendable () -> Void = { [weak self] in self?.finish() }
    progress.ended.withLock { $0 = finish }
  }

  public func start() {
    lane.scheduler.perform { [lane] in lane.start() }
    for source in sources {
      source.start { [self] error in
        progress.state.withLock { state in
          state.hasFailed = true
          state.isCutShort = true
        }
        NodeLog(log: options.log, pipeline: plan.name, node: source.plan.name).error("\(error)")
      }
    }
  }

  /// Ends the pipeline in an orderly way: sources stop, what is under way goes through, sinks write.
  ///
  /// To be followed by `abort` when that takes longer than the grace.
  public func stop() {
    progress.state.withLock { $0.isStopping = true }
    for source in sources { source.stop() }
  }

  /// Ends the pipeline at once: what waits in mailboxes and queues is dropped.
  ///
  /// The turn under way is completed, on the lane: cut off in its middle, a delivery would be stored without its
  /// position, and its events would come twice. A turn that takes longer than the process has is as good as killed.
  public func abort() {
    progress.state.withLock { $0.isAborted = true }
    sinkStop.set()
    for source in sources { source.stop() }
    finish()
  }

  /// The events that a source's mailbox dropped.
  func droppedDeliveries(_ source: Int) -> Int { sources[source].dropped }

  private func fail(_ error: any Error) {
    let isFirst = progress.state.withLock { state in
      defer { state.hasFailed = true }
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
      for desk in desks { desk.summarize() }
      let isCompleted = !before.isStopping && !before.isAborted && !progress.state.withLock { $0.isCutShort }
      lane.checkpointer?.finish(
        isCompleted: isCompleted, sources: plan.sources.filter(\.spec.isRepeatable).map(\.name))
      root.dispose()
      lane.end()
      let isLate = !before.isAborted && lane.scheduler.now >= deadline
      done(isLate || progress.state.withLock { $0.hasFailed })
    }
  }
}
