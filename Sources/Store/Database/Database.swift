import System
import CSQLite
import Glibc

/// A connection to one SQLite file, for one thread at a time: tables that several threads read take `access`.
///
/// The file is in write-ahead mode: a transaction appends to the log beside it, and after a crash the last committed one
/// is there. With `Sync.everyCommit` a commit costs one `fdatasync`; a checkpoint, every few thousand pages, costs one
/// more.
public final class Database {
  public enum Sync: String, Sendable {
    /// A commit survives a power cut.
    case everyCommit = "FULL"
    /// A commit survives the process; a power cut may take the last transactions, in order and whole.
    case never = "NORMAL"
    /// Nothing is synced: for a file that is synced as a whole before it counts.
    case ofWhole = "OFF"
  }

  public struct Options: Sendable {
    public var sync: Sync
    /// The time limit for another process's lock.
    public var busyMilliseconds: Int32
    /// The size of SQLite's page cache.
    public var cacheBytes: Int
    /// A checkpoint runs after so many pages of 4 KiB in the log.
    public var checkpointPages: Int
    /// The name of SQLite's VFS; nil for the machine's file system.
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

  /// SQLite takes these settings once, before the first connection; later it refuses, which does no harm.
  private static let isConfigured = flow_sqlite_configure() == SQLITE_OK

  public let path: String
  let connection: OpaquePointer
  /// Held around each read of a table, since the tasks of a partition read from several threads.
  let access = RecursiveLock()
  private var statements: [String: Statement] = [:]
  /// Beside the dictionary, because a commit may need it many times.
  private var outboxInsert: Statement?
  /// The large outputs of a state, beside it.
  var outputs: OutputFile?
  /// The size of the page cache, by how much it is smaller now, and its minimum.
  private let cacheBytes: Int
  private var lentBytes = 0
  private static let leastCacheBytes = 16 << 20
  private var isReading = false
  private var limit: StatementLimit?
  private var lockWait: LockWait?
  /// The first failure of a read that could not throw; every later commit throws it and stores nothing.
  private(set) var readError: StoreError?

  /// Opens the file and creates it if it is missing; `prepareToWrite` is the first to write.
  public convenience init(path: String, _ options: Options = Options()) throws(StoreError) {
    try self.init(path, opening: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, options)
    // It holds what was fetched and what is to be sent; SQLite gives the files beside it the same permissions.
    if options.vfs == nil, path != ":memory:" {
      for end in ["", "-wal", "-shm"] { chmod(path + end, 0o600) }
    }
    try execute("PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
    try execute("PRAGMA journal_size_limit = \(64 << 20); PRAGMA synchronous = \(options.sync.rawValue)")
  }

  /// Opens an existing file for reading only.
  ///
  /// A still file has no write-ahead log and no writer: it is read without locks and without creating the files that
  /// a reader otherwise needs beside it.
  convenience init(reading path: String, isStill: Bool) throws(StoreError) {
    let name = "file:\(Database.escaped(path))?mode=ro\(isStill ? "&immutable=1" : "")"
    try self.init(path, opening: name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, Options())
  }

  /// The use of a database of another program.
  public enum Use: Sendable { case read, write, make }

  /// Opens a database of another program, whose format and permissions stay; its locks are waited for until a stop.
  public convenience init(
    foreign path: String, on disk: any Disk = SystemDisk(), to use: Use, busyMilliseconds: Int32,
    stop: StopSign? = nil
  ) throws(StoreError) {
    let making = use == .make ? SQLITE_OPEN_CREATE : 0
    try self.init(
      path, opening: path, use == .read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | making,
      Options(busyMilliseconds: busyMilliseconds, vfs: disk.vfs), to: "open the database", stop: stop)
    // Without EXTRA a power cut may bring back a journal, which undoes a commit that was acknowledged.
    let settings =
      use == .read ? "PRAGMA query_only = ON" : "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA"
    try execute(settings, to: "open the database")
  }

  /// An empty database in memory, for a path without a database.
  convenience init(emptyInsteadOf path: String) throws(StoreError) {
    try self.init(path, opening: ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, Options())
  }

  private init(
    _ path: String, opening name: String, _ flags: Int32, _ options: Options,
    to what: String = "open the state", stop: StopSign? = nil
  ) throws(StoreError) {
    _ = Self.isConfigured
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, options.vfs)
    guard code == SQLITE_OK, let opened else {
      let failure = StoreError(path, trying: what, opened, code: code)
      sqlite3_close_v2(opened)
      throw failure
    }
    self.path = path
    connection = opened
    cacheBytes = options.cacheBytes
    if let stop {
      waitForLocks(options.busyMilliseconds, stop)
    } else {
      sqlite3_busy_timeout(connection, options.busyMilliseconds)
    }
    try execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(options.cacheBytes >> 10)")
  }

