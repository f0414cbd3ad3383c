/// An assignment: a pipeline, or a task of one below its partition, which one worker at a time runs.
public struct Assignment: Sendable {
  public var name: String
  /// The digest of its plan.
  public var digest: String
  /// The machine that it belongs to; nil for any.
  public var machine: String?

  public init(name: String, digest: String, machine: String? = nil) {
    (self.name, self.digest, self.machine) = (name, digest, machine)
  }
}

/// An event of an assignment that its worker reports.
public enum AssignmentEvent: Equatable, Sendable {
  case taken(from: String?, generation: Int64)
  case released
  /// Another worker has taken it over meanwhile.
  case fenced
  /// The servers have lost a part of its log.
  case lost(LogLoss)
  /// This machine had what the servers have lost, and has stored it again.
  case repaired(LogLoss)
  /// This machine's state, of that transaction, is of another history than the log, whose state has replaced it.
  case replaced(of: Int64, by: Int64)
  case waitingForPlan(writer: String)
  /// Something outside it has what its run needs.
  case waiting(AssignmentWait)
  case failed(String)
}

/// The wait of an assignment for what something else on its machine has: a file that another process writes, say.
public struct AssignmentWait: Error, Equatable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
