/// How a run of a command ended.
package enum ChildEnd: Error, Equatable, Sendable, CustomStringConvertible {
  /// By itself; -1 if other code of this process has taken the status away.
  case exited(Int32)
  /// By a signal that was not ours.
  case signaled(Int32)
  /// By us, since its time was up.
  case timedOut
  /// By us, since we were told to stop; or it was never started for that.
  case stopped
  /// It never ran: a sentence saying why, and whether that may be different a while later.
  case couldNotStart(reason: String, mayPass: Bool)

  /// Whether running it again may end better.
  package var isWorthRetrying: Bool {
    switch self {
    case .exited(let status): status != 0
    case .signaled, .timedOut: true
    case .stopped: false
    case .couldNotStart(_, let mayPass): mayPass
    }
  }

  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signaled(let signal): "ended by signal \(signal)"
    case .timedOut: "timed out"
    case .stopped: "stopped"
    case .couldNotStart(let reason, _): reason
    }
  }
}
