import Store

/// Opens the state of an assignment for its log, on a thread that may wait; several do so at once.
public typealias StateOpening = @Sendable (CommitLog, LogTakeover) -> OpenedState

/// The way of an assignment to its run, all of which waits for servers or the disk: it is taken over, unless something
/// speaks against that, and its state is opened.
struct AssignmentOpening: Sendable {
  /// The facts that decide whether a worker takes it over.
  struct Taking: Sendable {
    var worker: String
    /// A name that no other takeover has.
    var writer: String
    var newLog: String
    /// Since when the worker is to have it.
    var since: Double
    /// The workers that are alive.
    var others: [String]
    /// Whether a live owner has time left to release it.
    var awaitsRelease: Bool
    /// Whether an owner whose lease has ended has time left to renew it.
    var isCalm: Bool
  }

  enum Outcome: Sendable {
    case waits(since: Double, reason: String?, AssignmentEvent?)
    case taken(CommitLog, from: String?, OpenedState)
    case opened(CommitLog, OpenedState)
  }

  enum Need: Sendable {
    case takeover(Taking)
    /// It was taken over before.
    case state(CommitLog)
  }

  let assignment: Assignment
  let need: Need
  let takeover: LogTakeover
  let open: StateOpening

  var outcome: Outcome {
    switch need {
    case .state(let log): return .opened(log, open(log, takeover))
    case .takeover(let taking):
      do throws(JournalError) { return try outcome(of: taking) } catch {
        var event: AssignmentEvent?
        if case .refused(let reason) = error { event = .failed(reason) }
        return .waits(since: taking.since, reason: "for the servers: \(error)", event)
      }
    }
  }

  private func outcome(of taking: Taking) throws(JournalError) -> Outcome {
    let owner = try takeover.owner()
    let other = owner.map(WorkerLease.worker(ofWriter:)).flatMap { $0 == taking.worker ? nil : $0 }
    var isAlive = other.map(taking.others.contains) ?? false
    // One that began, and took it over, after the list was read is not dead. A worker that leaves has read none.
    if let other, !isAlive, !taking.others.isEmpty { isAlive = try takeover.hasLease(other) }
    if isAlive, taking.awaitsRelease {
      return .waits(
        since: taking.since, reason: "for its release by \(other ?? "")", nil)
    }
    if let other, !isAlive, taking.isCalm {
      return .waits(
        since: taking.since, reason: "for \(other), since the servers did not answer", nil)
    }
    let outcome = try takeover.take(
      writer: taking.writer, digest: assignment.digest, newLog: taking.newLog, mayChangePlan: !isAlive)
    switch outcome {
    case .lost: return .waits(since: taking.since, reason: nil, nil)
    case .otherPlan(let writer):
      let worker = WorkerLease.worker(ofWriter: writer)
      return .waits(
        since: taking.since, reason: "for \(worker), which runs another version of it",
        .waitingForPlan(writer: writer))
    case .taken(let log): return .taken(log, from: owner, open(log, takeover))
    }
  }
}
