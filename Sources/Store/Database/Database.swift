import CSQLite
import System

/// A connection to one SQLite file, for one thread.
///
/// It is in write-ahead mode: a transaction is an append to the file beside it, and a crash leaves the last one that
/// was committed. With `Sync.everyCommit` a commit costs one `fdatasync`; every few thousand pages one more pays for
/// carrying them over into the file itself.
public final class Database {
  public enum Sync: String, Sendable {
    /// What is committed outlives a power cut.
    case everyCommit = "FULL"
    /// What is committed outlives the process; a power cut may take the last transactions, in order, never a part.
    case never = "NORMAL"
  }

  public struct Options: Sendable {
    public var sync: Sync
    /// How long to wait for another process's lock.
    public var busyMilliseconds: Int32
    /// How much of the file SQLite keeps in memory.
    public var cacheBytes: Int
    /// How many pages of 4 KiB gather in the write-ahead file before they are carried over.
    public var checkpointPages: Int
    /// The name that SQLite knows the disk by; nil for the machine's own.
    public var vfs: String?

    public init(
      sync: Sync = .everyCommit, busyMilliseconds: Int32 = 2000, cacheBytes: Int = 64 << 20,
      checkpointPages: Int = 2000, vfs: String? = nil
    ) {
      self.sync = sync
      self.busyMilliseconds = busyMilliseconds
      self.cacheBytes = cacheBytes
      self.checkpointPages = checkpointPages
      self.vfs = vfs
    }
  }

  /// SQLite is told once, before the first connection; where it is in use already, it goes on as it is.
  private static let isConfigured = flow_sqlite_count_no_memory() == SQLITE_OK

  public let path: String
  let connection: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// At hand, since a commit may need it many times.
  private var outboxInsert: Statement?
  /// How much of the file is kept in memory, how much less now, and how much at least.
  private let cacheBytes: Int
  private var lentBytes = 0
  private static let leastCacheBytes = 16 << 20
  private var isReading = false
  /// The first read that failed where nobody could be told; the next commit says so and stores nothing.
  var unsaid: StoreFailure?

  /// Opens the file, making it if it is missing.
  ///
  /// Writes nothing yet: `prepareToWrite` does.
  public convenience init(path: String, _ options: Options = Options()) throws(StoreFailure) {
    try self.init(path, opening: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options)
    try execute("PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
    try execute("PRAGMA journal_size_limit = \(64 << 20); PRAGMA synchronous = \(options.sync.rawValue)")
  }

  /// Opens a file that is there for reading alone.
  ///
  /// A still one, which has no write-ahead file and which nobody changes, is read without locks and without making the
  /// files beside it that a reader needs otherwise.
  convenience init(reading path: String, isStill: Bool) throws(StoreFailure) {
    let name = "file:\(Database.escaped(path))?mode=ro\(isStill ? "&immutable=1" : "")"
    try self.init(path, opening: name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Options())
  }

  /// Nothing, in memory.
  convenience init(emptyInsteadOf path: String) throws(StoreFailure) {
    try self.init(path, opening: ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, Options())
  }

  private init(
    _ path: String, opening name: String, _ flags: Int32, _ options: Options
  ) throws(StoreFailure) {
    _ = Self.isConfigured
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, options.vfs)
    guard code == SQLITE_OK, let opened else {
      let failure = StoreFailure(path, trying: "open the state", opened, code: code)
      sqlite3_close_v2(opened)
      throw failure
    }
    self.path = path
    connection = opened
    cacheBytes = options.cacheBytes
    sqlite3_busy_timeout(connection, options.busyMilliseconds)
    try execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(options.cacheBytes >> 10)")
  }

