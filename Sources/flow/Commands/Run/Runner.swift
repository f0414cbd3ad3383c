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
  private let printsStatistics: Bool
  /// The time after which they are stopped.
  private let time: Duration?
  private let settings: UnmatchedSettings

  init(
    _ plans: [Plan], _ options: RunOptions, printsStatistics: Bool, for time: Duration? = nil,
    settings: UnmatchedSettings
  ) {
    self.time = time
    self.settings = settings
    self.plans = plans
    self.options = options
    self.printsStatistics = printsStatistics
  }

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
          waiting.append(Waiting(plan, error, options.log))
        }
      }
    } catch {
      Terminal.complain("flow: \(error)\n")
      return ExitStatus.failed
    }
    for run in runs { run.start() }
    let stoppedBy = wait(&runs, &waiting, tally, signals)
    for run in runs { settings.report(run, to: options.log) }
    if printsStatistics { Terminal.complain(RunStatistics.text(runs), beside: options.screen) }
    if stoppedBy == SIGINT { return ExitStatus.interrupted }
    return tally.hasFailed.load(ordering: .relaxed) ? ExitStatus.failed : ExitStatus.done
  }

  private func make(_ plan: Plan, _ tally: Tally, _ signals: RunSignals) throws -> PipelineRun {
    try PipelineRun(plan, options) { hasFailed in
      tally.end(hasFailed: hasFailed)
      signals.wake()
    }
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
        run.start()
      } catch let error as StoreError where error.isFull {
        entry.goOn(error)
        left.append(entry)
      } catch {
        Terminal.complain("flow: \(printable("\(error)"))\n", beside: options.screen)
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
    func stop() {
      deadline = MonotonicClock.now + options.grace
      for run in runs { run.stop() }
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
      case .signal(SIGUSR1): Terminal.complain(RunStatistics.text(runs), beside: options.screen)
      case .signal(let signal):
        stoppedBy = stoppedBy ?? signal
        if deadline == nil { stop() } else if !isAborted { abort() }
      case .woken: break
      case .timeOver:
        if deadline == nil {
          if let end, end <= MonotonicClock.now {
            signals.stop()
            stop()
          } else {
            startWaiting(&waiting, &runs, tally, signals)
          }
        }
        guard let passed = deadline, passed <= MonotonicClock.now else { continue }
        if isAborted { return stoppedBy }
        tally.hasFailed.store(true, ordering: .relaxed)
        abort()
        Terminal.complain("flow: not everything could be written in time\n", beside: options.screen)
      }
    }
    return stoppedBy
  }
}

/// The statistics of all nodes, for `--stats` and SIGUSR1.
enum RunStatistics {
  static func text(_ runs: [PipelineRun]) -> String {
    runs.map { run in
      var table = TextTable(headers: ["node", "kind", "in", "out", "dropped", "errors", "time"])
      for row in run.statistics {
        table.add([
          row.name, row.kind, count(row.eventsIn), count(row.eventsOut), count(row.dropped),
          count(row.errors), time(row.seconds),
        ])
      }
      let width = Terminal.columns(2) ?? 120
      return (["\(printable(run.plan.name)):"] + table.lines(width: width)).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private static func count(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }

  private static func time(_ seconds: Double?) -> String {
    guard let seconds else { return "" }
    if seconds < 0.001 { return "\(Int(seconds * 1e6)) µs" }
    if seconds < 10 { return "\(Int(seconds * 1000)) ms" }
    return "\(Int(seconds)) s"
  }
}
