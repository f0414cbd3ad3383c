import Reactive
import Store
import System

/// The commit log of a pipeline, or of a task of one, for the worker that owns it: what its state file appends to.
///
/// Invariants:
/// 1. A record follows the last one that this worker knows, so nothing is accepted any more once another worker has
///    taken the assignment over.
/// 2. Where the outcome of an append is unknown, the same bytes are looked for in the log: it happens at most once.
/// 3. Images have ids of their own, and an owner removes only the one that its own has replaced.
/// 4. What the servers have acknowledged and do not have any more is reported as lost. A machine whose state file has it
///    stores it again.
public final class CommitLog: StateLog {
  public struct Options: Sendable {
    /// Records have at most so many bytes.
    public var recordBytes = 900 << 10
    /// An image is taken when the log behind the last is longer than this, and than that image.
    public var imageBytes = 16 << 20
    /// How often an append is tried before the caller has to wait and repeat it: longer than an election takes.
    public var attempts = 24
    /// Waits; returns true to give up.
    public var pause: @Sendable (_ seconds: Double) -> Bool

    public init(pause: @escaping @Sendable (_ seconds: Double) -> Bool) { self.pause = pause }
  }

  private struct State {
    /// The number of the last record.
    var sequence: UInt64
    var ordinal: Int64
    var isFenced = false
    /// The reason why the last append did not succeed; nil where it did.
    var trouble: String?
    var loss: LogLoss?
    var needsRepair = false
    var finding: AssignmentEvent?
    /// How often the servers had less than they have acknowledged, since the last append.
    var shortages = 0
    /// The records sent behind the last one whose outcome is unknown.
    var unresolved: [[UInt8]] = []
    /// A delta of which a part was sent, and how many parts the log has: the same delta is continued there.
    var sent: (delta: [UInt8], parts: Int)?
    var bytesSinceImage = 0
    var imageID: String?
    var imageSize = 0
  }

  /// A shortage that was seen so often, without an answer in between that has all, is a loss: a leader that has just been
  /// replaced may answer as well.
  private static let certainty = 24

  public let assignment: String
  public let generation: Int64
  private let journal: any Journal
  private let log: String
  let writer: String
  private let digest: String
  private let options: Options
  private let state: Locked<State>
  private let committed = Locked<(@Sendable (StateFile) -> Void)?>(nil)

  init(
    _ journal: any Journal, _ takeover: CommitRecord, _ assignment: String, _ options: Options,
    at sequence: UInt64
  ) {
    (self.journal, self.assignment, self.options) = (journal, assignment, options)
    (log, generation) = (takeover.log, takeover.generation)
    (writer, digest) = (takeover.writer, takeover.digest)
    state = Locked(State(sequence: sequence, ordinal: takeover.ordinal))
  }

  /// Whether another worker has taken the assignment over.
  public var isFenced: Bool { state.withLock(\.isFenced) }

  /// The reason why its next record is not in the log yet; nil while all is well.
  public var trouble: String? { state.withLock(\.trouble) }

  /// Whether no other worker has taken it over, and this one has what the servers have lost.
  var needsRepair: Bool { state.withLock(\.needsRepair) }

  /// The transactions that the servers had acknowledged and have lost; nil as far as is known.
  public var loss: LogLoss? { state.withLock(\.loss) }

  public var place: LogPlace { LogPlace(log: log, ordinal: state.withLock(\.ordinal)) }

  private func record(_ kind: CommitRecord.Kind, _ ordinal: Int64, _ payload: [UInt8] = []) -> CommitRecord {
    CommitRecord(
      kind, log: log, generation: generation, ordinal: ordinal, writer: writer, digest: digest,
      payload: payload)
  }

  // MARK: - Appending

  public func append(_ delta: [UInt8], at place: LogPlace) throws(StoreError) {
    do throws(StoreError) { try appendParts(of: delta, at: place) } catch {
      state.withLock { $0.trouble = error.reason }
      throw error
    }
    state.withLock { $0.trouble = nil }
  }

