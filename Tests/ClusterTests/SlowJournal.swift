import Reactive
import System

@testable import Cluster

/// A journal whose every answer takes a while, as over a network; several calls wait at once.
final class SlowJournal: Journal {
  struct Counts: Sendable {
    var calls = 0
    var waiting = 0
    /// The most that have waited at once.
    var most = 0
    /// How many were for another assignment than the one before.
    var switches = 0
    fileprivate var last = ""
  }

  private let journal: any Journal
  private let delay: Duration
  /// What happens elsewhere after each list of workers, before the caller goes on.
  private let afterWorkers: @Sendable () -> Void
  private let state = Locked(Counts())

  init(_ journal: any Journal, delay: Duration, afterWorkers: @escaping @Sendable () -> Void = {}) {
    (self.journal, self.delay, self.afterWorkers) = (journal, delay, afterWorkers)
  }

  var counts: Counts { state.withLock(\.self) }

  private func call<Output>(
    of assignment: String = "", _ body: () throws(JournalError) -> Output
  ) throws(JournalError) -> Output {
    state.withLock { state in
      if assignment != state.last { state.switches += 1 }
      state.last = assignment
      state.calls += 1
      state.waiting += 1
      state.most = max(state.most, state.waiting)
    }
    defer { state.withLock { $0.waiting -= 1 } }
    MonotonicClock.sleep(until: MonotonicClock.now + delay)
    return try body()
  }

  func last(of assignment: String) throws(JournalError) -> JournalRecord? {
    try call(of: assignment) { () throws(JournalError) in try journal.last(of: assignment) }
  }

  func append(_ bytes: [UInt8], to assignment: String, after sequence: UInt64) throws(JournalError) -> UInt64
  {
    try call(of: assignment) { () throws(JournalError) in
      try journal.append(bytes, to: assignment, after: sequence)
    }
  }

  func read(_ assignment: String, from sequence: UInt64) throws(JournalError) -> [JournalRecord] {
    try call(of: assignment) { () throws(JournalError) in try journal.read(assignment, from: sequence) }
  }

  func purge(_ assignment: String, before sequence: UInt64) throws(JournalError) {
    try call(of: assignment) { () throws(JournalError) in try journal.purge(assignment, before: sequence) }
  }

  func store(_ image: [UInt8], of assignment: String, id: String) throws(JournalError) {
    try call(of: assignment) { () throws(JournalError) in try journal.store(image, of: assignment, id: id) }
  }

  func image(of assignment: String, id: String) throws(JournalError) -> [UInt8]? {
    try call(of: assignment) { () throws(JournalError) in try journal.image(of: assignment, id: id) }
  }

  func removeImage(of assignment: String, id: String) throws(JournalError) {
    try call(of: assignment) { () throws(JournalError) in try journal.removeImage(of: assignment, id: id) }
  }

  func renewLease(of worker: String, _ report: [UInt8]) throws(JournalError) {
    try call { () throws(JournalError) in try journal.renewLease(of: worker, report) }
  }

  func endLease(of worker: String) throws(JournalError) {
    try call { () throws(JournalError) in try journal.endLease(of: worker) }
  }

  func workers() throws(JournalError) -> [WorkerLease] {
    let workers = try call { () throws(JournalError) in try journal.workers() }
    afterWorkers()
    return workers
  }

  func requestLeave(of worker: String) throws(JournalError) {
    try call { () throws(JournalError) in try journal.requestLeave(of: worker) }
  }

  func noteFullDisk(of worker: String) throws(JournalError) {
    try call { () throws(JournalError) in try journal.noteFullDisk(of: worker) }
  }

  func shared(_ name: String) throws(JournalError) -> JournalRecord? {
    try call { () throws(JournalError) in try journal.shared(name) }
  }

  func share(_ bytes: [UInt8], as name: String, after sequence: UInt64) throws(JournalError) -> UInt64 {
    try call { () throws(JournalError) in try journal.share(bytes, as: name, after: sequence) }
  }
}
