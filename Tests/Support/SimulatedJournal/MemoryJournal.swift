import Cluster
import Reactive

/// A journal in memory, with faults that a test scripts.
public final class MemoryJournal: Journal {
  /// What happens to one call.
  public enum Fault: Sendable {
    /// It does not happen.
    case unavailable
    case full
    /// It happens, and its answer is lost.
    case lostAnswer
    /// It happens after later calls, and nothing is answered.
    case late
    /// A read answers as some calls before.
    case stale
  }

  fileprivate struct Log: Sendable {
    var records: [JournalRecord] = []
    /// That of the last record, even if it was purged.
    var last: UInt64 = 0
  }

  private struct State: Sendable {
    var logs: [String: Log] = [:]
    /// The logs as they were some calls before.
    var former: [String: Log] = [:]
    var images: [String: [UInt8]] = [:]
    var leases: [String: Double] = [:]
    /// The workers that are to leave, with the end of that request.
    var leaving: [String: Double] = [:]
    var full: [String: Double] = [:]
    var shared: [String: JournalRecord] = [:]
    var formerShared: [String: JournalRecord] = [:]
    var sequence: UInt64 = 0
    var late: [(bytes: [UInt8], task: String, after: UInt64)] = []
    var counts = Counts()
  }

  /// A copy of what its servers have stored.
  public struct Disks: Sendable {
    fileprivate var logs: [String: Log]
    fileprivate var images: [String: [UInt8]]
    fileprivate var sequence: UInt64
  }

  /// How often what a test is about has happened.
  public struct Counts: Sendable {
    public var appends = 0
    public var conflicts = 0
    public var doubts = 0
    public var late = 0

    public init() {}
  }

  private let state = Locked(State())
  private let fault: @Sendable (_ isRead: Bool) -> Fault?
  private let now: @Sendable () -> Double
  private let leaseSeconds: Double

  /// `fault` is asked at each call.
  public init(
    leaseSeconds: Double = 4, now: @escaping @Sendable () -> Double,
    fault: @escaping @Sendable (_ isRead: Bool) -> Fault? = { _ in nil }
  ) {
    (self.leaseSeconds, self.now, self.fault) = (leaseSeconds, now, fault)
  }

  /// The disks of its servers, which older copies may replace.
  public var disks: Disks {
    get { state.withLock { Disks(logs: $0.logs, images: $0.images, sequence: $0.sequence) } }
    set {
      state.withLock { state in
        (state.logs, state.images, state.sequence) = (newValue.logs, newValue.images, newValue.sequence)
        state.former = newValue.logs
      }
    }
  }

  public var counts: Counts { state.withLock(\.counts) }

  /// Lets appends happen that are late.
  public func arrive() {
    state.withLock { state in
      let late = state.late
      state.late = []
      for entry in late where Self.append(entry.bytes, to: entry.task, after: entry.after, &state) != nil {
        state.counts.late += 1
      }
      state.former = state.logs
      state.formerShared = state.shared
    }
  }

  private static func append(
    _ bytes: [UInt8], to task: String, after sequence: UInt64, _ state: inout State
  ) -> UInt64? {
    guard state.logs[task, default: Log()].last == sequence else { return nil }
    state.sequence += 1
    let record = JournalRecord(sequence: state.sequence, bytes: bytes)
    state.logs[task, default: Log()].records.append(record)
    state.logs[task, default: Log()].last = record.sequence
    state.counts.appends += 1
    return record.sequence
  }

  public func append(
    _ bytes: [UInt8], to task: String, after sequence: UInt64
  ) throws(JournalError) -> UInt64 {
    let fault = fault(false)
    let result: Result<UInt64, JournalError> = state.withLock { state in
      switch fault {
      case .unavailable, .stale: return .failure(.unavailable("no server answers"))
      case .full: return .failure(.full)
      case .late:
        state.late.append((bytes, task, sequence))
        state.counts.doubts += 1
        return .failure(.inDoubt("no answer in time"))
      case nil, .lostAnswer: break
      }
      guard let made = Self.append(bytes, to: task, after: sequence, &state) else {
        state.counts.conflicts += 1
        return .failure(.conflict)
      }
      if fault == nil { return .success(made) }
      state.counts.doubts += 1
      return .failure(.inDoubt("the answer was lost"))
    }
    return try result.get()
  }

  public func last(of task: String) throws(JournalError) -> JournalRecord? {
    try logs()[task]?.records.last
  }

  public func read(_ task: String, from sequence: UInt64) throws(JournalError) -> [JournalRecord] {
    Array(try logs()[task, default: Log()].records.drop { $0.sequence < sequence }.prefix(7))
  }

  /// The logs as a read sees them.
  private func logs() throws(JournalError) -> [String: Log] {
    switch fault(true) {
    case .stale: return state.withLock(\.former)
    case nil: return state.withLock(\.logs)
    default: throw .unavailable("no server answers")
    }
  }

  public func purge(_ task: String, before sequence: UInt64) throws(JournalError) {
    try change { $0.logs[task]?.records.removeAll { $0.sequence < sequence } }
  }

  public func store(_ image: [UInt8], of task: String, id: String) throws(JournalError) {
    try change { $0.images["\(task) \(id)"] = image }
  }

  public func image(of task: String, id: String) throws(JournalError) -> [UInt8]? {
    if fault(true) != nil { throw .unavailable("no server answers") }
    return state.withLock { $0.images["\(task) \(id)"] }
  }

  public func removeImage(of task: String, id: String) throws(JournalError) {
    try change { $0.images["\(task) \(id)"] = nil }
  }

  public func renewLease(of worker: String, _ report: [UInt8]) throws(JournalError) {
    let end = now() + leaseSeconds
    try change { $0.leases[worker] = end }
  }

  public func endLease(of worker: String) throws(JournalError) {
    try change { $0.leases[worker] = nil }
  }

  public func requestLeave(of worker: String) throws(JournalError) {
    let end = now() + leaseSeconds
    try change { $0.leaving[worker] = end }
  }

  public func noteFullDisk(of worker: String) throws(JournalError) {
    let end = now() + leaseSeconds
    try change { $0.full[worker] = end }
  }

  public func workers() throws(JournalError) -> [WorkerLease] {
    if fault(true) != nil { throw .unavailable("no server answers") }
    let now = now()
    return state.withLock { state in
      state.leases.filter { $0.value > now }.keys.sorted().map { name in
        WorkerLease(
          name: name, isLeaving: (state.leaving[name] ?? 0) > now, isFull: (state.full[name] ?? 0) > now)
      }
    }
  }

  public func shared(_ name: String) throws(JournalError) -> JournalRecord? {
    switch fault(true) {
    case .stale: return state.withLock { $0.formerShared[name] }
    case nil: return state.withLock { $0.shared[name] }
    default: throw .unavailable("no server answers")
    }
  }

  public func share(
    _ bytes: [UInt8], as name: String, after sequence: UInt64
  ) throws(JournalError) -> UInt64 {
    var made: UInt64?
    try change { state in
      guard state.shared[name]?.sequence ?? 0 == sequence else { return }
      state.sequence += 1
      state.shared[name] = JournalRecord(sequence: state.sequence, bytes: bytes)
      made = state.sequence
    }
    guard let made else { throw .conflict }
    return made
  }

  private func change(_ body: (inout sending State) -> Void) throws(JournalError) {
    switch fault(false) {
    case nil: state.withLock { body(&$0) }
    case .lostAnswer:
      state.withLock { body(&$0) }
      throw .inDoubt("the answer was lost")
    default: throw .unavailable("no server answers")
    }
  }
}
