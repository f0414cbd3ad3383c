import CGlibc
import Glibc
import Reactive

/// Ends a child in stages: SIGTERM after its timeout, SIGKILL if that does not help, and a limit for that, too.
package struct ChildEnding {
  private enum Stage {
    case running
    /// SIGTERM has been sent.
    case asked
    /// SIGKILL has been sent.
    case killed
    /// SIGKILL has not ended it in time.
    case givenUp
  }

  /// How long SIGKILL may take.
  private static let lastWait: Duration = .seconds(5)

  private let process: pid_t
  private let killAfter: Duration
  private var stage = Stage.running
  /// Why this process has ended it, if it has.
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

  /// Performs the stage that is due.
  package mutating func advance(at now: Instant, isStopped: Bool) {
    if isStopped, stage == .running || stage == .asked {
      verdict = verdict ?? .stopped
      kill(at: now)
    } else if now >= deadline {
      enterNextStage(at: now)
    }
  }

  private mutating func enterNextStage(at now: Instant) {
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

  /// Whether the child has ended; polled if the kernel does not report it.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo == SIGCHLD
  }

  /// Takes the child's status.
  ///
  /// Unless the child has succeeded, the rest of its group is killed first. In this order, because no other process can
  /// get its number, or the group's, until its status has been taken.
  package func conclude() -> ChildEnd {
    if !hasSucceeded { send(SIGKILL) }
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
    // Stopped when it had just succeeded: it has succeeded.
    if verdict == .stopped, signal == 0 { return end }
    return verdict ?? end
  }

  /// Whether the child has ended by itself with status 0; its status is not taken.
  private var hasSucceeded: Bool {
    if verdict != nil || isGivenUp { return false }
    var info = siginfo_t()
    guard waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
    return info.si_signo == SIGCHLD && info.si_code == Int32(CLD_EXITED)
      && info._sifields._sigchld.si_status == 0
  }

  /// Signals the group, and also the child itself in case it has left the group.
  private func send(_ signal: Int32) {
    if Glibc.kill(-process, signal) != 0 || signal == SIGKILL { _ = Glibc.kill(process, signal) }
  }
}
