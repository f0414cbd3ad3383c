import CSQLite
import System

/// A log outside of the machine that the transactions of a state file are appended to, so that another machine can
/// rebuild the file.
///
/// Invariants:
/// 1. A transaction is appended before it is committed locally, and committed only where that has succeeded. So the
///    file is a prefix of the log, whenever its process is killed.
/// 2. A local commit that fails after that is repeated without another append. Any other transaction is refused then,
///    and the owner rebuilds the file.
/// 3. The file contains its place in the log, which each delta moves on by one, and the writers of its transactions.
public protocol StateLog: Sendable {
  /// Appends the delta that leads to a place; returns once it is in the log.
  ///
  /// Throws an error of kind `.unavailable` for a later attempt, `.fenced` where another process has taken over the log.
  func append(_ delta: [UInt8], at place: LogPlace) throws(StoreError)
  /// Called after each local commit, when an image of the file may be taken.
  func didCommit(_ file: StateFile)
}

extension StateLog {
  public func didCommit(_ file: StateFile) {}
}

/// A place in a log: the number of the last delta.
public struct LogPlace: Equatable, Sendable {
  /// The id of the log, so that the file of another one is not continued.
  public var log: String
  public var ordinal: Int64

  public init(log: String, ordinal: Int64) {
    self.log = log
    self.ordinal = ordinal
  }

  static let fact = "log"

  init?(text: String?) {
    guard let text, let slash = text.lastIndex(of: "/"),
      let ordinal = Int64(text[text.index(after: slash)...])
    else { return nil }
    self.init(log: String(text[..<slash]), ordinal: ordinal)
  }

  /// With a sign, which shows that its writer is among the `LogWriters`: a version before 0.4 writes the place without,
  /// and reads both.
  var text: String { "\(log)/+\(ordinal)" }

  static func hasWriter(_ text: String) -> Bool { text.split(separator: "/").last?.hasPrefix("+") ?? false }

  var next: LogPlace { LogPlace(log: log, ordinal: ordinal + 1) }
}

/// The state of a log's writer.
struct LogWriting {
  let log: any StateLog
  var place: LogPlace
  /// The writers with this one, until its first transaction has stored them.
  var writers: LogWriters?
  /// The delta that is in the log already, while its local commit has not succeeded.
  var appended: [UInt8]?

  /// Appends the delta that leads to the next place, unless it is in the log.
  mutating func append(_ delta: [UInt8], of path: String) throws(StoreError) {
    guard let appended else {
      try log.append(delta, at: place.next)
      self.appended = delta
      crashPoint("state.appended")
      return
    }
    guard appended == delta else {
      throw StoreError(path, .gone, "its last transaction is in the log only; it must be rebuilt")
    }
  }

  mutating func didCommit() {
    place = place.next
    (appended, writers) = (nil, nil)
  }
}

/// A recording of the changes of one transaction, for as long as it lives.
struct DeltaRecording: ~Copyable {
  private let session: OpaquePointer
  private let path: String
  private let connection: OpaquePointer

  init(_ database: Database) throws(StoreError) {
    var session: OpaquePointer?
    let code = flow_sqlite_start_session(database.connection, &session)
    guard code == SQLITE_OK, let session else {
      throw StoreError(database.path, trying: "record changes", database.connection, code: code)
    }
    self.session = session
    path = database.path
    connection = database.connection
  }

  deinit { sqlite3session_delete(session) }

