import System
import Glibc

/// The HTTP cache and the request budgets that all processes of a user share, in one file.
///
/// 1. Many processes have it open at a time; each operation is one transaction.
/// 2. Its content can be fetched again, so a damaged file is set aside and an empty one created.
/// 3. It survives the process; a power cut may take the last transactions.
public final class WebFile {
  /// “flww”, as the SQLite file's `application_id`: a state file is not mistaken for it, nor the reverse.
  static let owner: Int64 = 0x666c_7777

  static let migrations = [
    """
    CREATE TABLE answers (
      key BLOB PRIMARY KEY, url TEXT NOT NULL, status INTEGER NOT NULL, checked REAL NOT NULL,
      size INTEGER NOT NULL, headers BLOB NOT NULL, body BLOB NOT NULL);
    CREATE INDEX answers_age ON answers (checked, size);
    CREATE TABLE spending (
      id INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT NOT NULL, at REAL NOT NULL, count INTEGER NOT NULL);
    CREATE INDEX spending_order ON spending (site, at);
    CREATE TABLE sites (
      site TEXT PRIMARY KEY, longest REAL NOT NULL DEFAULT 0, blocked_until REAL, learned_limit INTEGER,
      learned_at REAL) WITHOUT ROWID;
    """
  ]

  /// Its path in a state folder, where no pipeline's name can lead.
  public static func path(in folder: String) -> String { "\(folder)/shared/http.db" }

  public let path: String
  /// The new path of a damaged file, if there was one.
  public let setAside: String?
  let database: Database
  /// How many bytes all bodies together may have, whatever the caller allows.
  let mostBytes: Int

  /// The bytes of the file that are kept in memory: a response is read once a poll, and the system caches the file.
  public static let cacheBytes = 2 << 20

  /// Opens the file; creates it and the folders above it if they are missing.
  public init(
    path: String, _ options: Database.Options = .init(sync: .never, cacheBytes: cacheBytes)
  ) throws(StoreError) {
    self.path = path
    try StateFolder.make(for: path, SystemDisk())
    // One process at a time opens it; after that SQLite's own locks suffice.
    let turn = try OpeningLock(path + ".lock")
    defer { turn.release() }
    var aside: String?
    do throws(StoreError) {
      database = try WebFile.open(path, options)
    } catch {
      guard error.isCorrupt else { throw error }
      aside = try CorruptFile.setAside(path, SystemDisk())
      database = try WebFile.open(path, options)
    }
    setAside = aside
    mostBytes = .max
  }

  /// A private one in memory, for a run without state.
  ///
  /// It has room for the last responses, not for months of addresses that change with each page.
  public init() throws(StoreError) {
    path = ":memory:"
    setAside = nil
    mostBytes = 32 << 20
    database = try Database(path: path)
    for migration in WebFile.migrations { try database.execute(migration, to: "make the tables") }
  }

  /// Several operations as one transaction.
  public func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try database.withRoom(on: SystemDisk()) { () throws(StoreError) in try database.transaction(body) }
  }

  private static func open(_ path: String, _ options: Database.Options) throws(StoreError) -> Database {
    let isThere = try IntegrityCheck.checkHeader(path, SystemDisk())
    let database = try Database(path: path, options)
    if isThere { try IntegrityCheck.check(database, SystemDisk()) }
    try Schema.prepare(database, migrations: migrations, owner: owner)
    return database
  }
}

/// A blocking lock.
private struct OpeningLock {
  private let descriptor: Int32

  init(_ path: String) throws(StoreError) {
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(path, trying: "open the lock", DiskError(code: errno))
    }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno == EINTR { continue }
      let failure = StoreError(path, trying: "lock", DiskError(code: errno))
      close(descriptor)
      throw failure
    }
  }

  /// Unlocks it first: until its exec, a child that is being spawned has a copy of the descriptor.
  func release() {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
