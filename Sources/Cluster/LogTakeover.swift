import Reactive
import Store
import System

/// The way of an assignment to a worker: its log is taken over, then its state file is rebuilt.
public struct LogTakeover: Sendable {
  public enum Outcome: Sendable {
    case taken(CommitLog)
    /// Another worker was faster.
    case lost
    /// The log belongs to another plan of that name.
    case otherPlan(writer: String)
  }

  private let journal: any Journal
  private let assignment: String
  private let options: CommitLog.Options

  public init(_ journal: any Journal, of assignment: String, _ options: CommitLog.Options) {
    (self.journal, self.assignment, self.options) = (journal, assignment, options)
  }

  /// The worker that has written last; nil for a new log, and for an assignment that was released.
  public func owner() throws(JournalError) -> String? {
    guard let last = try journal.last(of: assignment), let record = CommitRecord(last.bytes),
      record.kind != .release
    else { return nil }
    return record.writer
  }

  /// Whether the lease of a worker has not ended, by the servers' present list.
  func hasLease(_ worker: String) throws(JournalError) -> Bool {
    try journal.workers().contains { $0.name == worker }
  }

  /// Takes the log over: from then on nothing of its former owner is accepted.
  ///
  /// The writer must be a name that no other process has ever had; `newLog` the id of the log where there is none.
  /// `mayChangePlan` allows a log that another plan has written.
  public func take(
    writer: String, digest: String, newLog: String, mayChangePlan: Bool = false
  ) throws(JournalError) -> Outcome {
    var unresolved: [[UInt8]] = []
    for attempt in 0..<options.attempts {
      if attempt > 0, options.pause(CommitLog.wait(before: attempt)) { break }
      let last = try journal.last(of: assignment)
      var record = CommitRecord(
        .takeover, log: newLog, generation: 1, ordinal: 0, writer: writer, digest: digest)
      if let last {
        guard let former = CommitRecord(last.bytes) else {
          throw .refused("the log of \(assignment) contains what is no record of this version")
        }
        if unresolved.contains(last.bytes) {
          return .taken(CommitLog(journal, former, assignment, options, at: last.sequence))
        }
        if former.digest != digest, former.kind != .release, !mayChangePlan {
          return .otherPlan(writer: former.writer)
        }
        (record.log, record.generation) = (former.log, former.generation + 1)
        record.ordinal = former.ordinal
        // The ordinal of a delta that is not whole is not reached.
        if case .delta(let part, let count) = former.kind, part + 1 < count { record.ordinal -= 1 }
      }
      do throws(JournalError) {
        let sequence = try journal.append(record.bytes, to: assignment, after: last?.sequence ?? 0)
        return .taken(CommitLog(journal, record, assignment, options, at: sequence))
      } catch {
        switch error {
        case .inDoubt: unresolved.append(record.bytes)
        case .conflict, .unavailable: continue
        case .full, .refused: throw error
        }
      }
    }
    return .lost
  }

