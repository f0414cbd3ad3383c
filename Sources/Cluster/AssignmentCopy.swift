import JSON
import Reactive
import Store
import System

/// A copy of an assignment: an image of its state as its log had it at a moment, and what the log knows of it.
///
///     let (copy, image) = try AssignmentCopy.read("launches", from: journal, scratch: "/tmp/x/state.db")
///     try copy.restore(image, into: emptyJournal, options, scratch: "/tmp/x/state.db", log: "a1b2")
public struct AssignmentCopy: Sendable, Equatable {
  public var name: String
  /// The digest of the plan.
  public var digest: String
  /// How many transactions the state has seen.
  public var ordinal: Int64

  public init(name: String, digest: String, ordinal: Int64) {
    (self.name, self.digest, self.ordinal) = (name, digest, ordinal)
  }

  private static let attempts = 20
  /// The owner of the id of a state, and its name among the facts.
  private static let stateID = (owner: "pipeline", name: "life")

  // MARK: - Out of a log

  /// Copies an assignment while it runs; nil where it has never committed anything.
  ///
  /// The file of `scratch` is made for it and removed again.
  public static func read(
    _ name: String, from journal: any Journal, scratch: String
  ) throws(StoreError) -> (copy: AssignmentCopy, image: [UInt8])? {
    for attempt in 0..<attempts {
      if attempt > 0 { MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(100)) }
      do throws(JournalError) {
        guard let last = try journal.last(of: name) else { return nil }
        guard let record = CommitRecord(last.bytes) else {
          throw .refused("its log contains what is no record of this version")
        }
        // Nil where its owner has taken an image meanwhile, and removed what lay before.
        guard let content = try content(of: name, through: last.sequence, journal) else { continue }
        if content.ordinal == 0 { return nil }
        var image: [UInt8]?
        if let id = content.image?.id {
          image = try journal.image(of: name, id: id)
          if image == nil { continue }
        }
        let copy = AssignmentCopy(name: name, digest: record.digest, ordinal: content.ordinal)
        return (copy, try rebuilt(image, content, scratch))
      } catch {
        if case .unavailable = error, attempt + 1 < attempts { continue }
        throw StoreError(name, .unavailable, error.description)
      }
    }
    throw StoreError(name, .unavailable, "its log cannot be read as a whole")
  }

  private static func content(
    of name: String, through last: UInt64, _ journal: any Journal
  ) throws(JournalError) -> LogContent? {
    var content = LogContent()
    var (next, reached): (UInt64, UInt64) = (1, 0)
    while reached < last {
      let records = try journal.read(name, from: next)
      // The server that answered is behind, or all was purged.
      if records.isEmpty { return nil }
      for record in records where record.sequence <= last {
        guard let known = CommitRecord(record.bytes), content.add(known) else { return nil }
        reached = record.sequence
      }
      next = records[records.count - 1].sequence + 1
      // The last record itself was purged, and with it what lay before.
      if next > last, reached < last { return nil }
    }
    return content
  }

  private static func rebuilt(
    _ image: [UInt8]?, _ content: LogContent, _ scratch: String
  ) throws(JournalError) -> [UInt8] {
    do throws(StoreError) {
      defer { try? StateReplica.discard(scratch) }
      // Nothing of another assignment may lie below the deltas.
      try StateFolder.make(for: scratch, SystemDisk())
      try StateReplica.discard(scratch)
      if let image { try StateReplica.install(image, at: scratch) }
      let replica = try StateReplica(path: scratch)
      for delta in content.deltas {
        try replica.apply(delta.bytes, to: LogPlace(log: content.log, ordinal: delta.ordinal))
      }
      return try replica.image()
    } catch { throw .refused("its state cannot be rebuilt: \(error)") }
  }

  // MARK: - Into an empty log

  /// Begins the log of the assignment with its state, which gets another id.
  ///
  /// For what it does from here on is not what a run has done since the copy was made. Further facts may be others on the
  /// new servers.
  public func restore(
    _ image: [UInt8], into journal: any Journal, _ options: CommitLog.Options, scratch: String, log: String,
    setting facts: [StoredFact] = []
  ) throws(StoreError) {
    defer { try? StateReplica.discard(scratch) }
    try StateReplica.install(image, at: scratch)
    let writer = "restore#\(log)"
    let renewed: [UInt8]
    do {
      let replica = try StateReplica(path: scratch)
      guard try replica.place?.ordinal == ordinal else {
        throw StoreError(name, .corrupt, "the file is not of transaction \(ordinal)")
      }
      let (owner, fact) = Self.stateID
      try replica.begin(
        LogPlace(log: log, ordinal: ordinal), by: writer,
        setting: facts + [StoredFact(owner: owner, name: fact, value: .text(log))])
      renewed = try replica.image()
    }
    let known = StoreError(name, .refused, "the servers have a log of it already")
    let outcome = try asked { () throws(JournalError) -> LogTakeover.Outcome? in
      guard try journal.last(of: name) == nil else { return nil }
      return try LogTakeover(journal, of: name, options)
        .take(writer: writer, digest: digest, newLog: log)
    }
    // Another may have begun it meanwhile.
    guard case .taken(let taken) = outcome, taken.place == LogPlace(log: log, ordinal: 0) else { throw known }
    try taken.begin(with: renewed, by: writer, at: ordinal)
    taken.release()
  }

  private func asked<Output>(_ body: () throws(JournalError) -> Output) throws(StoreError) -> Output {
    do throws(JournalError) { return try body() } catch {
      throw StoreError(name, .unavailable, error.description)
    }
  }
}

extension AssignmentCopy: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(name:digest:ordinal:), Field("name", \.name), Field("plan", \.digest),
    Field("transactions", \.ordinal))
}
