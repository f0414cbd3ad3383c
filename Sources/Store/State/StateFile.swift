import System

/// The state file of one pipeline: everything that it keeps between runs, open in one run at a time.
///
///     let state = try StateFile(path: "/var/lib/flow/launches.db")
///     let seen = try state.table(node: "dedupe", description: ".id")
///     if seen.value(for: key) == nil { seen.set([], for: key) }
///     try state.commit { epoch throws(StoreError) in
///       try epoch.put(OutboxEntry(sink: "log", place: .init(epoch: epoch.number, index: 0), bytes: line))
///     }
///
/// Invariants:
/// 1. An epoch is one transaction: all changes of tables since the last commit, and the facts, outbox entries and marks
///    that its body writes. After a crash the file has all of it or nothing.
/// 2. Epochs are numbered from 1 without gaps; the number is written in the same transaction.
/// 3. A commit that fails changes nothing in memory: the same changes can be committed again, after a full disk say.
/// 4. After a failed read no commit succeeds any more, because decisions may rest on the missing value.
/// 5. After an error of kind `.disk` the commit may have reached the disk all the same: open the file again to know.
/// 6. With `Sync.everyCommit` nothing is built on what a former process left before it is durable: the log is rewritten
///    and synced, then the folder, and only then is the log checkpointed.
/// 7. The lock is taken before anything is read and held until the last reference goes. The file itself is locked too,
///    so that a lock file that was removed admits no other process.
/// 8. The file has its name when it is whole, and an empty one is damaged. One that is removed, replaced or truncated
///    while it is open takes no commit any more.
/// 9. With a log, each transaction is in the log before it is committed; see `StateLog`.
/// 10. Large outputs are in a file beside it, unless it has a log or its commits are not synced; see `OutputFile`.
/// 11. Where an invariant does not hold, nothing more is written: see `Epoch.demand`.
public final class StateFile {
  public struct Options: Sendable {
    public var database: Database.Options
    /// Whether a damaged file is renamed and an empty one created.
    public var resetsCorrupt: Bool
    /// The cache of each node's table.
    public var tableCacheBytes: Int
    /// The limit for the fingerprints of each table's keys, nine or ten bytes a key, read after enough look-ups.
    public var tableKeyBytes: Int
    /// The fewest bytes of an output that goes to the file beside the state; lines come in pieces of some 256 KiB.
    public var largeOutputBytes: Int
    /// The disk of the file and its lock; the database's VFS must lie on the same one.
    public var disk: any Disk

    public init(
      database: Database.Options = .init(), resetsCorrupt: Bool = false, tableCacheBytes: Int = 8 << 20,
      tableKeyBytes: Int = 120 << 20, largeOutputBytes: Int = 64 << 10, disk: any Disk = SystemDisk()
    ) {
      self.database = database
      self.resetsCorrupt = resetsCorrupt
      self.tableCacheBytes = tableCacheBytes
      self.tableKeyBytes = tableKeyBytes
      self.largeOutputBytes = largeOutputBytes
      self.disk = disk
    }
  }

  public let path: String
  /// The new path of a damaged file, if there was one.
  public let setAside: String?
  /// The number of the last committed epoch; 0 before the first.
  public private(set) var epoch: Int64
  let database: Database
  private let lock: StateLock
  let disk: any Disk
  let outputs: OutputFile
  private let isSynced: Bool
  /// The file that was opened, and the largest size it was seen with: it never shrinks.
  private var known: DiskStatus?
  public var identity: FileIdentity? { known?.identity }
  private let tableCacheBytes, tableKeyBytes: Int
  private var tables: [String: KeyedTable] = [:]
  /// In the order of the first request, so that every run writes in the same order.
  private var tablesInOrder: [KeyedTable] = []
  private var freeID: Int64
  /// The nodes whose state the file has in several tables, with their number.
  var divisions: [String: Int]
  private var writing: LogWriting?

