import System
import Glibc

/// A read-only view of a state file, for `flow state`: it works beside the run that has the file open.
///
///     let reader = try StateReader(path: "/var/lib/flow/launches.db")
///     for table in try reader.tables() { print(table.node, table.count) }
///
/// Each call sees the last commit. It creates nothing on the disk, except the `-shm` file that SQLite needs beside
/// a `-wal` file. A run that ends during a read may leave both files to the next run.
public final class StateReader {
  public let path: String
  private(set) var database: Database
  /// The version of the file that was opened, if no run had it open then.
  private var still: FileVersion?

  /// Opens a file, which must exist; one whose tables are not made yet is an empty state.
  public init(path: String) throws(StoreError) {
    self.path = path
    (database, still) = try StateReader.open(path)
  }

  private static func open(_ path: String) throws(StoreError) -> (Database, FileVersion?) {
    guard let mark = FileVersion(path) else {
      throw StoreError(path, trying: "open the state", DiskError(code: errno))
    }
    let isStill = access(path + "-wal", F_OK) != 0
    do throws(StoreError) {
      guard try IntegrityCheck.checkHeader(path, SystemDisk()) else { return (try empty(path), mark) }
      let database = try Database(reading: path, isStill: isStill)
      database.outputs = OutputFile(of: path, on: SystemDisk())
      try IntegrityCheck.check(database, SystemDisk())
      guard let version = try Schema.version(of: database) else { return (try empty(path), mark) }
      guard version == Schema.current else {
        throw StoreError(
          path, .refused, "written by an earlier flow (format \(version)); a run brings it forward")
      }
      return (database, isStill ? mark : nil)
    } catch {
      // A run may have started meanwhile: that is no damage.
      if isStill, let now = FileVersion(path), now != mark { return try open(path) }
      throw error.isCorrupt ? error.damaged : error
    }
  }

  private static func empty(_ path: String) throws(StoreError) -> Database {
    let database = try Database(emptyInsteadOf: path)
    try Schema.make(in: database)
    return database
  }

  /// Reads; again if a run has started meanwhile and changed a file that was opened as still.
  private func read<Output>(
    _ body: (Database) throws(StoreError) -> Output
  ) throws(StoreError) -> Output {
    while true {
      let result: Result<Output, StoreError>
      do throws(StoreError) { result = .success(try body(database)) } catch { result = .failure(error) }
      // The commits of a run that has started meanwhile are in the log at first.
      guard let still, FileVersion(path) != still || access(path + "-wal", F_OK) == 0 else {
        return try result.get()
      }
      (database, self.still) = try StateReader.open(path)
    }
  }
}

extension StateReader {
  /// The number of the last committed epoch; 0 before the first.
  public func epoch() throws(StoreError) -> Int64 {
    try read { (database) throws(StoreError) in
      try database.fact(owner: "", name: "epoch")?.integer ?? 0
    }
  }

  /// The tables, oldest first.
  public func tables() throws(StoreError) -> [StoredTable] {
    try read { (database) throws(StoreError) in try database.storedTables() }
  }

  /// All facts except the file's own, by owner and name.
  public func facts() throws(StoreError) -> [StoredFact] {
    try read { (database) throws(StoreError) in
      try database.rows("SELECT owner, name, value FROM facts WHERE owner != '' ORDER BY owner, name") {
        StoredFact(owner: $0.text(0), name: $0.text(1), value: $0.fact(2))
      }
    }
  }

  /// Every sink with a mark, outbox entries or dead letters, by name.
  public func sinks() throws(StoreError) -> [StoredSink] {
    try read { (database) throws(StoreError) in try database.storedSinks() }
  }

  /// The keys of a table behind one, by age, or by their bytes in a table that is not ordered.
  ///
  /// A key that a run writes between two calls moves, so it may appear twice.
  public func keys(
    of node: String, after key: StoredKey? = nil, limit: Int = 1000
  ) throws(StoreError) -> [StoredKey] {
    if key?.sequence != 0 {
      let found = try keys(of: node, "sequence > ?2 AND sequence > 0 ORDER BY sequence", limit) {
        $0.bind(2, key?.sequence ?? 0)
      }
      if key != nil || !found.isEmpty { return found }
    }
    return try (key?.key ?? []).withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try keys(of: node, "key > ?2 AND sequence = 0 ORDER BY key", limit) {
        (statement) throws(StoreError) in
        try statement.bind(2, bytes)
      }
    }
  }

  private func keys(
    of node: String, _ condition: String, _ limit: Int,
    _ bind: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> [StoredKey] {
    try read { (database) throws(StoreError) in try database.keys(of: node, condition, limit, bind) }
  }

  /// The value of a key.
  public func value(of node: String, for key: [UInt8]) throws(StoreError) -> [UInt8]? {
    try read { (database) throws(StoreError) in
      let statement = try database.statement(
        "SELECT value FROM keyed WHERE node = (SELECT id FROM nodes WHERE name = ?1) AND key = ?2")
      try statement.bind(1, node)
      return try key.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try statement.bind(2, bytes)
        defer { statement.reset() }
        return try statement.step() ? statement.bytes(0) : nil
      }
    }
  }

  /// The outbox of a sink: see `StateFile.outbox`.
  public func outbox(
    sink: String, after place: OutputPlace = OutputPlace(epoch: -1, index: 0), limit: Int = 1000
  ) throws(StoreError) -> [OutboxEntry] {
    try read { (database) throws(StoreError) in
      try database.outbox(sink: sink, after: place, limit: limit)
    }
  }

  /// Dead letters: see `StateFile.deadLetters`.
  public func deadLetters(
    sink: String? = nil, after number: Int64 = 0, limit: Int = 1000
  ) throws(StoreError) -> [DeadLetter] {
    try read { (database) throws(StoreError) in
      try database.deadLetters(sink: sink, after: number, limit: limit)
    }
  }
}

