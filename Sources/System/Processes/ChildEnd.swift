/// How a run of a command ended.
package enum ChildEnd: Error, Equatable, Sendable, CustomStringConvertible {
  /// By itself; -1 if other code of this process has taken the status.
  case exited(Int32)
  /// By a signal from elsewhere.
  case signaled(Int32)
  /// By this process, after the timeout.
  case timedOut
  /// By this process, because it was stopped; or it was never started for that reason.
  case stopped
  /// It never ran: the reason, and whether a later attempt may succeed.
  case couldNotStart(reason: String, mayPass: Bool)

  /// Whether a later attempt may succeed.
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