  /// What means something in the name of a file as a URI has it.
  private static func escaped(_ path: String) -> String {
    let hexes = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
        bytes += [UInt8(ascii: "%"), hexes[Int(byte >> 4)], hexes[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  deinit {
    // Statements that somebody still holds keep a closing connection alive until they go.
    sqlite3_close_v2(connection)
  }

  /// Puts the file in write-ahead mode, which it stays in.
  public func prepareToWrite() throws(StoreFailure) {
    let mode = try text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw StoreFailure(
        path, .denied, "no write-ahead file can be kept here (journal mode \(mode ?? "none"))")
    }
  }

  /// Carries over what the last process has left in the write-ahead file, and begins that anew.
  ///
  /// Behind what counts there may be more, of a commit that a power cut has torn. It would come back if the next
  /// commit began with the same page and was torn behind that.
  func restartLog() throws(StoreFailure) {
    let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    // On a full disk it is left as it is: what is there can be read, and room may come.
    if code & 0xff != SQLITE_FULL { try check(code, "carry over what was left") }
  }

  /// Keeps less of the file in memory, where something else tells of it without it; with fewer than none, more again.
  func lend(_ bytes: Int) {
    lentBytes += bytes
    let left = max(cacheBytes - lentBytes, min(cacheBytes, Self.leastCacheBytes))
    // It goes without.
    try? execute("PRAGMA cache_size = -\(left >> 10)")
  }

  /// Runs statements that answer nothing, `;` between them.
  public func execute(_ sql: String, to what: String = "use the state") throws(StoreFailure) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil), what)
  }

  /// A statement that is compiled once a connection.
  public func statement(_ sql: String) throws(StoreFailure) -> Statement {
    if let known = statements[sql] { return known }
    let made = try Statement(sql, of: self)
    statements[sql] = made
    return made
  }

  /// The statement that puts an entry into the outbox, or in the place of the one that is there.
  func puttingOut() throws(StoreFailure) -> Statement {
    if let outboxInsert { return outboxInsert }
    let made = try Statement(
      "INSERT OR REPLACE INTO outbox (sink, epoch, position, id, attempts, due, bytes)"
        + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", of: self)
    outboxInsert = made
    return made
  }

  /// The first column of a statement's first row, as a text.
  func text(_ sql: String) throws(StoreFailure) -> String? {
    let statement = try Statement(sql, of: self)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let text = statement.text(0)
    // What a statement writes it commits behind its last row, and only there can it fail.
    while try statement.step() {}
    return text
  }

  /// The first column of a statement's first row, as a number.
  func integer(_ sql: String) throws(StoreFailure) -> Int64? {
    let statement = try Statement(sql, of: self)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// What a name stands for: see `Epoch.set`.
  func fact(owner: String, name: String) throws(StoreFailure) -> Fact? {
    let statement = try self.statement("SELECT value FROM facts WHERE owner = ?1 AND name = ?2")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    defer { statement.reset() }
    return try statement.step() ? statement.fact(0) : nil
  }

  /// How many rows the statement that was run last has changed.
  var changes: Int { Int(sqlite3_changes64(connection)) }

  func check(_ code: Int32, _ what: String) throws(StoreFailure) {
    if code != SQLITE_OK { throw StoreFailure(path, trying: what, connection, code: code) }
  }
}

extension Database {
  /// All of what `body` writes, or, where it throws or the commit fails, nothing.
  public func transaction<Result>(
    _ body: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    stopReading()
    try execute("BEGIN IMMEDIATE", to: "begin a transaction")
    do throws(StoreFailure) {
      let result = try body()
      crashPoint("transaction.written")
      try execute("COMMIT", to: "commit")
      crashPoint("transaction.committed")
      return result
    } catch {
      // Some failures have rolled back by themselves; then there is nothing to do.
      if sqlite3_get_autocommit(connection) == 0 { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Has the reads up to the next transaction share one view of the file, which saves them two locks each.
  func startReading() throws(StoreFailure) {
    guard !isReading, sqlite3_get_autocommit(connection) != 0 else { return }
    try execute("BEGIN", to: "read")
    isReading = true
  }

  private func stopReading() {
    guard isReading else { return }
    isReading = false
    sqlite3_exec(connection, "COMMIT", nil, nil, nil)
  }
}