/// A node's table, as of the last commit.
public struct StoredTable: Equatable, Sendable {
  public let node: String
  /// A description of its keys: a key expression, say.
  public let description: String
  /// The number of keys.
  public let count: Int
  /// Whether it is a single value, not under a key of the node's.
  var isCell = false

  /// The key of the value of a cell, whose table is not ordered: others of that kind have no such key.
  public static let cell = "null"

  /// The keys that a step holds: without what it notes beside them, a single value say, and the places of rows.
  public var keys: Int {
    if isCell { return 0 }
    let part = node.utf8.firstIndex(of: UInt8(ascii: "~")).map { node[..<$0] } ?? node[...]
    return part.hasSuffix("/baseline") || part.hasSuffix("/places") ? 0 : count
  }
}

/// A key of a table and its value.
public struct StoredKey: Equatable, Sendable {
  public let key, value: [UInt8]
  /// Its number in the order of writes; 0 in a table that is not ordered.
  public let sequence: Int64
}

/// A fact with its owner and name.
public struct StoredFact: Equatable, Sendable {
  public let owner, name: String
  public let value: Fact

  public init(owner: String, name: String, value: Fact) {
    (self.owner, self.name, self.value) = (owner, name, value)
  }
}

/// The progress of a sink.
public struct StoredSink: Equatable, Sendable {
  public let name: String
  /// The mark: the last place that is written.
  public let written: OutputPlace?
  /// The number of outbox entries and of dead letters.
  public let waiting, dead: Int
}

extension StateFile {
  /// The tables as of the last commit, oldest first.
  public func storedTables() throws(StoreError) -> [StoredTable] { try database.storedTables() }

  /// Every sink with a mark, outbox entries or dead letters, as of the last commit.
  public func storedSinks() throws(StoreError) -> [StoredSink] { try database.storedSinks() }

  /// The tables with keys and the owners of facts and outputs, by name, each with the number of keys.
  public func storedNames() throws(StoreError) -> [(name: String, keys: Int)] {
    let tables = try storedTables().filter { $0.count > 0 && !$0.node.hasPrefix("pipeline@") }
    return try tables.map { ($0.node, $0.keys) }
      + database.rows(
        "SELECT owner FROM facts WHERE owner NOT IN ('', 'pipeline') UNION ALL SELECT sink FROM outbox"
      ) { ($0.text(0), 0) }
  }

  /// The first committed keys of a table: by age, or by their bytes in a table that is not ordered.
  public func storedKeys(of node: String, limit: Int) throws(StoreError) -> [StoredKey] {
    let aged = try database.keys(of: node, "sequence > 0 ORDER BY sequence", limit) { _ in }
    return aged.isEmpty ? try database.keys(of: node, "sequence = 0 ORDER BY key", limit) { _ in } : aged
  }
}

extension Database {
  fileprivate func keys(
    of node: String, _ condition: String, _ limit: Int,
    _ bind: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) -> [StoredKey] {
    try rows(
      "SELECT key, value, sequence FROM keyed WHERE node = (SELECT id FROM nodes WHERE name = ?1)"
        + " AND \(condition) LIMIT ?3"
    ) { (statement) throws(StoreError) in
      try statement.bind(1, node)
      try bind(statement)
      statement.bind(3, Int64(limit))
    } row: {
      StoredKey(key: $0.bytes(0), value: $0.bytes(1), sequence: $0.integer(2))
    }
  }

  func storedTables() throws(StoreError) -> [StoredTable] {
    try rows(
      "SELECT name, description, count, count = 1 AND EXISTS ("
        + "SELECT 1 FROM keyed WHERE node = id AND key = CAST('\(StoredTable.cell)' AS BLOB) AND sequence = 0)"
        + " FROM nodes ORDER BY id"
    ) {
      StoredTable(
        node: $0.text(0), description: $0.text(1), count: Int($0.integer(2)), isCell: $0.integer(3) != 0)
    }
  }

  fileprivate func storedSinks() throws(StoreError) -> [StoredSink] {
    try rows(
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

  /// All rows of a statement.
  fileprivate func rows<Row>(
    _ sql: String, bind: (Statement) throws(StoreError) -> Void = { _ in }, row: (Statement) -> Row
  ) throws(StoreError) -> [Row] {
    let statement = try self.statement(sql)
    defer { statement.reset() }
    try bind(statement)
    var rows: [Row] = []
    while try statement.step() { rows.append(row(statement)) }
    return rows
  }
}

/// The identity, size and modification time of a file: equal values mean an unchanged file.
private struct FileVersion: Equatable {
  let device, number: UInt64
  let size, seconds, nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    (size, seconds, nanoseconds) = (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }
}
