import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// The transport of a `sql` sink: writes batches to a database on a thread of its own, all that there are in one
/// transaction, and waits while that is not possible; in virtual time, which stands still meanwhile, on the lane.
///
/// The database stores the place of the last batch with the rows, so that none is applied twice.
final class SQLTransport: DeliveryTransport, Sendable {
  /// How many batches may be under way, so that those of an epoch are one transaction.
  static let most = 16384
  private static let pause = 0.5
  /// How often a wait that goes on is reported, in seconds.
  private static let reportInterval = 60.0

  private struct Parcel: Sendable {
    let number: UInt64
    let batch: SQLBatch
  }

  /// Rows that the database has refused.
  private struct Refused: Sendable {
    let number: UInt64
    let batch: SQLBatch
    let refusal: SQLRefusal
    /// As they are stored beside positions.
    let stored: Value?
    /// How many epochs had been committed when the lane made a dead letter of them; nil before.
    var epochs: Int?
  }

  private struct State: Sendable {
    var pending: [Parcel] = []
    var answers: DeliveryAnswers?
    var refused: [UInt64: [Refused]] = [:]
    /// Rows that the state may not have as dead letters yet, so that the database keeps them.
    var kept: [Refused] = []
    var epochs = 0
    /// Whether something is written, and whether the outbox has to which database.
    var hasWritten = false
    var isKnown = false
    /// Why nothing is written any more, where the lane waited itself.
    var end: SQLFailure?
    var isEndKnown = false
  }

  private static let note = "database"

  let delivers = Deliverable.row
  let retriesInRealTime = true
  let recognisesRepeats = true
  let batch = SQLTransport.most
  private let table: SQLTable
  private let name: String
  private let context: SinkContext
  private let connection: SQLConnectionInUse
  private let state = Locked(State())
  private let stop: StopSign
  /// Nil where the lane writes.
  private let thread: SerialScheduler?

  init(_ address: SQLAddress, _ table: SQLTable, _ context: SinkContext) {
    (self.table, self.context, name) = (table, context, address.name)
    connection = SQLConnectionInUse(address, context)
    let isOnLane = context.lane.waiting == .withinTurn
    stop = isOnLane ? context.stop : StopSign()
    thread = isOnLane ? nil : SerialScheduler(name: "flow-sql")
  }

  deinit { thread?.stop() }

  // MARK: - On the lane, before anything is written

  /// Throws where the table cannot have rows with the columns of a batch.
  func check(_ batch: SQLBatch) throws {
    do throws(SQLFailure) { try connection.raw.check(batch, for: table, stop: context.stop) } catch {
      if !error.mayBeAwaited { throw error }
    }
  }

  /// The last epoch that the database has of a sink, by the id of its state.
  func epochs() throws -> [String: Int64] {
    try through(0, context.stop) { () throws(SQLFailure) in
      try connection.raw.epochs(of: owner, in: table, stop: context.stop)
    }
  }

  /// Whether the outbox has that this database was written to.
  func isKnown(to outbox: Outbox) throws -> Bool {
    let isKnown = try outbox.notes(beginning: Self.note).first?.value == .string(name)
    state.withLock { $0.isKnown = isKnown }
    return isKnown
  }

  /// The sink, as the database knows it.
  private var owner: String { "\(context.pipeline)/\(context.name)" }

  // MARK: - On the lane

  func item(stored bytes: [UInt8]) -> (any DeliveryItem)? { SQLBatch(stored: bytes) }

  func begin(_ attempts: [DeliveryAttempt], _ answers: DeliveryAnswers) -> Subscription {
    let parcels = attempts.compactMap { attempt -> Parcel? in
      guard var batch = attempt.item as? SQLBatch else { return nil }
      if let outbox = context.outbox, let place = attempt.place {
        batch.output = SQLPlace(sink: owner, stateID: outbox.stateID, place)
      }
      return Parcel(number: attempt.number, batch: batch)
    }
    state.withLock { state in
      state.pending += parcels
      state.answers = answers
    }
    let attempt = Subscription()
    if let thread {
      thread.perform { [self] in write() }
      // Nothing is cancelled but at the end of the run.
      attempt.onDispose { [stop] in stop.set() }
    } else {
      write()
    }
    return attempt
  }

  var isOver: Bool { state.withLock { $0.end != nil } }

  /// The epoch before is committed, with what it has of dead letters.
  func noteCommit() { state.withLock { $0.epochs += 1 } }

  func takeOutput(of ended: [UInt64]) throws {
    if ended.isEmpty { return }
    let (refused, isNew, end) = state.withLock { state in
      let refused = ended.compactMap { state.refused.removeValue(forKey: $0) }.flatMap(\.self)
      // An epoch may be on its way to the state already, without them.
      state.kept.removeAll { kept in kept.epochs.map { $0 + 2 <= state.epochs } ?? false }
      let epochs = state.epochs
      let numbers = Set(refused.map(\.number))
      for index in state.kept.indices where numbers.contains(state.kept[index].number) {
        state.kept[index].epochs = epochs
      }
      defer { state.isKnown = state.isKnown || state.hasWritten }
      defer { state.isEndKnown = state.end != nil }
      return (refused, state.hasWritten && !state.isKnown, state.isEndKnown ? nil : state.end)
    }
    if isNew { context.outbox?.setNote(.string(name), Self.note) }
    for rows in refused { refuse(rows) }
    if let end { throw end }
  }