  private func appendParts(of delta: [UInt8], at place: LogPlace) throws(StoreError) {
    let count = max(1, (delta.count + options.recordBytes - 1) / options.recordBytes)
    var first = 0
    // A repeated append continues behind the parts that are in the log.
    if let sent = state.withLock({ $0.sent }), sent.delta == delta { first = sent.parts }
    for part in first..<count {
      let range = part * options.recordBytes..<min(delta.count, (part + 1) * options.recordBytes)
      let record = record(.delta(part: part, of: count), place.ordinal, Array(delta[range]))
      try append(record)
      state.withLock { state in
        state.sent = part + 1 == count ? nil : (delta, part + 1)
        state.bytesSinceImage += range.count
      }
    }
    state.withLock { $0.ordinal = place.ordinal }
  }

  /// The seconds before a further attempt: short, since a leader that dies has a successor soon, and everything waits.
  static func wait(before attempt: Int) -> Double { attempt < 3 ? 0.1 * Double(attempt) : 0.4 }

  /// Appends a record behind the last one; on return it is in the log.
  private func append(_ record: CommitRecord) throws(StoreError) {
    let bytes = record.bytes
    var reason = "no answer"
    for attempt in 0..<options.attempts {
      if attempt > 0, options.pause(CommitLog.wait(before: attempt)) { break }
      if isFenced { throw fenced() }
      do throws(JournalError) {
        let sequence = try journal.append(bytes, to: assignment, after: state.withLock(\.sequence))
        return advance(to: sequence)
      } catch {
        reason = error.description
        switch error {
        case .full: throw StoreError(assignment, .unavailable, reason)
        case .refused: throw StoreError(assignment, .refused, reason)
        case .unavailable: continue
        case .inDoubt:
          state.withLock { if !$0.unresolved.contains(bytes) { $0.unresolved.append(bytes) } }
        case .conflict:
          if try isInLog(record, bytes) { return }
          reason = loss?.description ?? "the servers have less of its log than they had stored, so far"
        }
      }
    }
    if loss != nil {
      // The next takeover stores it again, from the file.
      state.withLock { ($0.isFenced, $0.needsRepair) = (true, true) }
      throw StoreError(assignment, .gone, "its log must be repaired")
    }
    throw StoreError(assignment, .unavailable, reason)
  }

  private func advance(to sequence: UInt64) {
    state.withLock { state in
      (state.loss, state.shortages) = (nil, 0)
      state.sequence = sequence
      state.unresolved = []
    }
  }

  /// After a conflict: whether the record is the last of the log; throws where the assignment is another worker's.
  private func isInLog(_ record: CommitRecord, _ bytes: [UInt8]) throws(StoreError) -> Bool {
    let found: JournalRecord?
    do throws(JournalError) { found = try journal.last(of: assignment) } catch { return false }
    let (sequence, unresolved) = state.withLock { ($0.sequence, $0.unresolved) }
    let known = found.flatMap { CommitRecord($0.bytes) }
    if let known, known.generation > generation { throw fence(by: known) }
    // What was read may be older than the conflict; if it stays so, the servers have lost what was behind it.
    guard let last = found, last.sequence > sequence else {
      let ordinal = known?.log == log ? known?.ordinal ?? 0 : 0
      state.withLock { state in
        state.shortages += 1
        if state.shortages < Self.certainty { return }
        state.loss = LogLoss(behind: ordinal, through: state.ordinal)
      }
      return false
    }
    if last.bytes == bytes {
      advance(to: last.sequence)
      return true
    }
    guard unresolved.contains(last.bytes), let other = CommitRecord(last.bytes) else {
      throw fence()
    }
    advance(to: last.sequence)
    if case .delta(let part, let count) = other.kind, part + 1 == count {
      // The log has a transaction that the file lacks: given up, so that the next owner rebuilds the file.
      state.withLock { $0.isFenced = true }
      throw StoreError(assignment, .gone, "an earlier transaction has reached the log only")
    }
    return false
  }

