/// What a state file asks of the file system by itself, beside what SQLite does.
///
/// It must be the disk on which the VFS that `Database.Options` names keeps its files.
public protocol StateDisk: Sendable {
  /// Makes one folder, for this user alone.
  func makeFolder(_ path: String) throws(StateDiskError)
  /// Has the names in a folder outlive a power cut, where the file system can promise that at all.
  func syncFolder(_ path: String)
  /// Has what a file holds, if there is one, outlive a power cut, even where a sync of it has failed before: after
  /// that the system may take what it did not write for written.
  func keep(_ path: String) throws(StateDiskError)
  func isThere(_ path: String) -> Bool
  func rename(_ path: String, to target: String) throws(StateDiskError)
  /// The first bytes of a file, up to a number of them; nil where there is none, `EISDIR` where it is something else.
  func head(of path: String, count: Int) throws(StateDiskError) -> [UInt8]?
  /// Locks a file, making it if it is missing, until what it answers goes or the process ends; writes the process's
  /// id into it. `EWOULDBLOCK` where somebody else has locked it.
  func lock(_ path: String) throws(StateDiskError) -> any StateDiskLock
}

/// A lock that is held until its last reference goes.
public protocol StateDiskLock: AnyObject, Sendable {}

/// An error number of the system's.
public struct StateDiskError: Error, Equatable {
  public let code: Int32

  public init(code: Int32) { self.code = code }
}