  /// A path as part of a URI.
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
    // Statements that are still referenced keep the closing connection alive.
    sqlite3_close_v2(connection)
  }

  /// Switches the file to write-ahead mode, permanently.
  public func prepareToWrite() throws(StoreError) {
    let mode = try text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw StoreError(
        path, .denied, "no write-ahead file can be kept here (journal mode \(mode ?? "none"))")
    }
  }

  /// Checkpoints what the last process left in the write-ahead log, and truncates the log.
  ///
  /// The log may end with frames of a commit that a power cut has torn. They would become valid again if the next commit
  /// began with the same page and was torn behind it.
  func restartLog() throws(StoreError) {
    let code = checkpoint()
    // On a full disk the log stays: it can be read, and there may be room later.
    if code & 0xff != SQLITE_FULL { try check(code, "carry over what was left") }
  }

  /// Checkpoints everything into the file, which is whole without its log then.
  func carryOver() throws(StoreError) { try check(checkpoint(), "make the tables") }

  private func checkpoint() -> Int32 {
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Makes the page cache smaller by some bytes that another structure uses in its place, or larger again.
  func shrinkCache(by bytes: Int) {
    lentBytes += bytes
    let left = max(cacheBytes - lentBytes, min(cacheBytes, Self.leastCacheBytes))
    // A failure leaves the cache as it is.
    try? execute("PRAGMA cache_size = -\(left >> 10)")
  }

  /// Frees the pages in the cache, which the next statement reads again.
  func freeCache() { access.hold { _ = sqlite3_db_release_memory(connection) } }

  /// Reads what a run cannot go on without: after a failure no commit stores anything.
  ///
  /// A step may read its state with its first event. That event counts as failed, and must not be committed as done.
  func needed<Output>(_ body: () throws(StoreError) -> Output) throws(StoreError) -> Output {
    try access.hold { () throws(StoreError) in
      do throws(StoreError) { return try body() } catch {
        noteReadError(error)
        throw error
      }
    }
  }

  /// Makes all commits fail from now on, since the run has gone on without what could not be read.
  func noteReadError(_ error: StoreError) {
    // A commit that may succeed later is tried again, and this is none, whatever the reason.
    let lasting = error.isPassing ? StoreError(error.path, .disk, error.reason, code: error.code) : error
    readError = readError ?? lasting
  }

  /// Runs statements without results, separated by `;`.
  public func execute(_ sql: String, to what: String = "use the state") throws(StoreError) {
    try check(sqlite3_exec(connection, sql, nil, nil, nil), what)
  }

  /// A statement, compiled once per connection.
  public func statement(_ sql: String) throws(StoreError) -> Statement {
    if let known = statements[sql] { return known }
    let made = try Statement(sql, of: self)
    statements[sql] = made
    return made
  }

  /// The only statement of a text that a user has written.
  public func onlyStatement(_ sql: String) throws(StoreError) -> Statement {
    try Statement(sql, of: self, to: "use the statement", isOnly: true)
  }

  /// Has statements fail once this is true, which is asked every few thousand of their steps.
  public func limit(_ isOver: @escaping @Sendable () -> Bool) {
    let limit = StatementLimit(isOver)
    self.limit = limit
    sqlite3_progress_handler(
      connection, 4000,
      { context in
        context.map { Unmanaged<StatementLimit>.fromOpaque($0).takeUnretainedValue().isOver() } == true
          ? 1 : 0
      }, Unmanaged.passUnretained(limit).toOpaque())
  }

  private func waitForLocks(_ milliseconds: Int32, _ stop: StopSign) {
    let wait = LockWait(milliseconds, stop)
    lockWait = wait
    sqlite3_busy_handler(
      connection,
      { context, count in
        context.map { Unmanaged<LockWait>.fromOpaque($0).takeUnretainedValue().goesOn(after: count) } == true
          ? 1 : 0
      }, Unmanaged.passUnretained(wait).toOpaque())
  }

  /// Whether a transaction is open: some errors end it.
  public var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  /// Whether the open transaction has foreign keys without a row, so that it cannot be committed.
  public var hasOpenReferences: Bool {
    var (open, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(connection, SQLITE_DBSTATUS_DEFERRED_FKS, &open, &highest, 0)
    return open > 0
  }

  /// Whether there is a table or view of this name.
  public func hasTable(_ name: String) throws(StoreError) -> Bool {
    let statement = try self.statement(
      "SELECT 1 FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE")
    try statement.bind(1, name)
    defer { statement.reset() }
    return try statement.step()
  }

  /// The statement that inserts or replaces an outbox entry.
  func outboxInsertion() throws(StoreError) -> Statement {
    if let outboxInsert { return outboxInsert }
    let made = try Statement(
      "INSERT OR REPLACE INTO outbox (sink, epoch, position, id, attempts, due, bytes)"
        + " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", of: self)
    outboxInsert = made
    return made
  }

  /// The first column of a statement's first row, as a text.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try Statement(sql, of: self)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let text = statement.text(0)
    // A statement that writes commits after its last row, and fails only then.
    while try statement.step() {}
    return text
  }

  /// The first column of a statement's first row, as a number.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try Statement(sql, of: self)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The value of a fact: see `Epoch.set`.
  func fact(owner: String, name: String) throws(StoreError) -> Fact? {
    let statement = try self.statement("SELECT value FROM facts WHERE owner = ?1 AND name = ?2")
    try statement.bind(1, owner)
    try statement.bind(2, name)
    defer { statement.reset() }
    return try statement.step() ? statement.fact(0) : nil
  }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes64(connection)) }

  func check(_ code: Int32, _ what: String) throws(StoreError) {
    if code != SQLITE_OK { throw StoreError(path, trying: what, connection, code: code) }
  }
}

