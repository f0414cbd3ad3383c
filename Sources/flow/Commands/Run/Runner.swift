import Engine
import Glibc
import Language
import Reactive
import Store
import System

/// Runs plans until they end: handles signals, waits for room for their states, and reloads them.
struct Runner {
  /// The tools of a run besides its pipelines.
  struct Tools {
    let settings: RunSettings
    let roster: RunRoster
    let report: RunReport
    /// The line at the end of the terminal; nil without one.
    let line: ProgressLine?
    /// The folder of a pipeline's state; nil without state.
    let folder: (Plan) -> String?
    /// Whether the run waits to be stopped after all pipelines have ended, because its page is up.
    let staysUp: Bool
    /// The files of the pipelines.
    let inputs: () -> Set<String>
    /// The notices to the service manager; nil without one.
    let notices: ServiceNotices?
    let signals: RunSignals
    /// Nil where no config has them.
    let alerts: RunAlerts?
    /// Waits for what is still being shown beside the pipelines.
    let settle: () -> Void
    /// Reads the pipelines again; nil where they are wrong, which it reports.
    let reload: () -> Reloaded?
  }

  /// A pipeline that was started.
  struct Member {
    let run: PipelineRun
    let result: Result
    var isNoted = false
    /// The pipeline that takes its place once it has ended.
    var successor: Successor?

    var isEnded: Bool { result.hasFailed.withLock { $0 != nil } }
  }

  /// Whether a run has failed, once it has ended.
  final class Result: Sendable {
    let hasFailed = Locked<Bool?>(nil)
    /// The status at the time at which it was asked to end; nil where its lane has not answered.
    let atStop = Locked<PipelineStatus?>(nil)
  }

  /// A pipeline that is about to take the place of another.
  struct Successor {
    let plan: Plan
    /// When the sources that it shares with the other are polled next.
    let nextPolls: [String: Double]
    /// When the other is aborted, then until when its files and its state may be in use.
    var deadline: Instant
    var isAborted = false
  }

  /// After which time what only the start has needed is given back.
  private static let startTime = Duration.seconds(5)

  /// How often what waits is tried again.
  private static let pauses = (
    room: Duration.milliseconds(500), release: Duration.milliseconds(20), stop: Duration.seconds(1)
  )

  var options: RunOptions
  let tools: Tools
  var members: [Member] = []
  /// The runs that send alerts, beside the others.
  private var alerts: [Member] = []
  var waiting: [WaitingPipeline] = []
  /// Successors whose predecessors have ended, and may still hold files.
  var successors: [Successor] = []
  /// The totals of pipelines before they were reloaded.
  var former: [String: RunTotals] = [:]
  private var hasFailed = false
  /// The files of pipelines that could not begin, where a change of them is noticed.
  var unbegun: Set<String> = []
  private(set) var watch: PipelineWatch?
  private let plans: [Plan]

  init(_ plans: [Plan], _ options: RunOptions, _ tools: Tools) {
    (self.plans, self.options, self.tools) = (plans, options, tools)
  }

  /// The log of what concerns no pipeline.
  var log: NodeLog { NodeLog(log: options.log, pipeline: "", node: "") }

  /// The exit status.
  mutating func run() -> Int32 {
    let signals = tools.signals
    signals.begin()
    let status = run(signals)
    signals.finish(status)
    return status
  }

  private mutating func run(_ signals: RunSignals) -> Int32 {
    do {
      alerts =
        try tools.alerts?.start(options, tools.roster) { plan, options in try make(plan, options, signals) }
        ?? []
      let states = OpenedStates(tools.settings.resetsCorrupt ? [] : plans, options)
      for plan in plans {
        do {
          members.append(try make(plan, states.options(options, for: plan), signals))
        } catch let error as StoreError where error.isFull {
          tools.roster.note(plan, .waiting, error)
          waiting.append(WaitingPipeline(plan, error, options.log))
        }
      }
    } catch {
      log.error("\(error)")
      return ExitStatus.failed
    }
    let server = StatusServer(in: Set(plans.compactMap(tools.folder)).sorted(), tools.roster)
    defer { server.close() }
    watch = tools.settings.watches ? PipelineWatch { signals.reload() } : nil
    watch?.follow(tools.inputs())
    defer { watch?.stop() }
    for member in members { start(member) }
    tools.line?.follow { [roster = tools.roster] in roster.outlines() }
    tools.notices?.ready()
    tools.notices?.check(tools.roster)
    let stoppedBy = wait(signals)
    tools.settle()
    tools.notices?.stopping()
    noteEnds()
    endAlerts(signals)
    tools.line?.end()
    let runs = members.map(\.run)
    if tools.settings.printsStatistics { tools.report.statistics(runs) }
    for run in runs {
      tools.settings.unmatched.report(run, to: options.log)
      tools.report.end(
        tools.roster.status(of: run), after: former[run.plan.name], hasState: statusFile(of: run.plan) != nil)
    }
    if stoppedBy == SIGINT { return ExitStatus.interrupted }
    let failed = members.contains { $0.result.hasFailed.withLock { $0 } ?? true }
    return hasFailed || failed ? ExitStatus.failed : ExitStatus.done
  }

