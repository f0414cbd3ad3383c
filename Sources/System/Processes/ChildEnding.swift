import CGlibc
import Glibc
import Reactive

/// Ends a child in stages: SIGTERM when its time is up, SIGKILL when that does not help, and nobody waits for ever.
package struct ChildEnding {
  private enum Stage {
    case running
    /// SIGTERM has been sent.
    case asked
    /// SIGKILL has been sent.
    case killed
    /// Not even that has ended it.
    case givenUp
  }

  /// How long SIGKILL may take.
  private static let lastWait: Duration = .seconds(5)

  private let process: pid_t
  private let killAfter: Duration
  private var stage = Stage.running
  /// Why we have ended it, if we have.
  private var verdict: ChildEnd?
  /// When the next stage is due.
  package private(set) var deadline: Instant

  package init(of process: pid_t, timeout: Duration, killAfter: Duration) {
    self.process = process
    self.killAfter = killAfter
    deadline = MonotonicClock.now + timeout
  }

  package var isKilled: Bool { stage == .killed }
  package var isGivenUp: Bool { stage == .givenUp }

  /// Does what is due.
  package mutating func advance(at now: Instant, isStopped: Bool) {
    if isStopped, stage == .running || stage == .asked {
      verdict = verdict ?? .stopped
      kill(at: now)
    } else if now >= deadline {
      goOn(at: now)
    }
  }

  private mutating func goOn(at now: Instant) {
    switch stage {
    case .running:
      verdict = .timedOut
      stage = .asked
      deadline = now + killAfter
      send(SIGTERM)
      send(SIGCONT)  // one that is stopped would not hear of it
    case .asked: kill(at: now)
    case .killed: stage = .givenUp
    case .givenUp: break
    }
  }

  private mutating func kill(at now: Instant) {
    stage = .killed
    deadline = now + Self.lastWait
    send(SIGKILL)
  }

  /// Whether the child has ended; asked where the kernel does not tell by itself.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD
  }

  /// Kills what is left of the group, and says how the child has ended.
  ///
  /// In this order: until its status has been taken, no other process can get its number, nor the group's.
  package func conclude() -> ChildEnd {
    send(SIGKILL)
    if isGivenUp {
      UnreapedChildren.add(process)
      return verdict ?? .timedOut
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return verdict ?? .exited(-1) }
    }
    let signal = flow_ending_signal(status)
    let end = signal != 0 ? ChildEnd.signaled(signal) : .exited(flow_exit_status(status))
    // Told to stop when it had just done its work: it has done its work.
    if verdict == .stopped, signal == 0 { return end }
    return verdict ?? end
  }

  /// Signals the group, and the child itself should it have left that.
  private func send(_ signal: Int32) {
    if Glibc.kill(-process, signal) != 0 || signal == SIGKILL { _ = Glibc.kill(process, signal) }
  }
}
