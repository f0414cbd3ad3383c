// What is still to be written, and what never will be unless somebody asks: read whenever, changed in a commit.

extension StateFile {
  /// The last place that a sink has marked as written, everything before it included.
  public func written(sink: String) throws(StoreFailure) -> OutputPlace? {
    let statement = try database.statement("SELECT epoch, position FROM sinks WHERE name = ?1")
    try statement.bind(1, sink)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return OutputPlace(epoch: statement.integer(0), index: statement.integer(1))
  }

  /// What a sink is still to write, in order, from behind a place on.
  public func outbox(
    sink: String, after place: OutputPlace = OutputPlace(epoch: -1, index: 0), limit: Int = 1000
  ) throws(StoreFailure) -> [OutboxEntry] {
    try database.outbox(sink: sink, after: place, limit: limit)
  }

  /// How many entries a sink is still to write.
  public func outboxCount(sink: String) throws(StoreFailure) -> Int {
    let statement = try database.statement("SELECT count(*) FROM outbox WHERE sink = ?1")
    try statement.bind(1, sink)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  /// Dead letters of one sink or all, the first given up first, from behind a number on.
  public func deadLetters(
    sink: String? = nil, after number: Int64 = 0, limit: Int = 1000
  ) throws(StoreFailure) -> [DeadLetter] {
    try database.deadLetters(sink: sink, after: number, limit: limit)
  }
}

extension Database {
  func outbox(
    sink: String, after place: OutputPlace, limit: Int
  ) throws(StoreFailure) -> [OutboxEntry] {
    let statement = try self.statement(
      "SELECT sink, epoch, position, id, attempts, due, bytes FROM outbox"
        + " WHERE sink = ?1 AND (epoch, position) > (?2, ?3) ORDER BY epoch, position LIMIT ?4")
    try statement.bind(1, sink)
    statement.bind(2, place.epoch)
    statement.bind(3, place.index)
    statement.bind(4, Int64(limit))
    defer { statement.reset() }
    var entries: [OutboxEntry] = []
    while try statement.step() { entries.append(statement.outboxEntry()) }
    return entries
  }

  func deadLetters(
    sink: String?, after number: Int64, limit: Int
  ) throws(StoreFailure) -> [DeadLetter] {
    let statement = try self.statement(
      "SELECT sink, epoch, position, id, attempts, 0, bytes, number, at, reason FROM dead"
        + " WHERE number > ?1 AND (?2 = '' OR sink = ?2) ORDER BY number LIMIT ?3")
    statement.bind(1, number)
    try statement.bind(2, sink ?? "")
    statement.bind(3, Int64(limit))
    defer { statement.reset() }
    var letters: [DeadLetter] = []
    while try statement.step() {
      letters.append(
        DeadLetter(
          number: statement.integer(7), entry: statement.outboxEntry(), at: statement.double(8),
          reason: statement.text(9)))
    }
    return letters
  }
}

extension Statement {
  fileprivate func outboxEntry() -> OutboxEntry {
    OutboxEntry(
      sink: text(0), place: OutputPlace(epoch: integer(1), index: integer(2)), id: text(3),
      attempts: Int(integer(4)), due: double(5), bytes: bytes(6))
  }
}