  // MARK: - Members

  func make(_ plan: Plan, _ options: RunOptions, _ signals: RunSignals) throws -> Member {
    let result = Result()
    let run = try PipelineRun(plan, options) { hasFailed in
      result.hasFailed.withLock { $0 = hasFailed }
      signals.wake()
    }
    tools.roster.add(run)
    return Member(run: run, result: result)
  }

  mutating func start(_ member: Member) {
    member.run.start()
    let plan = member.run.plan
    unbegun.remove(plan.path)
    statusFile(of: plan)?.write(
      PipelineStatus(
        name: plan.name, path: plan.path, phase: .running, started: options.world.wallClock()))
  }

  /// Notes the ends of runs beside their states, once each.
  private mutating func noteEnds() {
    for index in members.indices where members[index].isEnded && !members[index].isNoted {
      members[index].isNoted = true
      let run = members[index].run
      let status = tools.roster.status(of: run)
      statusFile(of: run.plan)?.write(status)
      if status.phase == .failed {
        tools.alerts?.feed(of: run.plan)?.noteEnd(of: run.plan.name, status.error ?? "it has failed")
      }
    }
  }

  /// Sends what the others have left, for as long as a shutdown may take; the next run sends the rest.
  private func endAlerts(_ signals: RunSignals) {
    for member in alerts { member.run.stop(.time) }
    let deadline = MonotonicClock.now + options.grace
    while alerts.contains(where: { !$0.isEnded }), MonotonicClock.now < deadline {
      if case .signal = signals.next(until: deadline) { break }
    }
    for member in alerts where !member.isEnded { member.run.abort() }
  }

  /// The file with the status of the last run, beside the state.
  private func statusFile(of plan: Plan) -> StatusFile? {
    guard options.state != nil, plan.hasState, let folder = tools.folder(plan) else { return nil }
    return StatusFile(of: plan.name, in: folder)
  }

  /// Starts the pipelines whose state has room by now.
  private mutating func startWaiting(_ signals: RunSignals) {
    var left: [WaitingPipeline] = []
    for var entry in waiting {
      do {
        let member = try make(entry.plan, options, signals)
        entry.end()
        members.append(member)
        start(member)
      } catch let error as StoreError where error.isFull || error.isHeld {
        entry.repeatReport(error)
        left.append(entry)
      } catch {
        fail(entry.plan, error)
      }
    }
    waiting = left
  }

  /// Notes a pipeline that cannot start.
  mutating func fail(_ plan: Plan, _ error: any Error) {
    let isWatched = watch != nil && !options.isOnce
    log.error(isWatched ? "\(error); \(plan.name) begins again when its file is changed" : "\(error)")
    if isWatched { unbegun.insert(plan.path) } else { hasFailed = true }
    tools.roster.note(plan, .failed, error)
    tools.alerts?.feed(of: plan)?.noteEnd(of: plan.name, "\(error)")
  }

  // MARK: - The wait

  private var isOver: Bool {
    members.allSatisfy { $0.isEnded && $0.successor == nil } && waiting.isEmpty && successors.isEmpty
      && unbegun.isEmpty
  }

  /// When to look at what waits.
  private var tick: Instant? {
    let now = MonotonicClock.now
    return [
      waiting.isEmpty ? nil : now + Self.pauses.room, successors.isEmpty ? nil : now + Self.pauses.release,
      members.compactMap(\.successor?.deadline).min(), tools.notices?.next,
    ].compactMap { $0 }.min()
  }

