import System

/// All that one pipeline remembers between runs, in one file that one run has at a time.
///
///     let state = try StateFile(path: "/var/lib/flow/launches.db")
///     let seen = try state.table(node: "dedupe", description: ".id")
///     if seen.value(for: key) == nil { seen.set([], for: key) }
///     try state.commit { epoch throws(StoreFailure) in
///       try epoch.put(OutboxEntry(sink: "log", place: .init(epoch: epoch.number, index: 0), bytes: line))
///     }
///
/// What happens between two commits is kept whole or not at all. A commit that fails leaves the changes where they
/// were, in memory: it can be tried again, as when a disk was full, or the changes be taken back with `rollback`.
/// After a failure of kind `.disk` a commit may have reached the disk in spite of it: open the file anew to know.
public final class StateFile {
  public struct Options: Sendable {
    public var database: Database.Options
    /// Whether a damaged file is set aside and an empty one begun.
    public var resetsCorrupt: Bool
    /// How much each node's table keeps in memory of what has not changed.
    public var tableCacheBytes: Int
    /// How much more each may take to know its keys without the file, at nine or ten bytes a key, where they are asked
    /// for that much.
    public var tableKeyBytes: Int
    /// Where the file and its lock are, which is where the database's VFS has them.
    public var disk: any Disk

    public init(
      database: Database.Options = .init(), resetsCorrupt: Bool = false, tableCacheBytes: Int = 8 << 20,
      tableKeyBytes: Int = 120 << 20, disk: any Disk = SystemDisk()
    ) {
      self.database = database
      self.resetsCorrupt = resetsCorrupt
      self.tableCacheBytes = tableCacheBytes
      self.tableKeyBytes = tableKeyBytes
      self.disk = disk
    }
  }

  public let path: String
  /// Where a damaged file was put, if one was.
  public let setAside: String?
  /// The number of the last epoch that was committed; 0 before the first.
  public private(set) var epoch: Int64
  let database: Database
  private let lock: StateLock
  private let tableCacheBytes, tableKeyBytes: Int
  private var tables: [String: KeyedTable] = [:]
  /// In the order in which they were asked for, so that a run writes as another did.
  private var tablesInOrder: [KeyedTable] = []
  private var freeID: Int64

  /// Opens the file, or makes it and the folders above it.
  public init(path: String, _ options: Options = Options()) throws(StoreFailure) {
    self.path = path
    try StateFolder.make(for: path, options.disk)
    lock = try StateLock(on: path, options.disk)
    crashPoint("state.locked")
    var aside: String?
    do throws(StoreFailure) {
      database = try StateFile.openDatabase(path, options)
    } catch {
      guard error.isCorrupt else { throw error }
      guard options.resetsCorrupt else { throw error.damaged }
      aside = try CorruptFile.setAside(path, options.disk)
      database = try StateFile.openDatabase(path, options)
    }
    setAside = aside
    crashPoint("state.opened")
    epoch = try database.integer("SELECT value FROM facts WHERE owner = '' AND name = 'epoch'") ?? 0
    freeID = (try database.integer("SELECT max(id) FROM nodes") ?? 0) + 1
    tableCacheBytes = options.tableCacheBytes
    tableKeyBytes = options.tableKeyBytes
  }

  private static func openDatabase(
    _ path: String, _ options: Options
  ) throws(StoreFailure) -> Database {
    let isThere = try Soundness.checkHeader(path, options.disk)
    if options.database.sync == .everyCommit { try keepLeft(path, options.disk, isThere: isThere) }
    let database = try Database(path: path, options.database)
    if isThere { try Soundness.check(database, options.disk) }
    try Schema.prepare(database)
    if isThere { try database.restartLog() }
    return database
  }

