import CSQLite
import Glibc
import System

/// Why state could not be read or kept, as a sentence that names the file.
public struct StoreFailure: Error, Equatable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// No room on the disk, or no more of it for this user or this file: worth another try later.
    case full
    /// Another process is using it, the one with that id where it is known.
    case held(by: Int32?)
    /// It is not, or no longer, what SQLite wrote.
    case corrupt
    /// A later flow wrote it.
    case newer
    /// It is a database, but not one of flow's.
    case foreign
    /// The disk, or whatever stands for one, failed.
    case disk
    /// It may not be opened or written: the folder, the rights, a read-only disk.
    case denied
    /// A value, a name or a statement that cannot be stored.
    case refused
  }

  public let path: String
  public let kind: Kind
  /// What was tried and what came of it: `cannot commit: database or disk is full`.
  public let reason: String
  /// SQLite's extended result code, or 0.
  public let code: Int32

  public init(_ path: String, _ kind: Kind, _ reason: String, code: Int32 = 0) {
    self.path = path
    self.kind = kind
    self.reason = reason
    self.code = code
  }

  public var description: String { "\(path): \(reason)" }
  public var isFull: Bool { kind == .full }
  public var isCorrupt: Bool { kind == .corrupt }

  /// The same, with what to do about a file that is damaged.
  var damaged: StoreFailure {
    StoreFailure(path, .corrupt, "damaged: \(reason); --reset-corrupt sets it aside", code: code)
  }
}

extension StoreFailure {
  /// What a connection says of the call on it that has just failed.
  init(_ path: String, trying what: String, _ connection: OpaquePointer?, code: Int32) {
    let system = connection.map { sqlite3_system_errno($0) } ?? 0
    var words = String(cString: sqlite3_errstr(code))
    // A connection's own words say more, but are of whatever failed on it last.
    if let connection, sqlite3_extended_errcode(connection) == code {
      words = String(cString: sqlite3_errmsg(connection))
    }
    let kind = Kind(code: code, system: system)
    if system != 0, [.full, .disk, .denied].contains(kind) { words += " (\(DiskError(code: system).reason))" }
    self.init(path, kind, "cannot \(what): \(words)", code: code)
  }

  /// The failure of a call to the system.
  init(_ path: String, trying what: String, _ error: DiskError) {
    let kind = error.isFull ? Kind.full : error.code == EIO ? .disk : .denied
    self.init(path, kind, "cannot \(what): \(error.reason)")
  }
}

extension StoreFailure.Kind {
  init(code: Int32, system: Int32) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    case SQLITE_IOERR: self = DiskError(code: system).isFull ? .full : .disk
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
    case SQLITE_BUSY, SQLITE_LOCKED: self = .held(by: nil)
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
      self = DiskError(code: system).isFull ? .full : .denied
    default: self = .refused
    }
  }
}
