import System

extension Epoch {
  /// Renames a node: its tables, its facts, its outbox, mark and dead letters; of a source also its parts in the tables
  /// of steps, `STEP@SOURCE` and `STEP@SOURCE/…`.
  ///
  /// Its tables must not be open, and the new name must have no state.
  public func rename(node old: String, to new: String, isSource: Bool) throws(StoreError) {
    try run("UPDATE nodes SET name = ?2 || substr(name, length(?1) + 1) WHERE \(Self.isOwn)", old, new)
    if isSource {
      let part = "substr(name, instr(name, '@') + 1)"
      try run(
        "UPDATE nodes SET name = substr(name, 1, instr(name, '@')) || ?2 || substr(\(part), length(?1) + 1)"
          + " WHERE instr(name, '@') > 0 AND (\(part) = ?1 OR substr(\(part), 1, length(?1) + 1) = ?1 || '/')",
        old, new)
    }
    try run("UPDATE facts SET owner = ?2 WHERE owner = ?1", old, new)
    try run("UPDATE outbox SET sink = ?2 WHERE sink = ?1", old, new)
    try run("UPDATE sinks SET name = ?2 WHERE name = ?1", old, new)
    try run("UPDATE dead SET sink = ?2 WHERE sink = ?1", old, new)
  }

  private static let isOwn = "name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || '@'"

  private func run(_ sql: String, _ old: String, _ new: String) throws(StoreError) {
    let statement = try database.statement(sql)
    try statement.bind(1, old)
    try statement.bind(2, new)
    try statement.run()
  }
}
