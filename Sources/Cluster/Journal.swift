/// A journal: the commit logs of assignments, images of their states and leases of workers, kept by several servers.
///
/// A log is a chain of records. A record is appended behind the one that its writer knows to be the last, or not at all:
/// that is both the commit of an epoch and the fence against former owners.
public protocol Journal: Sendable {
  /// The last record of a log; nil where it has none. It may be stale.
  func last(of assignment: String) throws(JournalError) -> JournalRecord?
  /// Appends a record where the last one has that sequence, 0 for an empty log; returns the new sequence.
  func append(_ bytes: [UInt8], to assignment: String, after sequence: UInt64) throws(JournalError) -> UInt64
  /// Some records of a log from a sequence on, in order; none where there are no more yet. They may be stale.
  func read(_ assignment: String, from sequence: UInt64) throws(JournalError) -> [JournalRecord]
  /// Removes the records of a log before a sequence.
  func purge(_ assignment: String, before sequence: UInt64) throws(JournalError)

  /// Stores an image under an id that was never used.
  func store(_ image: [UInt8], of assignment: String, id: String) throws(JournalError)
  /// An image; nil where it is not there, or not whole.
  func image(of assignment: String, id: String) throws(JournalError) -> [UInt8]?
  func removeImage(of assignment: String, id: String) throws(JournalError)

  /// Renews the lease of a worker, which ends by itself after a few seconds, with what it reports of itself.
  func renewLease(of worker: String, _ report: [UInt8]) throws(JournalError)
  func endLease(of worker: String) throws(JournalError)
  /// The workers whose leases have not ended.
  func workers() throws(JournalError) -> [WorkerLease]
  /// Requests that a worker leave; forgotten after a few seconds, like a lease.
  func requestLeave(of worker: String) throws(JournalError)
  /// Notes that the disk of a worker is full; forgotten in the same way.
  func noteFullDisk(of worker: String) throws(JournalError)

  /// The shared record of a name, which has no log; nil where there is none. It may be stale.
  func shared(_ name: String) throws(JournalError) -> JournalRecord?
  /// Replaces a shared record where it has that sequence, 0 for none; returns the new sequence.
  func share(_ bytes: [UInt8], as name: String, after sequence: UInt64) throws(JournalError) -> UInt64
}

/// A worker whose lease has not ended.
public struct WorkerLease: Equatable, Sendable {
  public var name: String
  /// Whether it drains: takes over nothing, and releases what it has.
  public var isLeaving: Bool
  /// Whether its disk is full: what others can have is theirs until there is room.
  public var isFull: Bool

  public init(name: String, isLeaving: Bool = false, isFull: Bool = false) {
    (self.name, self.isLeaving, self.isFull) = (name, isLeaving, isFull)
  }

  /// The machine of a worker: what its name has before the slash.
  public static func machine(of worker: String) -> String { String(worker.prefix { $0 != "/" }) }

  /// The worker in the name of a writer, which counts its takeovers.
  static func worker(ofWriter writer: String) -> String { String(writer.prefix { $0 != "#" }) }
}

/// A record of an assignment's log.
public struct JournalRecord: Equatable, Sendable {
  /// Sequences increase along a log, with gaps.
  public var sequence: UInt64
  public var bytes: [UInt8]

  public init(sequence: UInt64, bytes: [UInt8]) {
    self.sequence = sequence
    self.bytes = bytes
  }
}

public enum JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The last record is not the expected one.
  case conflict
  /// It is not known whether it has happened.
  case inDoubt(String)
  /// There is no room.
  case full
  /// No server, or no majority of servers, answers.
  case unavailable(String)
  /// The servers refuse it, also in future.
  case refused(String)

  public var description: String {
    switch self {
    case .conflict: "another worker has written to the log"
    case .inDoubt(let reason), .unavailable(let reason), .refused(let reason): reason
    case .full: "the journal is full"
    }
  }
}
