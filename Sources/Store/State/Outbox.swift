// The outbox: what sinks have still to write, and the dead letters that they gave up on.
//
// 1. An epoch's commit puts in what its sinks are to write; the sinks write after that commit, never before.
// 2. Entries of a sink are ordered by epoch and index; it writes them in that order, except for those that wait for a
//    retry.
// 3. An entry leaves in a later transaction (see `Epoch`), so a crash in between repeats it, with the same id.

extension StateFile {
  /// The entries of a sink behind a place, in order.
  public func outbox(
    sink: String, after place: OutputPlace = OutputPlace(epoch: -1, index: 0), limit: Int = 1000
  ) throws(StoreError) -> [OutboxEntry] {
    try database.outbox(sink: sink, after: place, limit: limit)
  }

  /// The dead letters of one sink or of all behind a number, oldest first.
  public func deadLetters(
    sink: String? = nil, after number: Int64 = 0, limit: Int = 1000
  ) throws(StoreError) -> [DeadLetter] {
    try database.deadLetters(sink: sink, after: number, limit: limit)
  }
}

extension Database {
  func outbox(
    sink: String, after place: OutputPlace, limit: Int
  ) throws(StoreError) -> [OutboxEntry] {
    let statement = try self.statement(
      "SELECT sink, epoch, position, id, attempts, due, bytes FROM outbox"
        + " WHERE sink = ?1 AND (epoch, position) > (?2, ?3) ORDER BY epoch, position LIMIT ?4")
    try statement.bind(1, sink)
    statement.bind(2, place.epoch)
    statement.bind(3, place.index)
    statement.bind(4, Int64(limit))
    defer { statement.reset() }
    var entries: [OutboxEntry] = []
    var parts: [Int: OutputFile.Part] = [:]
    while try statement.step() {
      if let part = statement.outputPart(6) { parts[entries.count] = part }
      entries.append(statement.outboxEntry())
    }
    if parts.isEmpty { return entries }
    statement.reset()
    return try read(entries, parts)
  }

  /// The entries, those of a part of the output file with its bytes; without those that were written meanwhile, whose
  /// part may have another output now.
  private func read(
    _ entries: [OutboxEntry], _ parts: [Int: OutputFile.Part]
  ) throws(StoreError) -> [OutboxEntry] {
    guard let outputs else { return entries }
    var left: [OutboxEntry] = []
    for (index, entry) in entries.enumerated() {
      var entry = entry
      if let part = parts[index] {
        let bytes: Result<[UInt8], StoreError>
        do throws(StoreError) { bytes = .success(try outputs.read(part)) } catch { bytes = .failure(error) }
        guard try outputPart(entry.sink, entry.place) == part else { continue }
        entry.bytes = try bytes.get()
      }
      left.append(entry)
    }
    return left
  }

  /// The part of the output file that the row at a place names.
  func outputPart(_ sink: String, _ place: OutputPlace) throws(StoreError) -> OutputFile.Part? {
    let statement = try statement(
      "SELECT bytes FROM outbox WHERE sink = ?1 AND epoch = ?2 AND position = ?3")
    try statement.bind(1, sink)
    statement.bind(2, place.epoch)
    statement.bind(3, place.index)
    defer { statement.reset() }
    return try statement.step() ? statement.outputPart(0) : nil
  }

  /// All rows that name a part of the output file.
  func outputRows() throws(StoreError) -> [OutputFile.Row] {
    let statement = try statement(
      "SELECT bytes, sink, epoch, position FROM outbox WHERE typeof(bytes) = 'text'")
    defer { statement.reset() }
    var rows: [OutputFile.Row] = []
    while try statement.step() {
      guard let part = statement.outputPart(0) else { continue }
      let place = OutputPlace(epoch: statement.integer(2), index: statement.integer(3))
      rows.append(OutputFile.Row(sink: statement.text(1), place: place, part: part))
    }
    return rows
  }

  func deadLetters(
    sink: String?, after number: Int64, limit: Int
  ) throws(StoreError) -> [DeadLetter] {
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

extension Statement {
  /// The part of the output file that a column names; nil for one with the bytes themselves.
  fileprivate func outputPart(_ column: Int32) -> OutputFile.Part? {
    guard case .text(let text) = self.column(column) else { return nil }
    return OutputFile.Part(String(decoding: text, as: UTF8.self))
  }
}