  func end() {
    guard let thread else { return }
    stop.set()
    thread.stop()
  }

  func leftMessage(_ count: Int) -> String {
    count == 1 ? "one write is left to the next run" : "\(count) writes are left to the next run"
  }

  func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String {
    let count = (item as? SQLBatch).map { $0.set.count + $0.remove.count } ?? 0
    return "\(count == 1 ? "1 row is" : "\(count) rows are") not written: the pipeline ended"
  }

  /// Makes a dead letter of a row, or of a whole batch.
  private func refuse(_ rows: Refused) {
    let letter = rows.batch.refused(rows.refusal)
    if let outbox = context.outbox, let place = rows.batch.output {
      let bytes = letter.stored
      outbox.giveUp(
        OutboxEntry(
          sink: context.name, place: place.letter(rows.refusal.row), attempts: 1,
          bytes: context.lane.world[Secrets.self]?.sealed(bytes) ?? bytes),
        reason: rows.refusal.reason)
    }
    context.meter.countGivenUp()
    let values = letter.set + letter.remove
    let what = rows.refusal.row != nil && values.count == 1 ? "\(values[0])" : "\(values.count) rows"
    context.errors.report(
      DeliveryFailure("\(printable(what)): \(printable(rows.refusal.reason))", mayPass: false), nil)
  }

  // MARK: - On the thread, if there is one

  private func write() {
    let parcels = state.withLock { state in
      defer { state.pending = [] }
      return state.pending
    }
    if parcels.isEmpty { return }
    crashPoint("sql.writing")
    let done = write(parcels)
    crashPoint("sql.written")
    let answers = state.withLock { state in
      state.hasWritten = state.hasWritten || done > 0
      return state.answers
    }
    answers?.put(
      parcels.enumerated().map { ($0.element.number, $0.offset < done ? nil : DeliveryFailure.cancelled) })
  }

  /// How many of them are written, or refused; the others are cut off by the end of the run.
  private func write(_ parcels: [Parcel]) -> Int {
    let batches = parcels.map(\.batch)
    do throws(SQLFailure) {
      let refusals = try through(batches.count, stop) { () throws(SQLFailure) in
        let kept = state.withLock { $0.kept.compactMap(\.stored) }
        return try connection.raw.write(batches, refused: kept, to: table, stop: stop)
      }
      for refusal in refusals { add(refusal, parcels) }
      return parcels.count
    } catch {
      if error.mayPass { return 0 }
      // They fail as they are: where there are several, each is tried by itself.
      if parcels.count == 1 {
        add(SQLRefusal(batch: 0, row: nil, reason: error.description), parcels)
        return 1
      }
      for (index, parcel) in parcels.enumerated() {
        if write([parcel]) == 0 { return index }
        crashPoint("sql.one written")
      }
      return parcels.count
    }
  }

  private func add(_ refusal: SQLRefusal, _ parcels: [Parcel]) {
    let parcel = parcels[refusal.batch]
    let refused = Refused(
      number: parcel.number, batch: parcel.batch, refusal: refusal,
      stored: parcel.batch.output.map { refusal.stored(of: $0) })
    state.withLock { state in
      state.refused[parcel.number, default: []].append(refused)
      if refused.stored != nil { state.kept.append(refused) }
    }
  }

  /// Does something with the database, and waits while that is not possible; log and status show it.
  private func through<Result>(
    _ count: Int, _ stop: StopSign, _ action: () throws(SQLFailure) -> Result
  ) throws(SQLFailure) -> Result {
    connection.wait.count = count
    var waited: Double?
    while true {
      do throws(SQLFailure) {
        let result = try action()
        connection.wait.end()
        return result
      } catch {
        guard error.mayPass else { throw error }
        if waited.map({ $0 > Self.reportInterval }) ?? true {
          context.log.error("\(error); rows wait until it can be written to")
          context.meter.countError()
          waited = 0
        }
        connection.wait.note("\(error)")
        if context.lane.world.pause(Self.pause, stop) {
          if thread == nil { state.withLock { $0.end = error } }
          throw error
        }
        waited = waited.map { $0 + Self.pause }
      }
    }
  }
}

/// The connection of a sink, and its wait for the database.
///
/// `@unchecked Sendable` with its reason: the lane uses it before the first batch, and the thread from then on.
private final class SQLConnectionInUse: @unchecked Sendable {
  let raw: any SQLConnection
  let wait: SQLWait

  init(_ address: SQLAddress, _ context: SinkContext) {
    let wait = SQLWait(context, address.name)
    self.wait = wait
    raw = address.connection(
      on: context.lane.world.disk, log: context.log, silence: { wait.noteSilence() })
  }
}
