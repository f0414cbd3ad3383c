import System
import Glibc
import Reactive

/// Handles the signals of a run, on a thread that does nothing else.
///
/// The thread touches neither lanes nor files nor the terminal, so the second signal ends the process within a second
/// even if every other thread is blocked, in a write to a disk that hangs or to a full pipe.
final class RunSignals: Sendable {
  /// The events that the main thread waits for.
  enum Event {
    case signal(Int32)
    /// SIGHUP, where the run has no terminal, or a file that has changed.
    case reload
    /// A pipeline has ended.
    case woken
    case timeOver
  }

  private struct State {
    var pending: [Int32] = []
    var isWoken = false
    /// Whether the run has begun, and takes signals.
    var hasBegun = false
    var reloads = false
    /// When the process ends unconditionally.
    var end: Instant?
    /// The exit status, once the run has ended.
    var status: Int32?
    /// Prepares for Ctrl-Z and then stops the process; nil to stop it at once.
    var suspend: (@Sendable () -> Void)?
  }

  /// The time that the second signal leaves to terminate commands and close files.
  static let abortTime = Duration.milliseconds(700)
  /// How much later than planned the process ends without its main thread.
  private static let slack = Duration.milliseconds(200)

  private let state = ConditionLock(State())
  private let grace: Duration
  /// Whether a terminal that is closed sends SIGHUP, which then ends the run.
  private let hasTerminal = (0...2).contains { Terminal.isTerminal($0) }

  /// Blocks the signals in all threads started later, and starts the thread that waits for them.
  ///
  /// Until `begin` there is nothing to shut down, so a signal ends the process at once.
  init(grace: Duration) {
    self.grace = grace
    let signals = SignalSet.ofRuns
    signals.block()
    // Without a thread that waits for them they end the process at once.
    if !startThread(named: "flow-signals", { [self] in serve() }) { signals.unblock() }
  }

  /// Notes that the run begins: from now on a signal shuts it down.
  func begin() { state.change { $0.hasBegun = true } }

  /// The next signal, or the end of the time.
  func next(until deadline: Instant?) -> Event {
    let event = state.wait(until: deadline ?? .distantFuture, quietly: true) { state -> Event? in
      if !state.pending.isEmpty { return .signal(state.pending.removeFirst()) }
      if state.reloads {
        state.reloads = false
        return .reload
      }
      guard state.isWoken else { return nil }
      state.isWoken = false
      return .woken
    }
    return event ?? .timeOver
  }

  /// Wakes the thread that waits for signals, from any thread.
  func wake() { state.change { $0.isWoken = true } }

  /// Asks for the pipelines to be read again, from any thread.
  func reload() { state.change { $0.reloads = true } }

  /// Has `body` called for Ctrl-Z: it calls `SignalSet.suspend`, once the terminal is ready for the shell.
  func onSuspend(_ body: @escaping @Sendable () -> Void) { state.change { $0.suspend = body } }

  /// Notes that the run was stopped otherwise: the process ends unconditionally after the grace period.
  func stop() {
    end(within: grace + Self.abortTime)
    ErrorStream.giveUp(at: MonotonicClock.now + grace)
  }

  /// Notes that the run has ended, so that only the process is left to end.
  func finish(_ status: Int32) { state.change { $0.status = status } }

  private func end(within time: Duration) {
    let end = MonotonicClock.now + time + Self.slack
    state.change { $0.end = min($0.end ?? end, end) }
    // The waiting thread must learn of the new time.
    kill(getpid(), SIGUSR2)
  }

  // MARK: - The thread

  private func serve() -> Never {
    let signals = SignalSet.ofRuns
    var first: Int32?
    while true {
      let end = state.change { $0.end }
      if let end, MonotonicClock.now >= end {
        _exit(state.change { $0.status } ?? (first == SIGINT ? ExitStatus.interrupted : ExitStatus.failed))
      }
      guard let signal = signals.wait(until: end), signal != SIGUSR2 else { continue }
      if signal == SIGTSTP {
        if let suspend = state.change({ $0.suspend }) { suspend() } else { SignalSet.suspend() }
        continue
      }
      if signal == SIGHUP, !hasTerminal {
        reload()
        continue
      }
      if signal != SIGUSR1 {
        if !state.change({ $0.hasBegun }) {
          _exit(signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done)
        }
        if first == nil {
          stop()
        } else {
          self.end(within: Self.abortTime)
          ErrorStream.giveUp(at: MonotonicClock.now)
        }
        first = first ?? signal
      }
      state.change { state in
        if state.pending.count < 16 { state.pending.append(signal) }
      }
    }
  }
}

/// Whether a signal is ignored, as SIGHUP is under nohup.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
}

/// A set of signals to block and wait for.
struct SignalSet {
  private var set = sigset_t()

  /// The signals that a run handles.
  static var ofRuns: SignalSet {
    SignalSet([SIGINT, SIGTERM, SIGUSR1, SIGUSR2] + [SIGHUP, SIGTSTP].filter { !isIgnored($0) })
  }

  init(_ signals: [Int32]) {
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
  }

  func block() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Lets the signals end the process again, where nothing has to be shut down.
  func unblock() {
    var set = set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Stops the process, as Ctrl-Z does where nobody waits for it; returns when it goes on.
  static func suspend() {
    let stop = SignalSet([SIGTSTP])
    stop.unblock()
    raise(SIGTSTP)
    stop.block()
  }

  /// The next signal; nil when the time is over.
  func wait(until deadline: Instant?) -> Int32? {
    var set = set
    guard let deadline else {
      let signal = sigwaitinfo(&set, nil)
      return signal > 0 ? signal : nil
    }
    let left = max(.zero, deadline - MonotonicClock.now).components
    var time = timespec(tv_sec: Int(left.seconds), tv_nsec: Int(left.attoseconds / 1_000_000_000))
    let signal = sigtimedwait(&set, nil, &time)
    return signal > 0 ? signal : nil
  }
}
