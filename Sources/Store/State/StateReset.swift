import Glibc
import System

/// What was forgotten of a node.
public struct Forgotten: Equatable, Sendable {
  public var keys = 0
  public var facts = 0
  /// Entries that a sink was still to write.
  public var waiting = 0
}

extension Epoch {
  /// Forgets a node: its tables, called as the node is or `NODE@PART`, its facts, and of a sink what it is still to
  /// write and how far it has come.
  ///
  /// Its dead letters stay. No table of it may have been asked for, since that would write it again.
  public func forget(node: String) throws(StoreFailure) -> Forgotten {
    let tables = "(SELECT id FROM nodes WHERE name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '@')"
    var forgotten = Forgotten()
    forgotten.keys = try run("DELETE FROM keyed WHERE node IN \(tables)", node)
    _ = try run("DELETE FROM nodes WHERE id IN \(tables)", node)
    forgotten.facts = try run("DELETE FROM facts WHERE owner = ?1 AND owner != ''", node)
    forgotten.waiting = try run("DELETE FROM outbox WHERE sink = ?1", node)
    _ = try run("DELETE FROM sinks WHERE name = ?1", node)
    return forgotten
  }

  private func run(_ sql: String, _ node: String) throws(StoreFailure) -> Int {
    let statement = try database.statement(sql)
    try statement.bind(1, node)
    try statement.run()
    return database.changes
  }
}

/// A state file that is to be removed, held so that no run begins with it meanwhile.
///
/// It need not be sound. The lock's own file stays.
public final class StateRemoval {
  private let path: String
  private let lock: StateLock

  /// Fails where a run holds the file.
  public init(path: String) throws(StoreFailure) {
    self.path = path
    lock = try StateLock(on: path, SystemDisk())
  }

  /// Removes the file and what SQLite keeps beside it.
  public func remove() throws(StoreFailure) {
    // The file first: should this be cut short, a write-ahead file without its database is dropped at the next start.
    for part in ["", "-wal", "-shm"] where unlink(path + part) != 0 && errno != ENOENT {
      throw StoreFailure(path + part, trying: "remove it", DiskError(code: errno))
    }
  }
}