  /// Finds out whether another worker has taken the assignment over, where no append would be refused for it; false
  /// without an answer.
  func lookForOwner() -> Bool {
    guard let last = try? journal.last(of: assignment) else { return false }
    if let record = CommitRecord(last.bytes), record.generation > generation { _ = fence(by: record) }
    return true
  }

  /// Notes that another worker has taken the assignment over, with the last record that it is known by.
  func fence(by record: CommitRecord? = nil) -> StoreError {
    state.withLock { state in
      state.isFenced = true
      state.loss = nil
      // It should go on behind what was acknowledged here.
      if let record { state.loss = LogLoss(behind: record.ordinal, through: state.ordinal) }
    }
    return fenced()
  }

  private func fenced() -> StoreError {
    StoreError(assignment, .fenced, "another worker has taken the task over")
  }

  // MARK: - Images

  /// Calls `body` after each commit, on the thread that has made it.
  public func onCommit(_ body: @escaping @Sendable (StateFile) -> Void) { committed.withLock { $0 = body } }

  public func didCommit(_ file: StateFile) {
    committed.withLock { $0 }?(file)
    let (bytes, size) = state.withLock { ($0.bytesSinceImage, $0.imageSize) }
    guard bytes > max(options.imageBytes, size) else { return }
    // Without an image the log grows, and the next commit tries again.
    guard let image = try? file.image() else { return }
    let ordinal = state.withLock(\.ordinal)
    let id = CommitRecord.imageID(generation, ordinal, writer)
    do {
      try journal.store(image, of: assignment, id: id)
      let former = state.withLock(\.imageID)
      if former == id { return }
      try append(record(.image(id: id), ordinal))
      let sequence = state.withLock { state in
        (state.imageID, state.imageSize, state.bytesSinceImage) = (id, image.count, 0)
        return state.sequence
      }
      try journal.purge(assignment, before: sequence)
      if let former { try journal.removeImage(of: assignment, id: former) }
    } catch {
      // An append whose outcome is unknown is resolved by the next one.
      state.withLock { $0.bytesSinceImage -= $0.bytesSinceImage / 4 }
    }
  }

  /// Notes that what the servers had lost is in the log again.
  func noteRepair(of loss: LogLoss) { state.withLock { $0.finding = .repaired(loss) } }

  /// Notes that this machine's state, of that ordinal, was of another history.
  func noteReplacement(of ordinal: Int64) {
    state.withLock { $0.finding = .replaced(of: ordinal, by: $0.ordinal) }
  }

  /// The event that the opening of its state was, beside what it always is.
  public var finding: AssignmentEvent? { state.withLock(\.finding) }

  /// Continues a log, an empty one say, with the image of a state that has seen so many transactions, the last of them by
  /// that writer.
  ///
  /// The image keeps the name of its writer: other machines know the state by it, and may have more of it.
  func begin(with image: [UInt8], by writer: String, at ordinal: Int64) throws(StoreError) {
    let id = CommitRecord.imageID(generation, ordinal, writer)
    do throws(JournalError) {
      // A part of it may be there, of an attempt before.
      try journal.removeImage(of: assignment, id: id)
      try journal.store(image, of: assignment, id: id)
    } catch { throw StoreError(assignment, .unavailable, error.description) }
    try append(record(.image(id: id), ordinal))
    // Not before: a repeated opening begins where the log was taken over.
    state.withLock { state in
      state.ordinal = ordinal
      (state.imageID, state.imageSize) = (id, image.count)
    }
  }

  /// Releases the assignment, so that its next owner need not wait; false where it turns out to be another's, or that the
  /// servers have lost a part of its log.
  @discardableResult
  public func release() -> Bool {
    if isFenced { return true }
    try? append(record(.release, state.withLock(\.ordinal)))
    return state.withLock { state in
      defer { state.isFenced = true }
      return !state.isFenced
    }
  }

  func continueFrom(_ image: (id: String, size: Int)?, bytes: Int) {
    state.withLock { state in
      (state.imageID, state.imageSize) = (image?.id, image?.size ?? 0)
      state.bytesSinceImage = bytes
    }
  }
}