  /// Waits until all have ended; returns the signal that stopped them, if any.
  private mutating func wait(_ signals: RunSignals) -> Int32? {
    var stoppedBy: Int32?
    let end = tools.settings.time.map { MonotonicClock.now + $0 }
    var started: Instant? = MonotonicClock.now + Self.startTime
    var deadline: Instant?
    // When to say what the end of the run waits for.
    var saying: Instant?
    var isAborted = false
    while !isOver || (tools.staysUp && deadline == nil) {
      if deadline == nil {
        let isSettled = successors.isEmpty && members.allSatisfy { $0.successor == nil }
        tools.notices?.attend(tools.roster, isSettled: isSettled)
      }
      if let time = started, time <= MonotonicClock.now {
        started = nil
        StartupCode.release()
      }
      if let time = saying, time <= MonotonicClock.now {
        saying = nil
        if !isAborted { reportWait(stoppedBy) }
      }
      switch signals.next(
        until: deadline.map { min($0, saying ?? $0) } ?? [end, tick, started].compactMap({ $0 }).min())
      {
      case .signal(SIGUSR1): tools.report.statistics(members.map(\.run))
      case .reload:
        guard deadline == nil else { continue }
        tools.notices?.reloading()
        reload(signals)
      case .signal(let signal):
        stoppedBy = stoppedBy ?? signal
        if deadline == nil {
          deadline = stop(.request)
          saying = MonotonicClock.now + Self.pauses.stop
        } else if !isAborted {
          isAborted = true
          deadline = abort()
        }
      case .woken:
        noteEnds()
        if deadline == nil { succeed(signals) }
      case .timeOver:
        if deadline == nil {
          if let end, end <= MonotonicClock.now {
            signals.stop()
            deadline = stop(.time)
          } else {
            startWaiting(signals)
            succeed(signals)
          }
        }
        guard let passed = deadline, passed <= MonotonicClock.now else { continue }
        if isAborted { return stoppedBy }
        hasFailed = true
        isAborted = true
        deadline = abort()
        log.error("not everything could be written in time")
      }
    }
    return stoppedBy
  }

  /// Says a while after a run was asked to end for which sinks and sources it waits.
  private func reportWait(_ signal: Int32?) {
    let names = members.filter { !$0.isEnded }.flatMap { member -> [String] in
      // A lane that waits for commands already has not answered: then it is all sinks that took something.
      let status = member.result.atStop.withLock { $0 } ?? member.run.outline()
      let sinks = status.nodes.filter { $0.role == .sink && ($0.queue ?? $0.eventsIn ?? 0) > 0 }
      return status.sources.filter { $0.asking != nil }.map(\.name) + sinks.map(\.name)
    }
    if names.isEmpty { return }
    let again = signal == SIGINT ? "; Ctrl-C again stops at once" : ""
    log.notice(
      "waiting for \(names.joined(separator: ", ")), up to \(DurationText.format(options.grace))\(again)")
  }

  private mutating func stop(_ reason: StopReason) -> Instant {
    tools.notices?.stopping()
    for member in members {
      member.run.report { [result = member.result] status in result.atStop.withLock { $0 = status } }
      member.run.stop(reason)
    }
    for index in members.indices { members[index].successor = nil }
    if !waiting.isEmpty || !unbegun.isEmpty { hasFailed = true }
    (waiting, successors, unbegun) = ([], [], [])
    return MonotonicClock.now + options.grace
  }

  private func abort() -> Instant {
    for member in members { member.run.abort() }
    return MonotonicClock.now + RunSignals.abortTime
  }
}

/// A pipeline that waits for room for its state, or for another process that has it.
struct WaitingPipeline {
  let plan: Plan
  private let log: NodeLog
  private var reported: Instant

  init(_ plan: Plan, _ error: StoreError, _ log: Log) {
    self.plan = plan
    self.log = NodeLog(log: log, pipeline: plan.name, node: "")
    reported = MonotonicClock.now
    report(error)
  }

  private func report(_ error: StoreError) {
    log.error("\(error); the pipeline waits until the state can be written")
  }

  mutating func repeatReport(_ error: StoreError) {
    guard MonotonicClock.now - reported >= .seconds(60) else { return }
    reported = MonotonicClock.now
    report(error)
  }

  func end() { log.notice("the state can be written again") }
}
