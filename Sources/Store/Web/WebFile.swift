import Glibc
import System

/// What all processes of a user share about the web, in one file: answers that may be used again, and what was spent
/// of each site's budget.
///
/// Unlike a pipeline's state it has many users at a time. What it holds can be had again, so a damaged one is set aside
/// and begun anew. It outlives its process; a power cut may take the last moments.
public final class WebFile {
  /// “flww”: not to be taken for a pipeline's state, nor the other way round.
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

  /// Its path in a state folder: where no pipeline's state is, whatever that is called.
  public static func path(in folder: String) -> String { "\(folder)/shared/http.db" }

  public let path: String
  /// Where a damaged file was put, if one was.
  public let setAside: String?
  let database: Database

  /// Opens the file, or makes it and the folders above it.
  public init(path: String, _ options: Database.Options = .init(sync: .never)) throws(StoreFailure) {
    self.path = path
    try StateFolder.make(for: path, SystemDisk())
    // One at a time opens it; after that SQLite's own locks do.
    let turn = try OpeningLock(path + ".lock")
    defer { turn.release() }
    var aside: String?
    do throws(StoreFailure) {
      database = try WebFile.open(path, options)
    } catch {
      guard error.isCorrupt else { throw error }
      aside = try CorruptFile.setAside(path, SystemDisk())
      database = try WebFile.open(path, options)
    }
    setAside = aside
  }

  /// One that goes with the process and that nobody else sees.
  public init() throws(StoreFailure) {
    path = ":memory:"
    setAside = nil
    database = try Database(path: path)
    for migration in WebFile.migrations { try database.execute(migration, to: "make the tables") }
  }

  private static func open(_ path: String, _ options: Database.Options) throws(StoreFailure) -> Database {
    let isThere = try Soundness.checkHeader(path, SystemDisk())
    let database = try Database(path: path, options)
    if isThere { try Soundness.check(database, SystemDisk()) }
    try Schema.prepare(database, migrations: migrations, owner: owner)
    return database
  }
}

/// A lock that is waited for.
private struct OpeningLock {
  private let descriptor: Int32

  init(_ path: String) throws(StoreFailure) {
    descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreFailure(path, trying: "open the lock", DiskError(code: errno))
    }
    while flock(descriptor, LOCK_EX) != 0 {
      if errno == EINTR { continue }
      let failure = StoreFailure(path, trying: "lock", DiskError(code: errno))
      close(descriptor)
      throw failure
    }
  }

  func release() { close(descriptor) }
}
