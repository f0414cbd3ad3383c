import Engine
import Glibc
import Language
import Reactive
import Store
import Synchronization

/// Runs plans until they end, handling signals.
struct Runner {
  private let plans: [Plan]
  private let options: RunOptions
  private let roster: RunRoster
  private let report: RunReport
  /// Where the state of each pipeline is; nil without state.
  private let folders: RunFolders?
  private let printsStatistics: Bool
  /// The time after which they are stopped.
  private let time: Duration?

  init(
    _ plans: [Plan], _ options: RunOptions, _ roster: RunRoster, _ folders: RunFolders?, _ report: RunReport,
    printsStatistics: Bool, for time: Duration? = nil
  ) {
    self.roster = roster
    self.report = report
    self.folders = folders
    self.time = time
    self.plans = plans
    self.options = options
    self.printsStatistics = printsStatistics
  }

  /// The log of what concerns no pipeline.
  private var log: NodeLog { NodeLog(log: options.log, pipeline: "", node: "") }

  private final class Tally: Sendable {
    let left: Atomic<Int>
    let hasFailed = Atomic<Bool>(false)
    init(_ count: Int) { left = Atomic(count) }

    func end(hasFailed: Bool) {
      if hasFailed { self.hasFailed.store(true, ordering: .relaxed) }
      left.subtract(1, ordering: .releasing)
    }

    var isOver: Bool { left.load(ordering: .acquiring) <= 0 }
  }

  /// The exit status.
  func run() -> Int32 {
    // Before any thread is started, so that all of them have the signals blocked.
    let signals = RunSignals(grace: options.grace)
    let status = run(signals)
    signals.finish(status)
    return status
  }

  private func run(_ signals: RunSignals) -> Int32 {
    let tally = Tally(plans.count)
    var runs: [PipelineRun] = []
    var waiting: [Waiting] = []
    do {
      for plan in plans {
        do {
          runs.append(try make(plan, tally, signals))
        } catch let error as StoreError where error.isFull {
          roster.note(plan, .waiting, error)
          waiting.append(Waiting(plan, error, options.log))
        }
      }
    } catch {
      log.error("\(error)")
      return ExitStatus.failed
    }
    let server = folders.map { StatusServer(in: $0.all, roster) }
    defer { server?.close() }
    for run in runs { start(run) }
    let stoppedBy = wait(&runs, &waiting, tally, signals)
    if printsStatistics { report.statistics(runs) }
    for run in runs { report.end(roster.status(of: run), hasState: statusFile(of: run.plan) != nil) }
    if stoppedBy == SIGINT { return ExitStatus.interrupted }
    return tally.hasFailed.load(ordering: .relaxed) ? ExitStatus.failed : ExitStatus.done
  }

  private func make(_ plan: Plan, _ tally: Tally, _ signals: RunSignals) throws -> PipelineRun {
    let run = try PipelineRun(plan, options) { hasFailed in
      tally.end(hasFailed: hasFailed)
      signals.wake()
    }
    roster.add(run)
    return run
  }

  private func start(_ run: PipelineRun) {
    run.start()
    let (name, path) = (run.plan.name, run.plan.path)
    statusFile(of: run.plan)?.write(
      PipelineStatus(name: name, path: path, phase: .running, started: options.world.wallClock()))
  }

  /// Notes the ends of runs, once each.
  private func noteEnds(of runs: [PipelineRun], _ noted: inout Set<String>) {
    for run in runs where run.isOver && noted.insert(run.plan.name).inserted {
      statusFile(of: run.plan)?.write(roster.status(of: run))
    }
  }

  /// The file with the status of the last run, beside the state.
  private func statusFile(of plan: Plan) -> StatusFile? {
    guard options.state != nil, plan.hasState, let folder = folders?.folder(of: plan) else { return nil }
    return StatusFile(of: plan.name, in: folder)
  }

  /// A pipeline that waits for room for its state.
  private struct Waiting {
    static let pause = Duration.milliseconds(500)

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

    mutating func goOn(_ error: StoreError) {
      guard MonotonicClock.now - reported >= .seconds(60) else { return }
      reported = MonotonicClock.now
      report(error)
    }

    func end() { log.notice("the state can be written again") }
  }

  /// Starts the pipelines whose state has room by now.
  private func startWaiting(
    _ waiting: inout [Waiting], _ runs: inout [PipelineRun], _ tally: Tally, _ signals: RunSignals
  ) {
    var left: [Waiting] = []
    for var entry in waiting {
      do {
        let run = try make(entry.plan, tally, signals)
        entry.end()
        runs.append(run)
        start(run)
      } catch let error as StoreError where error.isFull {
        entry.goOn(error)
        left.append(entry)
      } catch {
        log.error("\(error)")
        roster.note(entry.plan, .failed, error)
        tally.end(hasFailed: true)
      }
    }
    waiting = left
  }

  /// Waits until all have ended; returns the signal that stopped them, if any.
  private func wait(
    _ runs: inout [PipelineRun], _ waiting: inout [Waiting], _ tally: Tally, _ signals: RunSignals
  ) -> Int32? {
    var stoppedBy: Int32?
    let end = time.map { MonotonicClock.now + $0 }
    var deadline: Instant?
    var isAborted = false
    var noted: Set<String> = []
    defer { noteEnds(of: runs, &noted) }
    func stop(_ reason: StopReason) {
      deadline = MonotonicClock.now + options.grace
      for run in runs { run.stop(reason) }
      for _ in waiting { tally.end(hasFailed: true) }
      waiting = []
    }
    func abort() {
      isAborted = true
      deadline = MonotonicClock.now + RunSignals.abortTime
      for run in runs { run.abort() }
    }
    while !tally.isOver {
      let tick = waiting.isEmpty ? nil : MonotonicClock.now + Waiting.pause
      switch signals.next(until: deadline ?? [end, tick].compactMap({ $0 }).min()) {
      case .signal(SIGUSR1): report.statistics(runs)
      case .signal(let signal):
        stoppedBy = stoppedBy ?? signal
        if deadline == nil { stop(.request) } else if !isAborted { abort() }
      case .woken: noteEnds(of: runs, &noted)
      case .timeOver:
        if deadline == nil {
          if let end, end <= MonotonicClock.now {
            signals.stop()
            stop(.time)
          } else {
            startWaiting(&waiting, &runs, tally, signals)
          }
        }
        guard let passed = deadline, passed <= MonotonicClock.now else { continue }
        if isAborted { return stoppedBy }
        tally.hasFailed.store(true, ordering: .relaxed)
        abort()
        log.error("not everything could be written in time")
      }
    }
    return stoppedBy
  }
}
