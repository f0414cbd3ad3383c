import JSON

/// The report of a worker on itself and its tasks, which comes with each renewal of its lease.
///
/// Times are seconds ago by the worker's clock, since the clocks of machines differ.
public struct WorkerReport: Equatable, Sendable {
  public struct Task: Equatable, Sendable {
    public enum Phase: String, Sendable {
      /// Assigned here; waiting.
      case waiting
      case running
      /// It commits, to be released.
      case stopping
      /// It has ended by itself.
      case ended
      case failed
    }

    public var name: String
    public var phase: Phase
    /// The reason why it waits or failed.
    public var reason: String?
    /// How long this worker has it, and the worker that had it before.
    public var seconds: Double?
    public var from: String?
    public var generation: Int64 = 0
    public var commits: Int64 = 0
    /// The bytes of its state file.
    public var stateBytes: Int?
    /// The number of events that its sources know of and have not read yet.
    public var backlog: Int?

    public init(name: String, phase: Phase) { (self.name, self.phase) = (name, phase) }
  }

  public var version: String
  /// A digest of its pipeline files; nil from a version before 0.4.
  public var files: String?
  public var tasks: [Task]

  public init(version: String, tasks: [Task]) { (self.version, self.tasks) = (version, tasks) }
}

extension WorkerReport: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(version:tasks:), Field("version", \.version), Field("tasks", \.tasks, or: [])
  )
  .with("files", \.files)
}

extension WorkerReport.Task.Phase: JSONConvertible {}

extension WorkerReport.Task: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(name:phase:), Field("name", \.name), Field("phase", \.phase)
  )
  .with("reason", \.reason).with("seconds", \.seconds).with("from", \.from)
  .with("generation", \.generation).with("commits", \.commits).with("state_bytes", \.stateBytes)
  .with("backlog", \.backlog)
}
