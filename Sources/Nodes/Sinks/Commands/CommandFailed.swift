import System
import Engine
import Language

/// A command that a sink has run for an event, and that has not done what it was to do.
struct CommandFailed: Error, CustomStringConvertible {
  let name: String
  let end: ChildEnd
  let attempts: Int

  var description: String {
    switch end {
    case .couldNotStart(let reason, _): return reason
    case .stopped:
      return "\(quoted(name)) was \(attempts == 0 ? "not run" : "stopped"): the pipeline had to end"
    default: return "\(quoted(name)): \(end)" + (attempts > 1 ? ", at the last of \(attempts) attempts" : "")
    }
  }
}
