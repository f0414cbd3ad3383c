import Glibc
import Engine
import Language
import Synchronization

/// Runs plans and waits, answering signals, until they are done.
struct Runner {
  private let plans: [Plan]
  private let options: RunOptions
  private let printsStatistics: Bool
  /// After so long they are stopped.
  private let time: Duration?

  init(_ plans: [Plan], _ options: RunOptions, printsStatistics: Bool, for time: Duration? = nil) {
    self.time = time
    self.plans = plans
    self.options = options
    self.printsStatistics = printsStatistics
  }

  private final class Tally: Sendable {
    let left: Atomic<Int>
    let hasFailed = Atomic<Bool>(false)
    init(_ count: Int) { left = Atomic(count) }
  }

  /// The exit status.
  func run() -> Int32 {
    // Before any thread is started, so that all have them blocked and only `wait` sees them.
    let signals = SignalSet.ofRuns
    signals.block()
    let tally = Tally(plans.count)
    let main = pthread_self()
    var runs: [PipelineRun] = []
    do {
      for plan in plans {
        runs.append(
          try PipelineRun(plan, options) { hasFailed in
            if hasFailed { tally.hasFailed.store(true, ordering: .relaxed) }
            tally.left.subtract(1, ordering: .releasing)
            pthread_kill(main, SIGUSR2)
          })
      }
    } catch {
      Terminal.complain("flow: \(error)\n")
      return ExitStatus.failed
    }
    for run in runs { run.start() }
    let stoppedBy = wait(runs, tally, signals)
    if printsStatistics { Terminal.complain(RunStatistics.text(runs), beside: options.screen) }
    if stoppedBy == SIGINT { return ExitStatus.interrupted }
    return tally.hasFailed.load(ordering: .relaxed) ? ExitStatus.failed : ExitStatus.done
  }

  /// Until all are done; the signal that stopped them, if one did.
  private func wait(_ runs: [PipelineRun], _ tally: Tally, _ signals: SignalSet) -> Int32? {
    var stoppedBy: Int32?
    let end = time.map { ContinuousClock.now + $0 }
    var deadline: ContinuousClock.Instant?
    var isAborted = false
    func stop() {
      deadline = .now + options.grace
      for run in runs { run.stop() }
    }
    while tally.left.load(ordering: .acquiring) > 0 {
      let signal = signals.wait(until: deadline ?? end)
      switch signal {
      case SIGUSR1: Terminal.complain(RunStatistics.text(runs), beside: options.screen)
      case SIGINT, SIGTERM, SIGHUP:
        stoppedBy = stoppedBy ?? signal
        if deadline == nil {
          stop()
        } else if !isAborted {
          isAborted = true
          deadline = .now + .seconds(1)
          for run in runs { run.abort() }
        }
      case nil:
        if deadline == nil, let end, end <= .now { stop() }
        guard let passed = deadline, passed <= .now else { continue }
        if isAborted { return stoppedBy }
        Terminal.complain("flow: not everything could be written in time\n", beside: options.screen)
        tally.hasFailed.store(true, ordering: .relaxed)
        isAborted = true
        deadline = .now + .seconds(1)
        for run in runs { run.abort() }
      default: break
      }
    }
    return stoppedBy
  }
}

/// As nohup has it.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
}

/// Some signals, to be blocked and waited for.
struct SignalSet {
  private var set = sigset_t()

  /// Those that a run answers.
  static var ofRuns: SignalSet {
    SignalSet([SIGINT, SIGTERM, SIGUSR1, SIGUSR2] + (isIgnored(SIGHUP) ? [] : [SIGHUP]))
  }

  init(_ signals: [Int32]) {
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
  }

  func block() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// The next signal; nil when the time is over.
  func wait(until deadline: ContinuousClock.Instant?) -> Int32? {
    var set = set
    guard let deadline else {
      let signal = sigwaitinfo(&set, nil)
      return signal > 0 ? signal : nil
    }
    let left = max(.zero, deadline - .now).components
    var time = timespec(tv_sec: Int(left.seconds), tv_nsec: Int(left.attoseconds / 1_000_000_000))
    let signal = sigtimedwait(&set, nil, &time)
    return signal > 0 ? signal : nil
  }
}

/// The table of what each node has done, for `--stats` and SIGUSR1.
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
