import Glibc
import System

/// What a state file holds, for whoever wants to look: read beside the run that may have it open, and never changed.
///
///     let reader = try StateReader(path: "/var/lib/flow/launches.db")
///     for table in try reader.tables() { print(table.node, table.count) }
///
/// Each call sees what was committed last. Nothing is made on the disk either, unless a `-wal` file lies there without
/// the `-shm` file that SQLite needs beside it; and a run that ends while somebody looks may leave both to the next.
public final class StateReader {
  public let path: String
  private var database: Database
  /// The file as it was opened, where nobody had it open.
  private var still: FileMark?

  /// Opens a file that must be there; one without anything in it yet is state in which nothing is kept.
  public init(path: String) throws(StoreFailure) {
    self.path = path
    (database, still) = try StateReader.open(path)
  }

  private static func open(_ path: String) throws(StoreFailure) -> (Database, FileMark?) {
    guard let mark = FileMark(path) else {
      throw StoreFailure(path, trying: "open the state", DiskError(code: errno))
    }
    let isStill = access(path + "-wal", F_OK) != 0
    do throws(StoreFailure) {
      guard try Soundness.checkHeader(path, SystemDisk()) else { return (try empty(path), mark) }
      let database = try Database(reading: path, isStill: isStill)
      try Soundness.check(database, SystemDisk())
      guard let version = try Schema.version(of: database) else { return (try empty(path), mark) }
      guard version == Schema.current else {
        throw StoreFailure(
          path, .refused, "written by an earlier flow (format \(version)); a run brings it forward")
      }
      return (database, isStill ? mark : nil)
    } catch {
      // It may be a run that has begun meanwhile, and no damage.
      if isStill, let now = FileMark(path), now != mark { return try open(path) }
      throw error.isCorrupt ? error.damaged : error
    }
  }

  private static func empty(_ path: String) throws(StoreFailure) -> Database {
    let database = try Database(emptyInsteadOf: path)
    try Schema.make(in: database)
    return database
  }

  /// Reads, once more where a run has begun and changed a file that was taken for still.
  private func read<Answer>(
    _ body: (Database) throws(StoreFailure) -> Answer
  ) throws(StoreFailure) -> Answer {
    while true {
      let answer: Result<Answer, StoreFailure>
      do throws(StoreFailure) { answer = .success(try body(database)) } catch { answer = .failure(error) }
      guard let still, FileMark(path) != still else { return try answer.get() }
      (database, self.still) = try StateReader.open(path)
    }
  }
}

extension StateReader {
  /// The number of the last epoch that was committed; 0 before the first.
  public func epoch() throws(StoreFailure) -> Int64 {
    try read { (database) throws(StoreFailure) in
      try database.fact(owner: "", name: "epoch")?.integer ?? 0
    }
  }

  /// What each node's table is, the one made first first.
  public func tables() throws(StoreFailure) -> [StoredTable] {
    try read { (database) throws(StoreFailure) in
      try database.rows("SELECT name, description, count FROM nodes ORDER BY id") {
        StoredTable(node: $0.text(0), description: $0.text(1), count: Int($0.integer(2)))
      }
    }
  }

  /// All facts but the file's own, by owner and name.
  public func facts() throws(StoreFailure) -> [StoredFact] {
    try read { (database) throws(StoreFailure) in
      try database.rows("SELECT owner, name, value FROM facts WHERE owner != '' ORDER BY owner, name") {
        StoredFact(owner: $0.text(0), name: $0.text(1), value: $0.fact(2))
      }
    }
  }

  /// Every sink that has a mark, something to write, or dead letters, by name.
  public func sinks() throws(StoreFailure) -> [StoredSink] {
    try read { (database) throws(StoreFailure) in
      try database.rows(
        "SELECT name, epoch, position, (SELECT count(*) FROM outbox WHERE sink = name),"
          + " (SELECT count(*) FROM dead WHERE sink = name)"
          + " FROM (SELECT name FROM sinks UNION SELECT sink FROM outbox UNION SELECT sink FROM dead)"
          + " LEFT JOIN sinks USING (name) ORDER BY name"
      ) {
        let isMarked = !$0.isNull(1)
        return StoredSink(
          name: $0.text(0),
          written: isMarked ? OutputPlace(epoch: $0.integer(1), index: $0.integer(2)) : nil,
          waiting: Int($0.integer(3)), dead: Int($0.integer(4)))
      }
    }
  }