  /// The changes so far: the new values of rows, and the keys of removed ones.
  func delta() throws(StoreError) -> [UInt8] {
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    let code = sqlite3session_patchset(session, &count, &bytes)
    guard code == SQLITE_OK else {
      throw StoreError(path, trying: "record changes", connection, code: code)
    }
    defer { sqlite3_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}

extension StateFile {
  /// Whether SQLite can record changes; a sentence where it cannot.
  public static var logFlaw: String? {
    flow_sqlite_has_sessions()
      ? nil
      : "this build of SQLite lacks the session extension (SQLITE_ENABLE_SESSION), which a cluster requires"
  }

  /// The place in the log that the file is at; nil for a file that has never had one.
  public var logPlace: LogPlace? {
    get throws(StoreError) { LogPlace(text: try database.fact(owner: "", name: LogPlace.fact)?.text) }
  }

  /// The writers of its transactions; those of a version before 0.4 are not known.
  var logWriters: LogWriters {
    get throws(StoreError) {
      var writers = LogWriters(text: try database.fact(owner: "", name: LogWriters.fact)?.text ?? "")
      let place = try database.fact(owner: "", name: LogPlace.fact)?.text
      if let place, !LogPlace.hasWriter(place) { writers.forgetEnd() }
      return writers
    }
  }

  /// An image of the last commit, from which `StateReplica.install` makes a file.
  public func image() throws(StoreError) -> [UInt8] {
    if outputs.isUsed {
      throw StoreError(
        path, .refused, "has outputs that are still to be written beside it; run it to its end first")
    }
    database.endReading()
    var copy: OpaquePointer?
    defer { sqlite3_close(copy) }
    // Of a page that cannot be read `sqlite3_serialize` makes zeros without an error, a backup fails.
    var code = sqlite3_open_v2(
      ":memory:", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY, nil)
    if code == SQLITE_OK {
      if let backup = sqlite3_backup_init(copy, "main", database.connection, "main") {
        code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
      } else {
        code = sqlite3_errcode(copy)
      }
    }
    guard code == SQLITE_DONE else {
      throw StoreError(path, trying: "copy the state", database.connection, code: code)
    }
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(copy, "main", &count, 0) else {
      throw StoreError(path, .refused, "cannot copy the state: not enough memory")
    }
    defer { sqlite3_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}

/// A state file that is rebuilt from a log: an image, then deltas.
///
/// It is open, and locked, like that of a run.
///
///     if let image { try StateReplica.install(image, at: path, options) }
///     let replica = try StateReplica(path: path, options)
///     for delta in deltas { try replica.apply(delta) }
public final class StateReplica {
  private let file: StateFile

  public init(path: String, _ options: StateFile.Options = .init()) throws(StoreError) {
    file = try StateFile(path: path, options)
  }

  /// The place of the last delta; nil for a new file, and for one that has never had a log.
  public var place: LogPlace? { get throws(StoreError) { try file.logPlace } }

  /// The writers of its transactions.
  public var writers: LogWriters { get throws(StoreError) { try file.logWriters } }

  /// Whether nothing was ever committed to the file.
  public var isEmpty: Bool { file.epoch == 0 }

  /// Applies a delta, in one transaction; throws where it does not lead to that place.
  public func apply(_ delta: [UInt8], to place: LogPlace) throws(StoreError) {
    let file = file
    try file.database.withRoom(on: file.disk) { () throws(StoreError) in
      try file.database.transaction { () throws(StoreError) in
        let code = delta.withUnsafeBytes {
          flow_sqlite_apply(file.database.connection, Int32($0.count), $0.baseAddress)
        }
        try file.database.check(code, "apply a delta")
        guard try file.logPlace == place else {
          throw StoreError(file.path, .corrupt, "the delta \(place.ordinal) of the log leads elsewhere")
        }
      }
    }
  }

  /// Makes it the state at a place where a writer begins a log, with those facts that are others there.
  public func begin(
    _ place: LogPlace, by writer: String, setting facts: [StoredFact] = []
  ) throws(StoreError) {
    let file = file
    var writers = try file.logWriters
    writers.begin(writer, at: place.ordinal)
    try file.update { (epoch) throws(StoreError) in
      for fact in facts { try epoch.set(fact.value, owner: fact.owner, name: fact.name) }
      try epoch.store(.text(place.text), owner: "", name: LogPlace.fact)
      try epoch.store(.text(writers.text), owner: "", name: LogWriters.fact)
    }
  }

  /// An image of it, as `install` takes it.
  public func image() throws(StoreError) -> [UInt8] { try file.image() }

  /// Removes the file of a path, which no run has open.
  public static func discard(_ path: String, _ options: StateFile.Options = .init()) throws(StoreError) {
    let lock = try StateLock(on: path, options.disk)
    withExtendedLifetime(lock) {
      for end in ["-wal", "-shm", "-journal", OutputFile.end, ""] where options.disk.exists(path + end) {
        options.disk.unlink(path + end)
      }
      StateFolder.sync(of: path, options.disk)
    }
  }

  /// Replaces the file of a path, which no run has open, by that of an image.
  public static func install(
    _ image: [UInt8], at path: String, _ options: StateFile.Options = .init()
  ) throws(StoreError) {
    let disk = options.disk
    try StateFolder.make(for: path, disk)
    let lock = try StateLock(on: path, disk)
    let state = WholeFile(path: path, mode: 0o600, syncs: true, disk: disk)
    try withExtendedLifetime(lock) { () throws(StoreError) in
      do throws(FileFailure) {
        let file = try state.begin()
        try file.append(image)
        try file.sync()
        // The log belongs to the former file.
        for end in ["-wal", "-shm", "-journal", OutputFile.end] where disk.exists(path + end) {
          disk.unlink(path + end)
        }
        try state.finish(file)
      } catch {
        state.abandon()
        throw StoreError(path, trying: "install the state", DiskError(code: error.code))
      }
    }
  }
}