  /// Brings the file of a path to the end of the log, and opens it.
  ///
  /// The file is a prefix of the log if it is of the same history, so it gets the deltas behind it; otherwise it begins
  /// with the newest image. Throws `.unavailable` for a later attempt, `.fenced` where another worker has taken the
  /// assignment over meanwhile.
  public func open(
    _ log: CommitLog, path: String, _ options: StateFile.Options
  ) throws(StoreError) -> StateFile {
    let content = try content(before: log)
    let place = log.place
    var options = options
    options.resetsCorrupt = true
    guard content.ordinal == place.ordinal else {
      throw StoreError(assignment, .corrupt, "its log ends at \(content.ordinal) instead of \(place.ordinal)")
    }
    var (replica, at) = try replica(path, options)
    let first = content.image?.ordinal ?? 0
    var history: LogContent.History?
    if let at {
      history = at.log == place.log ? content.history(of: at.ordinal, try replica?.writers) : .other
    }
    // What is not known is not used, unless only this machine has it.
    let isOfLog = history == .same || history == .unknown && at?.ordinal ?? 0 > place.ordinal
    if history == .other, let at, place.ordinal > 0 { log.noteReplacement(of: at.ordinal) }
    if let at, let loss = LogLoss(behind: place.ordinal, through: at.ordinal) {
      // What a file has was acknowledged by the servers before.
      if isOfLog, let (image, writer) = try image(of: replica, at: at, for: log) {
        replica = nil
        try log.begin(with: image, by: writer, at: at.ordinal)
        log.noteRepair(of: loss)
        return try opened(path, options, log)
      }
      if place.ordinal == 0, content.image == nil {
        throw StoreError(
          path, .refused,
          "\(loss): restore a backup (flow cluster restore), or remove this state, to begin without: "
            + "flow state reset \(assignment) --state \(splitPath(path).folder)")
      }
    }
    if at == nil, let replica, !replica.isEmpty {
      throw StoreError(
        path, .foreign, "it is the state of runs without a cluster; name another folder with --state")
    }
    var size = 0
    if !isOfLog || (at?.ordinal ?? 0) < first {
      replica = nil
      if let id = content.image?.id {
        guard
          let image = try attempt({ () throws(JournalError) in
            try journal.image(of: assignment, id: id)
          })
        else { throw StoreError(assignment, .unavailable, "its snapshot is not there yet") }
        size = image.count
        try StateReplica.install(image, at: path, options)
        (replica, at) = try self.replica(path, options)
        guard at?.log == place.log, at?.ordinal == first else {
          throw StoreError(assignment, .corrupt, "its snapshot \(id) is damaged")
        }
      } else {
        if isOfLog || at != nil { try StateReplica.discard(path, options) }
        (replica, at) = try self.replica(path, options)
      }
    }
    let start = at?.ordinal ?? 0
    for delta in content.deltas where delta.ordinal > start {
      try replica?.apply(delta.bytes, to: LogPlace(log: place.log, ordinal: delta.ordinal))
    }
    replica = nil
    log.continueFrom(
      content.image.map { ($0.id, size) }, bytes: content.deltas.reduce(0) { $0 + $1.bytes.count })
    return try opened(path, options, log)
  }

  /// The image that a repair stores, with the writer of its last transaction, which gets a name where it has none.
  private func image(
    of replica: StateReplica?, at place: LogPlace, for log: CommitLog
  ) throws(StoreError) -> (image: [UInt8], writer: String)? {
    guard let replica else { return nil }
    let known = try replica.writers.writer(of: place.ordinal)
    if known == nil { try replica.begin(place, by: log.writer) }
    return (try replica.image(), known ?? log.writer)
  }

  private func opened(
    _ path: String, _ options: StateFile.Options, _ log: CommitLog
  ) throws(StoreError) -> StateFile {
    let file = try StateFile(path: path, options)
    try file.attach(log, at: log.place, by: log.writer)
    return file
  }

  private func replica(
    _ path: String, _ options: StateFile.Options
  ) throws(StoreError) -> (StateReplica?, LogPlace?) {
    let replica = try StateReplica(path: path, options)
    return (replica, try replica.place)
  }

  /// The contents of the log when it was taken over, which must all be read.
  private func content(before log: CommitLog) throws(StoreError) -> LogContent {
    var content = LogContent()
    var next: UInt64 = 1
    var attempt = 0
    while true {
      let from = next
      let records = try self.attempt { () throws(JournalError) in try journal.read(assignment, from: from) }
      for record in records {
        let known = CommitRecord(record.bytes)
        // Its own takeover may have been purged since.
        if let known, known.generation > log.generation { throw log.fence() }
        guard let known, content.add(known) else {
          throw StoreError(assignment, .corrupt, "its log is not continuous at \(record.sequence)")
        }
        next = record.sequence + 1
        if known.kind == .takeover, known.generation == log.generation { return content }
      }
      if records.isEmpty {
        // The server that answered is behind.
        attempt += 1
        if attempt > options.attempts || options.pause(0.1) {
          throw StoreError(assignment, .unavailable, "its log is not complete yet")
        }
      }
    }
  }

  private func attempt<Output>(_ body: () throws(JournalError) -> Output) throws(StoreError) -> Output {
    do throws(JournalError) { return try body() } catch {
      throw StoreError(assignment, .unavailable, error.description)
    }
  }
}