  /// Has what the last process left outlive a power cut, before anything is built on it.
  ///
  /// SQLite takes a commit that is whole in the write-ahead file for one that was made, synced or not, and one that a
  /// process took back by removing that file could come back with it.
  private static func keepLeft(_ path: String, _ disk: any Disk, isThere: Bool) throws(StoreFailure) {
    guard isThere else { return StateFolder.sync(above: path, disk) }
    do throws(DiskError) {
      try disk.rewrite(path + "-wal")
    } catch {
      throw StoreFailure(path + "-wal", trying: "keep what was left", error)
    }
    StateFolder.sync(of: path, disk)
  }

  /// What a node remembers.
  ///
  /// The description is kept with it, so that a change of its key expression is noticed.
  ///
  /// One that is not ordered does not know which of its keys is the oldest, and costs about half to write.
  public func table(
    node: String, description: String, isOrdered: Bool = true
  ) throws(StoreFailure) -> KeyedTable {
    if let table = tables[node] { return table }
    let table = try KeyedTable(
      node: node, description: description, isOrdered: isOrdered, cacheBytes: tableCacheBytes,
      keyBytes: tableKeyBytes, freeID: freeID, database)
    freeID += 1
    tables[node] = table
    tablesInOrder.append(table)
    return table
  }

  /// The same, of values of one type; a table is asked for in one way only.
  public func table<Value: Storable>(
    node: String, description: String, of type: Value.Type
  ) throws(StoreFailure) -> TypedTable<Value> {
    TypedTable(try table(node: node, description: description))
  }

  /// The bytes of keys and values that wait for the next commit.
  public var pendingBytes: Int { tablesInOrder.reduce(0) { $0 + $1.pendingBytes } }

  /// What a name stands for: see `Epoch.set`.
  public func fact(owner: String, name: String) throws(StoreFailure) -> Fact? {
    try database.fact(owner: owner, name: name)
  }

  /// All facts of an owner.
  public func facts(owner: String) throws(StoreFailure) -> [(name: String, value: Fact)] {
    let statement = try database.statement("SELECT name, value FROM facts WHERE owner = ?1 ORDER BY name")
    try statement.bind(1, owner)
    defer { statement.reset() }
    var facts: [(String, Fact)] = []
    while try statement.step() { facts.append((statement.text(0), statement.fact(1))) }
    return facts
  }

  /// Ends an epoch, and answers its number: every table's changes and what `body` writes, in one transaction.
  ///
  /// What `body` changes in tables is part of it; it may run again where the commit is tried again.
  @discardableResult
  public func commit(_ body: (borrowing Epoch) throws(StoreFailure) -> Void) throws(StoreFailure) -> Int64 {
    let number = epoch + 1
    try write(number) { (epoch) throws(StoreFailure) in
      try body(epoch)
      crashPoint("state.facts written")
      for table in tablesInOrder { try table.write() }
      try epoch.keep(.integer(number), owner: "", name: "epoch")
    }
    for table in tablesInOrder { table.settle() }
    epoch = number
    return number
  }

  /// What `body` writes, in a transaction that ends no epoch: marks, attempts, dead letters.
  ///
  /// Changes of tables go on waiting for the next epoch.
  public func update(_ body: (borrowing Epoch) throws(StoreFailure) -> Void) throws(StoreFailure) {
    try write(epoch, body)
  }

  /// Carries what was committed over into the one file; for the end of a run, when it costs nobody anything.
  public func tidy() {
    crashPoint("state.tidying")
    try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    crashPoint("state.tidied")
  }

  /// Takes back what has changed in the tables since the last commit.
  public func rollback() {
    database.unsaid = nil
    for table in tablesInOrder { table.revert() }
  }

  // Swift 6.3's optimiser aborts where it inlines a call whose closure borrows what cannot be copied.
  @inline(never)
  private func write(
    _ number: Int64, _ body: (borrowing Epoch) throws(StoreFailure) -> Void
  ) throws(StoreFailure) {
    // What was decided on a read that failed must not be kept.
    if let unsaid = database.unsaid { throw unsaid }
    try database.transaction { () throws(StoreFailure) in
      try body(Epoch(number: number, database: database))
      if let unsaid = database.unsaid { throw unsaid }
    }
  }
}
