/// An open transaction of a state file: the writes beside the tables.
///
/// 1. All writes through it are committed with the tables' changes, or none is.
/// 2. It cannot be copied, so it does not outlive the call that it is passed to.
/// 3. A sink's mark never goes back: all entries up to it are written, and are gone from the outbox.
/// 4. An entry is in the outbox or among the dead letters, never in both and never in neither, until it is marked as
///    written, removed or dropped. It keeps its place and its id on the way.
public struct Epoch: ~Copyable {
  /// The number that the epoch gets with its commit; in an `update` that of the last epoch.
  public let number: Int64
  let database: Database
  /// The file for large outputs, where the state may use it.
  var outputs: OutputFile?

  /// Sets a fact: a source's position, a counter, a sink's offset.
  ///
  /// Facts without an owner belong to the file itself.
  public func set(_ value: Fact, owner: String, name: String) throws(StoreError) {
    guard !owner.isEmpty else {
      throw StoreError(database.path, .refused, "cannot keep \(name): it needs an owner")
    }
    try store(value, owner: owner, name: name)
  }

  func store(_ value: Fact, owner: String, name: String) throws(StoreError) {
    let statement = try database.statement(
      "INSERT OR REPLACE INTO facts (owner, name, value) VALUES (?1, ?2, ?3)")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    try statement.bind(3, value)
    try statement.run()
  }

  public func remove(owner: String, name: String) throws(StoreError) {
    let statement = try database.statement("DELETE FROM facts WHERE owner = ?1 AND name = ?2")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    try statement.run()
  }

  /// Puts an entry into the outbox, or replaces the one at its place, to set its next attempt say.
  public func put(_ entry: OutboxEntry) throws(StoreError) {
    try checkPlace(entry.place, of: entry.sink)
    let statement = try database.outboxInsertion()
    try bindPlace(statement, entry.sink, entry.place)
    try statement.bind(4, entry.id)
    statement.bind(5, Int64(entry.attempts))
    statement.bind(6, entry.due)
    // One that is retried would take a range with each attempt.
    if let outputs, entry.bytes.count >= outputs.least, entry.attempts == 0 {
      try Schema.note(hasOutputs: true, in: database)
      try statement.bind(7, try outputs.put(entry.bytes, of: entry.sink, at: entry.place).text)
      return try statement.run()
    }
    try entry.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try statement.bind(7, bytes)
      try statement.run()
    }
  }

  /// Marks everything that a sink was to write up to a place as written, and removes those entries.
  public func markWritten(sink: String, through place: OutputPlace) throws(StoreError) {
    try checkPlace(place, of: sink)
    let entries = try database.statement(
      "DELETE FROM outbox WHERE sink = ?1 AND (epoch, position) <= (?2, ?3)")
    try bindPlace(entries, sink, place)
    try entries.run()
    // Invariant 3.
    let mark = try database.statement(
      "INSERT INTO sinks (name, epoch, position) VALUES (?1, ?2, ?3) ON CONFLICT (name)"
        + " DO UPDATE SET epoch = ?2, position = ?3 WHERE (epoch, position) < (?2, ?3)")
    try bindPlace(mark, sink, place)
    try mark.run()
  }

  /// Removes one entry, whatever happens to those before it.
  public func remove(sink: String, at place: OutputPlace) throws(StoreError) {
    let statement = try database.statement(
      "DELETE FROM outbox WHERE sink = ?1 AND epoch = ?2 AND position = ?3")
    try bindPlace(statement, sink, place)
    try statement.run()
  }

  private func bindPlace(
    _ statement: Statement, _ sink: String, _ place: OutputPlace
  ) throws(StoreError) {
    try statement.bind(1, sink)
    statement.bind(2, place.epoch)
    statement.bind(3, place.index)
  }
}

extension Epoch {
  /// Moves an entry from the outbox to the dead letters.
  public func giveUp(_ entry: OutboxEntry, reason: String, at time: Double) throws(StoreError) {
    try remove(sink: entry.sink, at: entry.place)
    let statement = try database.statement(
      "INSERT INTO dead (sink, epoch, position, id, attempts, at, reason, bytes)"
        + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
    try bindPlace(statement, entry.sink, entry.place)
    try statement.bind(4, entry.id)
    statement.bind(5, Int64(entry.attempts))
    statement.bind(6, time)
    try statement.bind(7, reason)
    try entry.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try statement.bind(8, bytes)
      try statement.run()
    }
  }

  /// Moves a dead letter back to its sink's outbox, at its old place and with its old id, due at once.
  public func retry(deadLetter number: Int64) throws(StoreError) {
    let statement = try database.statement(
      "INSERT OR REPLACE INTO outbox (sink, epoch, position, id, attempts, due, bytes)"
        + " SELECT sink, epoch, position, id, 0, 0, bytes FROM dead WHERE number = ?1")
    statement.bind(1, number)
    try statement.run()
    try drop(deadLetter: number)
  }

  public func drop(deadLetter number: Int64) throws(StoreError) {
    let statement = try database.statement("DELETE FROM dead WHERE number = ?1")
    statement.bind(1, number)
    try statement.run()
  }
}
