/// The transaction that is open: what is written through it is kept whole, or not at all.
///
/// It cannot be copied, so it does not outlive the call that it is handed to.
public struct Epoch: ~Copyable {
  /// The epoch's number, once it is committed; of an `update`, the last one's.
  public let number: Int64
  let database: Database

  /// Says what a name stands for: how far a source has come, a counter, a sink's offset.
  ///
  /// Facts without an owner are the file's own.
  public func set(_ value: Fact, owner: String, name: String) throws(StoreFailure) {
    guard !owner.isEmpty else {
      throw StoreFailure(database.path, .refused, "cannot keep \(name): it needs an owner")
    }
    try keep(value, owner: owner, name: name)
  }

  func keep(_ value: Fact, owner: String, name: String) throws(StoreFailure) {
    let statement = try database.statement(
      "INSERT OR REPLACE INTO facts (owner, name, value) VALUES (?1, ?2, ?3)")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    try statement.bind(3, value)
    try statement.run()
  }

  public func remove(owner: String, name: String) throws(StoreFailure) {
    let statement = try database.statement("DELETE FROM facts WHERE owner = ?1 AND name = ?2")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    try statement.run()
  }

  /// Hands a sink what it is to write; an entry that is there already is replaced, so this also sets a next attempt.
  public func put(_ entry: OutboxEntry) throws(StoreFailure) {
    let statement = try database.puttingOut()
    try bindPlace(statement, entry.sink, entry.place)
    try statement.bind(4, entry.id)
    statement.bind(5, Int64(entry.attempts))
    statement.bind(6, entry.due)
    try entry.bytes.withUnsafeBufferPointer { (bytes) throws(StoreFailure) in
      try statement.bind(7, bytes)
      try statement.run()
    }
  }

  /// A sink has written everything up to a place: its entries go, and the place is remembered.
  public func markWritten(sink: String, through place: OutputPlace) throws(StoreFailure) {
    let entries = try database.statement(
      "DELETE FROM outbox WHERE sink = ?1 AND (epoch, position) <= (?2, ?3)")
    try bindPlace(entries, sink, place)
    try entries.run()
    // A mark never goes back.
    let mark = try database.statement(
      "INSERT INTO sinks (name, epoch, position) VALUES (?1, ?2, ?3) ON CONFLICT (name)"
        + " DO UPDATE SET epoch = ?2, position = ?3 WHERE (epoch, position) < (?2, ?3)")
    try bindPlace(mark, sink, place)
    try mark.run()
  }

  /// One entry is done with, whatever becomes of those before it.
  public func remove(sink: String, at place: OutputPlace) throws(StoreFailure) {
    let statement = try database.statement(
      "DELETE FROM outbox WHERE sink = ?1 AND epoch = ?2 AND position = ?3")
    try bindPlace(statement, sink, place)
    try statement.run()
  }

  private func bindPlace(
    _ statement: Statement, _ sink: String, _ place: OutputPlace
  ) throws(StoreFailure) {
    try statement.bind(1, sink)
    statement.bind(2, place.epoch)
    statement.bind(3, place.index)
  }
}

extension Epoch {
  /// Gives an entry up: it leaves the outbox and is kept among the dead letters.
  public func bury(_ entry: OutboxEntry, reason: String, at time: Double) throws(StoreFailure) {
    try remove(sink: entry.sink, at: entry.place)
    let statement = try database.statement(
      "INSERT INTO dead (sink, epoch, position, id, attempts, at, reason, bytes)"
        + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    try bindPlace(statement, entry.sink, entry.place)
    try statement.bind(4, entry.id)
    statement.bind(5, Int64(entry.attempts))
    statement.bind(6, time)
    try statement.bind(7, reason)
    try entry.bytes.withUnsafeBufferPointer { (bytes) throws(StoreFailure) in
      try statement.bind(8, bytes)
      try statement.run()
    }
  }

  /// Puts a dead letter back into its sink's outbox, at its old place and with its old id, to be tried at once.
  public func retry(deadLetter number: Int64) throws(StoreFailure) {
    let statement = try database.statement(
      "INSERT OR REPLACE INTO outbox (sink, epoch, position, id, attempts, due, bytes)"
        + " SELECT sink, epoch, position, id, 0, 0, bytes FROM dead WHERE number = ?1")
    statement.bind(1, number)
    try statement.run()
    try drop(deadLetter: number)
  }

  public func drop(deadLetter number: Int64) throws(StoreFailure) {
    let statement = try database.statement("DELETE FROM dead WHERE number = ?1")
    statement.bind(1, number)
    try statement.run()
  }
}
