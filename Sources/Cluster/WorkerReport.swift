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
  public var tasks: [Task]

  public init(version: String, tasks: [Task]) { (self.version, self.tasks) = (version, tasks) }
}

extension WorkerReport {
  public var json: Value {
    .record([("version", .string(version)), ("tasks", .array(tasks.map(\.json)))])
  }

  /// Nil for what is no report.
  public init?(_ bytes: [UInt8]) {
    guard let json = try? Value.parse(bytes), let version = json.member("version")?.string else { return nil }
    self.init(version: version, tasks: json.member("tasks")?.items?.compactMap { Task($0) } ?? [])
  }
}

extension WorkerReport.Task {
  public var json: Value {
    var members: [(String, Value)] = [("name", .string(name)), ("phase", .string(phase.rawValue))]
    if let reason { members.append(("reason", .string(reason))) }
    if let seconds { members.append(("seconds", .number(seconds))) }
    if let from { members.append(("from", .string(from))) }
    members += [("generation", .number(Int(generation))), ("commits", .number(Int(commits)))]
    if let stateBytes { members.append(("state_bytes", .number(stateBytes))) }
    if let backlog { members.append(("backlog", .number(backlog))) }
    return .record(members)
  }

  init?(_ json: Value) {
    func count(_ name: String) -> Int? { json.member(name)?.double.flatMap { Int(exactly: $0) } }
    guard let name = json.member("name")?.string,
      let phase = json.member("phase")?.string.flatMap({ Phase(rawValue: $0) })
    else { return nil }
    self.init(name: name, phase: phase)
    (reason, from) = (json.member("reason")?.string, json.member("from")?.string)
    seconds = json.member("seconds")?.double
    (generation, commits) = (Int64(count("generation") ?? 0), Int64(count("commits") ?? 0))
    (stateBytes, backlog) = (count("state_bytes"), count("backlog"))
  }
}
