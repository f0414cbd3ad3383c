import Glibc
import System

/// The result of resetting a node's state: what was removed.
public struct StateReset: Equatable, Sendable {
  public var keys = 0
  public var facts = 0
  /// Outbox entries.
  public var waiting = 0
}

extension Epoch {
  /// Resets a node: removes its tables, named as the node or `NODE@PART`, its facts, and a sink's outbox and mark.
  ///
  /// Dead letters stay. Its tables must not be open, because the commit would write them again.
  public func reset(node: String) throws(StoreError) -> StateReset {
    let tables = "(SELECT id FROM nodes WHERE name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '@')"
    var removed = StateReset()
    // As others count them: without what a step notes beside its keys.
    removed.keys = try database.storedTables().filter { $0.node == node || $0.node.hasPrefix(node + "@") }
      .reduce(0) { $0 + $1.keys }
    _ = try run("DELETE FROM keyed WHERE node IN \(tables)", node)
    _ = try run("DELETE FROM nodes WHERE id IN \(tables)", node)
    removed.facts = try run("DELETE FROM facts WHERE owner = ?1 AND owner != ''", node)
    removed.waiting = try run("DELETE FROM outbox WHERE sink = ?1", node)
    _ = try run("DELETE FROM sinks WHERE name = ?1", node)
    return removed
  }

  private func run(_ sql: String, _ node: String) throws(StoreError) -> Int {
    let statement = try database.statement(sql)
    try statement.bind(1, node)
    try statement.run()
    return database.changes
  }
}

/// The removal of a whole state file, which may be damaged; its lock keeps runs away meanwhile.
///
/// The lock's own file stays.
public final class StateRemoval {
  private let path: String
  private let lock: StateLock

  /// Fails if a run has the file open.
  public init(path: String) throws(StoreError) {
    self.path = path
    lock = try StateLock(on: path, SystemDisk())
    try lock.claim(path, SystemDisk())
  }

  /// Removes the file and those beside it.
  public func remove() throws(StoreError) {
    // The database first: after a crash here, SQLite discards a log without its database at the next start.
    for part in StateFolder.parts where unlink(path + part) != 0 && errno != ENOENT {
      throw StoreError(path + part, trying: "remove it", DiskError(code: errno))
    }
  }
}