  /// Opens the file; creates it and the folders above it if they are missing.
  public init(path: String, _ options: Options = Options()) throws(StoreError) {
    var options = options
    options.database.vfs = options.disk.vfs
    self.path = path
    disk = options.disk
    try StateFolder.make(for: path, options.disk)
    lock = try StateLock(on: path, options.disk)
    crashPoint("state.locked")
    var aside: String?
    do throws(StoreError) {
      database = try StateFile.openDatabase(path, options, lock)
    } catch {
      guard error.isCorrupt else { throw error }
      guard options.resetsCorrupt else { throw error.damaged }
      aside = try CorruptFile.setAside(path, options.disk)
      database = try StateFile.openDatabase(path, options, lock)
    }
    setAside = aside
    isSynced = options.database.sync == .everyCommit
    outputs = OutputFile(of: path, on: disk, least: isSynced ? options.largeOutputBytes : .max)
    database.outputs = outputs
    known = options.disk.status(of: path)
    crashPoint("state.opened")
    epoch = try database.integer("SELECT value FROM facts WHERE owner = '' AND name = 'epoch'") ?? 0
    freeID = (try database.integer("SELECT max(id) FROM nodes") ?? 0) + 1
    divisions = try StateFile.divisions(in: database)
    tableCacheBytes = options.tableCacheBytes
    tableKeyBytes = options.tableKeyBytes
    try noteOutputs()
  }

  private static func openDatabase(
    _ path: String, _ options: Options, _ lock: StateLock
  ) throws(StoreError) -> Database {
    let isThere = try IntegrityCheck.checkHeader(path, options.disk)
    if !isThere { try create(path, options) }
    try lock.claim(path, options.disk)
    if options.database.sync == .everyCommit { try makeDurable(path, options.disk, isThere: isThere) }
    let database = try Database(path: path, options.database)
    if isThere { try IntegrityCheck.check(database, options.disk) }
    try Schema.prepare(database)
    if isThere { try database.restartLog() }
    return database
  }

  /// Creates the file under a name of its own and renames it when it is whole.
  private static func create(_ path: String, _ options: Options) throws(StoreError) {
    let draft = path + ".new"
    let disk = options.disk
    // Left by a run that was killed; a log whose database was removed would be read into the new one.
    for part in ["", "-wal", "-shm", "-journal"] where disk.exists(draft + part) { disk.unlink(draft + part) }
    let left = ["-wal", "-shm", "-journal", OutputFile.end].map { path + $0 }.filter(disk.exists)
    for name in left { disk.unlink(name) }
    if !left.isEmpty { StateFolder.sync(of: path, disk) }
    do throws(StoreError) { try fill(draft, options) } catch {
      for part in ["", "-wal", "-shm", "-journal"] { disk.unlink(draft + part) }
      throw StoreError(path, error.kind, error.reason, code: error.code)
    }
    for part in ["-wal", "-shm"] where disk.exists(draft + part) { disk.unlink(draft + part) }
    do throws(DiskError) {
      // Also where commits are not synced: a power cut may lose commits then, and not the file.
      try disk.rewrite(draft)
      try disk.rename(draft, to: path)
    } catch {
      throw StoreError(path, trying: "create the state", error)
    }
    crashPoint("state.created")
  }

  private static func fill(_ draft: String, _ options: Options) throws(StoreError) {
    var options = options.database
    options.sync = .ofWhole
    let database = try Database(path: draft, options)
    try Schema.prepare(database)
    try database.carryOver()
  }

  /// Makes durable what the last process left (invariant 6).
  ///
  /// SQLite treats a commit that is whole in the write-ahead log as done, synced or not. And a commit that a process
  /// undid by removing the log could come back with the log.
  private static func makeDurable(_ path: String, _ disk: any Disk, isThere: Bool) throws(StoreError) {
    guard isThere else { return StateFolder.sync(above: path, disk) }
    do throws(DiskError) {
      try disk.rewrite(path + "-wal")
    } catch {
      throw StoreError(path + "-wal", trying: "keep what was left", error)
    }
    StateFolder.sync(of: path, disk)
  }