  /// Keys of a table from behind one on: the one written longest ago first, or, of a table without that order, in the
  /// order of their bytes.
  ///
  /// A key that a run writes between two calls has a new place, so it may come twice.
  public func keys(
    of node: String, after key: StoredKey? = nil, limit: Int = 1000
  ) throws(StoreFailure) -> [StoredKey] {
    if key?.sequence != 0 {
      let found = try keys(of: node, "sequence > ?2 AND sequence > 0 ORDER BY sequence", limit) {
        $0.bind(2, key?.sequence ?? 0)
      }
      if key != nil || !found.isEmpty { return found }
    }
    return try (key?.key ?? []).withUnsafeBufferPointer { (bytes) throws(StoreFailure) in
      try keys(of: node, "key > ?2 AND sequence = 0 ORDER BY key", limit) {
        (statement) throws(StoreFailure) in
        try statement.bind(2, bytes)
      }
    }
  }

  private func keys(
    of node: String, _ condition: String, _ limit: Int,
    _ bind: (Statement) throws(StoreFailure) -> Void
  ) throws(StoreFailure) -> [StoredKey] {
    try read { (database) throws(StoreFailure) in
      try database.rows(
        "SELECT key, value, sequence FROM keyed WHERE node = (SELECT id FROM nodes WHERE name = ?1)"
          + " AND \(condition) LIMIT ?3"
      ) { (statement) throws(StoreFailure) in
        try statement.bind(1, node)
        try bind(statement)
        statement.bind(3, Int64(limit))
      } row: {
        StoredKey(key: $0.bytes(0), value: $0.bytes(1), sequence: $0.integer(2))
      }
    }
  }

  /// What is kept under a key.
  public func value(of node: String, for key: [UInt8]) throws(StoreFailure) -> [UInt8]? {
    try read { (database) throws(StoreFailure) in
      let statement = try database.statement(
        "SELECT value FROM keyed WHERE node = (SELECT id FROM nodes WHERE name = ?1) AND key = ?2")
      try statement.bind(1, node)
      return try key.withUnsafeBufferPointer { (bytes) throws(StoreFailure) in
        try statement.bind(2, bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.bytes(0) : nil
      }
    }
  }

  /// What a sink is still to write: see `StateFile.outbox`.
  public func outbox(
    sink: String, after place: OutputPlace = OutputPlace(epoch: -1, index: 0), limit: Int = 1000
  ) throws(StoreFailure) -> [OutboxEntry] {
    try read { (database) throws(StoreFailure) in
      try database.outbox(sink: sink, after: place, limit: limit)
    }
  }

  /// Dead letters: see `StateFile.deadLetters`.
  public func deadLetters(
    sink: String? = nil, after number: Int64 = 0, limit: Int = 1000
  ) throws(StoreFailure) -> [DeadLetter] {
    try read { (database) throws(StoreFailure) in
      try database.deadLetters(sink: sink, after: number, limit: limit)
    }
  }
}

extension Database {
  /// All rows that a statement answers.
  fileprivate func rows<Row>(
    _ sql: String, bind: (Statement) throws(StoreFailure) -> Void = { _ in }, row: (Statement) -> Row
  ) throws(StoreFailure) -> [Row] {
    let statement = try self.statement(sql)
    defer { statement.reset() }
    try bind(statement)
    var rows: [Row] = []
    while try statement.step() { rows.append(row(statement)) }
    return rows
  }
}

/// Which file a path leads to and when it was changed last.
private struct FileMark: Equatable {
  let device, number: UInt64
  let size, seconds, nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