extension Database {
  /// Commits all that `body` writes; nothing if it throws or the commit fails.
  public func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    stopReading()
    try execute("BEGIN IMMEDIATE", to: "begin a transaction")
    do throws(StoreError) {
      let result = try body()
      crashPoint("transaction.written")
      try execute("COMMIT", to: "commit")
      crashPoint("transaction.committed")
      return result
    } catch {
      // After some errors SQLite has already rolled back.
      if isInTransaction { sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Opens one read transaction for all reads up to the next write, which saves two locks for each.
  func startReading() throws(StoreError) {
    guard !isReading, !isInTransaction else { return }
    try execute("BEGIN", to: "read")
    isReading = true
  }

  /// Ends the read transaction, so that what follows sees the last commit.
  func endReading() { stopReading() }

  private func stopReading() {
    guard isReading else { return }
    isReading = false
    sqlite3_exec(connection, "COMMIT", nil, nil, nil)
  }
}

/// The limit of a connection's statements, as SQLite's progress handler holds it.
private final class StatementLimit: Sendable {
  let isOver: @Sendable () -> Bool

  init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }
}

/// The wait for another program's lock, as SQLite's busy handler holds it.
private final class LockWait: Sendable {
  private static let pause = 10
  private let attempts: Int32
  private let stop: StopSign

  init(_ milliseconds: Int32, _ stop: StopSign) {
    (attempts, self.stop) = (milliseconds / Int32(Self.pause), stop)
  }

  func goesOn(after count: Int32) -> Bool {
    count < attempts && !stop.wait(seconds: Double(Self.pause) / 1000)
  }
}