  /// The table of a node.
  ///
  /// The description is stored with it, so that a change of its key expression is noticed. A table that is not ordered
  /// does not know its oldest key, and costs half as much to write. Its caches get one of `shares` equal shares.
  public func table(
    node: String, description: String, isOrdered: Bool = true, shares: Int = 1
  ) throws(StoreError) -> KeyedTable {
    try database.access.hold { () throws(StoreError) in
      if let table = tables[node] { return table }
      let table = try database.needed { () throws(StoreError) in
        try KeyedTable(
          node: node, description: description, isOrdered: isOrdered, cacheBytes: tableCacheBytes / shares,
          keyBytes: tableKeyBytes / shares, freeID: freeID, database)
      }
      freeID += 1
      tables[node] = table
      tablesInOrder.append(table)
      return table
    }
  }

  /// The typed table of a node; request a table in one way only.
  public func table<Value: Storable>(
    node: String, description: String, of type: Value.Type, isOrdered: Bool = true, shares: Int = 1
  ) throws(StoreError) -> TypedTable<Value> {
    TypedTable(try table(node: node, description: description, isOrdered: isOrdered, shares: shares))
  }

  /// An id for a node that is new in the file.
  func takeID() -> Int64 {
    defer { freeID += 1 }
    return freeID
  }

  /// The bytes of keys and values that wait for the next commit.
  public var pendingBytes: Int { tablesInOrder.reduce(0) { $0 + $1.pendingBytes } }

  /// The value of a fact: see `Epoch.set`.
  ///
  /// A sink asks for its serial with an event, which counts as failed where it cannot be read, and must not be committed
  /// as done (invariant 4).
  public func fact(owner: String, name: String) throws(StoreError) -> Fact? {
    try database.needed { () throws(StoreError) in try database.fact(owner: owner, name: name) }
  }

  /// All facts of an owner.
  public func facts(owner: String) throws(StoreError) -> [(name: String, value: Fact)] {
    try database.needed { () throws(StoreError) in
      let statement = try database.statement("SELECT name, value FROM facts WHERE owner = ?1 ORDER BY name")
      try statement.bind(1, owner)
      defer { statement.reset() }
      var facts: [(String, Fact)] = []
      while try statement.step() { facts.append((statement.text(0), statement.fact(1))) }
      return facts
    }
  }

  /// Commits an epoch and returns its number: every table's changes and what `body` writes, in one transaction.
  ///
  /// Changes that `body` makes in tables belong to it. A retried commit runs `body` again.
  @discardableResult
  public func commit(_ body: (borrowing Epoch) throws(StoreError) -> Void) throws(StoreError) -> Int64 {
    let number = epoch + 1
    try write(number) { (epoch) throws(StoreError) in
      try body(epoch)
      crashPoint("state.facts written")
      for table in tablesInOrder { try table.write() }
      try epoch.store(.integer(number), owner: "", name: "epoch")
    }
    for table in tablesInOrder { table.didCommit() }
    epoch = number
    if let log = writing?.log { log.didCommit(self) }
    return number
  }

  /// Commits what `body` writes, marks, attempts and dead letters, in a transaction that ends no epoch.
  ///
  /// Changes of tables wait for the next epoch.
  public func update(_ body: (borrowing Epoch) throws(StoreError) -> Void) throws(StoreError) {
    try write(epoch, body)
    if let log = writing?.log { log.didCommit(self) }
  }

