import CSQLite
import Glibc
import System

/// An error of the store: a sentence with the file, what failed and why.
public struct StoreError: Error, Equatable, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The disk, the user's quota or the file has no room left: worth a retry later.
    case full
    /// The log of the state has no room, or its servers do not answer; SQLite lacks memory: worth a retry later.
    case unavailable
    /// Another process uses the file; its id, if known.
    case held(by: Int32?)
    /// The content is not what SQLite wrote.
    case corrupt
    /// A later version of flow wrote the file.
    case newer
    /// The file is a database of another program.
    case foreign
    /// An I/O error.
    case disk
    /// The file cannot be opened or written: its folder, its rights, a read-only disk.
    case denied
    /// The file was removed, replaced or truncated while it was open.
    case gone
    /// An invariant of the state does not hold.
    case inconsistent
    /// Another process has taken over the log of the state.
    case fenced
    /// SQLite rejects a value, a name or a statement.
    case refused
  }

  public let path: String
  public let kind: Kind
  /// The operation and its result: `cannot commit: database or disk is full`.
  public let reason: String
  /// SQLite's extended result code, or 0.
  public let code: Int32

  public init(_ path: String, _ kind: Kind, _ reason: String, code: Int32 = 0) {
    self.path = path
    self.kind = kind
    self.reason = reason
    self.code = code
  }

  public var description: String {
    kind == .inconsistent ? "\(path): the state is inconsistent: \(reason)" : "\(path): \(reason)"
  }
  public var isFull: Bool { kind == .full }
  /// Whether the same may succeed later.
  public var isPassing: Bool {
    switch kind {
    case .full, .unavailable, .held: true
    default: false
    }
  }
  /// Whether the limit of the connection has ended a statement.
  public var isLimit: Bool { code & 0xff == SQLITE_INTERRUPT }
  /// Whether a foreign key refers to a row that is not there: `SQLITE_CONSTRAINT_FOREIGNKEY`.
  public var isReference: Bool { code == SQLITE_CONSTRAINT | 3 << 8 }
  public var isCorrupt: Bool { kind == .corrupt }

  /// The same error with the advice for a damaged file.
  var damaged: StoreError {
    // SQLite's report has lines.
    let reason = reason.split(separator: "\n").joined(separator: " ")
    return StoreError(path, .corrupt, "damaged: \(reason); --reset-corrupt sets it aside", code: code)
  }
}

extension StoreError {
  /// The error of the last call on a connection.
  init(_ path: String, trying what: String, _ connection: OpaquePointer?, code: Int32) {
    let system = connection.map { sqlite3_system_errno($0) } ?? 0
    var words = String(cString: sqlite3_errstr(code))
    // The connection's message is more specific, but may belong to an earlier error.
    if let connection, sqlite3_extended_errcode(connection) == code {
      words = String(cString: sqlite3_errmsg(connection))
    }
    let kind = Kind(code: code, system: system)
    if system != 0, [.full, .disk, .denied].contains(kind) {
      words += " (\(DiskError(code: system).reason))"
    }
    self.init(path, kind, "cannot \(what): \(words)", code: code)
  }

  /// The error of a file operation.
  init(_ path: String, trying what: String, _ error: DiskError) {
    let kind = error.isFull ? Kind.full : error.code == EIO ? .disk : .denied
    self.init(path, kind, "cannot \(what): \(error.reason)")
  }
}

extension StoreError.Kind {
  init(code: Int32, system: Int32) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    case SQLITE_IOERR: self = DiskError(code: system).isFull ? .full : .disk
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_SCHEMA: self = .held(by: nil)
    case SQLITE_NOMEM: self = .unavailable
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
      self = DiskError(code: system).isFull ? .full : .denied
    default: self = .refused
    }
  }
}