  /// Has every transaction from now on appended to a log, by a writer whose name no other takeover has.
  ///
  /// The file must be at that place; an empty file may begin a log.
  public func attach(
    _ log: any StateLog, at place: LogPlace, by writer: String
  ) throws(StoreError) {
    if let flaw = Self.logFlaw { throw StoreError(path, .refused, flaw) }
    guard try logPlace == place || epoch == 0 && place.ordinal == 0 else {
      throw StoreError(
        path, .refused, "the state does not belong to the log \(place.log) at \(place.ordinal)")
    }
    var writers = try logWriters
    writers.begin(writer, at: place.next.ordinal)
    writing = LogWriting(log: log, place: place, writers: writers)
  }

  /// Frees the pages in SQLite's cache, which the next access reads again; for a pipeline that rests.
  public func freeCache() { database.freeCache() }

  /// Whether outputs are in the file beside it.
  public var hasOutputsBeside: Bool { outputs.isUsed }

  /// Takes note of the outputs beside it; removes their file where no row needs it, unless a power cut could bring rows
  /// back.
  private func noteOutputs() throws(StoreError) {
    let isNoted = try Schema.notesOutputs(database)
    guard isNoted || outputs.isThere else { return }
    let isInDoubt = outputs.isInDoubt
    outputs.begin(isNoted ? try database.outputRows() : [])
    guard !outputs.isUsed, !isInDoubt, isSynced else { return }
    outputs.remove()
    // On a full disk the note stays, for the next time.
    if isNoted { try? Schema.note(hasOutputs: false, in: database) }
  }

  /// Checkpoints the write-ahead log into the file, and removes that of large outputs if nothing needs it; for the end of
  /// a run, when the time does not matter.
  public func checkpointWAL() {
    database.endReading()
    try? noteOutputs()
    database.emptyLog()
  }

  /// Sees whether the file is still the one that was opened, as large as it was at least (invariant 8).
  private func checkPlace() throws(StoreError) {
    guard let known else { return }
    guard let status = disk.status(of: path) else {
      throw StoreError(path, .gone, "removed while it was in use; nothing more is kept")
    }
    guard status.identity == known.identity else {
      throw StoreError(path, .gone, "replaced by another file while it was in use; nothing more is kept")
    }
    guard status.size >= known.size else {
      throw StoreError(path, .gone, "truncated while it was in use; nothing more is kept")
    }
    self.known = status
  }

  // Swift 6.3's optimiser aborts where it inlines a call whose closure borrows what cannot be copied.
  @inline(never)
  private func write(
    _ number: Int64, _ body: (borrowing Epoch) throws(StoreError) -> Void
  ) throws(StoreError) {
    // Invariant 4.
    if let error = database.readError { throw error }
    try checkPlace()
    if outputs.isDue {
      try database.access.hold { () throws(StoreError) in
        try outputs.free { (row) throws(StoreError) in
          try database.outputPart(row.sink, row.place) == row.part
        }
      }
    }
    do throws(StoreError) {
      try database.withRoom(on: disk) { () throws(StoreError) in try writeOnce(number, body) }
    } catch {
      // A log has the last word where there is one.
      if error.kind == .inconsistent, writing == nil { note(flaw: error.reason) }
      throw error
    }
    writing?.didCommit()
    outputs.didCommit()
  }

  @inline(never)
  private func writeOnce(
    _ number: Int64, _ body: (borrowing Epoch) throws(StoreError) -> Void
  ) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      let epoch = Epoch(
        number: number, database: database, outputs: writing == nil ? outputs : nil)
      try epoch.checkNumber(endsEpoch: number > self.epoch)
      guard let next = writing?.place.next else {
        try body(epoch)
        try outputs.sync()
        if let error = database.readError { throw error }
        return
      }
      let recording = try DeltaRecording(database)
      try body(epoch)
      try epoch.store(.text(next.text), owner: "", name: LogPlace.fact)
      if let writers = writing?.writers {
        try epoch.store(.text(writers.text), owner: "", name: LogWriters.fact)
      }
      if let error = database.readError { throw error }
      try writing?.append(try recording.delta(), of: path)
    }
  }
}
