/// The SQL statements of keyed tables.
final class KeyedStatements {
  /// A key with its value; the bytes must stay valid until it is written.
  struct Row {
    let key, value: UnsafeBufferPointer<UInt8>
    let sequence: Int64
  }

  /// So many rows are written by one statement, for half of what each costs alone.
  static let batchSize = 32

  private let database: Database
  private let get, keys, insert, delete, next, find, last, drop, describe: Statement
  /// Writes `batchSize` rows; compiled when there are as many.
  private var batchInsert: Statement?

  init(_ database: Database) throws(StoreError) {
    self.database = database
    get = try database.statement("SELECT value FROM keyed WHERE node = ?1 AND key = ?2")
    keys = try database.statement(
      "SELECT key FROM keyed WHERE node = ?1 AND key > ?2 ORDER BY key LIMIT \(KeyPresence.slice)")
    insert = try database.statement(Self.insertion(of: 1))
    delete = try database.statement("DELETE FROM keyed WHERE node = ?1 AND key = ?2")
    next = try database.statement(
      "SELECT sequence, key, value FROM keyed WHERE node = ?1 AND sequence > ?2 AND sequence > 0"
        + " ORDER BY sequence")
    find = try database.statement("SELECT id, description, count FROM nodes WHERE name = ?1")
    last = try database.statement("SELECT max(sequence) FROM keyed WHERE node = ?1 AND sequence > 0")
    drop = try database.statement("DELETE FROM keyed WHERE node = ?1")
    describe = try database.statement(
      "INSERT INTO nodes (id, name, description, count) VALUES (?1, ?2, ?3, ?4)"
        + " ON CONFLICT (id) DO UPDATE SET description = ?3, count = ?4")
  }

  func findNode(_ name: String) throws(StoreError) -> (id: Int64, description: String, count: Int)? {
    try find.bind(1, name)
    defer { find.reset() }
    return try find.step() ? (find.integer(0), find.text(1), Int(find.integer(2))) : nil
  }

  func lastSequence(_ node: Int64) throws(StoreError) -> Int64 {
    last.bind(1, node)
    defer { last.reset() }
    return try last.step() ? last.integer(0) : 0
  }

  /// Calls `body` with the value of a key, valid during the call; nil if there is no such key.
  func value<Output>(
    of node: Int64, _ key: StateKey,
    _ body: (UnsafeBufferPointer<UInt8>) throws(StoreError) -> Output
  ) throws(StoreError) -> Output? {
    get.bind(1, node)
    try get.bind(2, key.bytes)
    defer { get.reset() }
    return try get.step() ? try body(get.blob(0)) : nil
  }

  /// The keys that begin with this byte or a later one, in their order.
  func keys(of node: Int64, from first: UInt8) throws(StoreError) -> [[UInt8]] {
    let all = try Statement("SELECT key FROM keyed WHERE node = ?1 AND key >= ?2 ORDER BY key", of: database)
    all.bind(1, node)
    defer { all.reset() }
    let bytes = [first]
    return try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try all.bind(2, bytes)
      var keys: [[UInt8]] = []
      while try all.step() { keys.append(all.bytes(0)) }
      return keys
    }
  }

  /// Reads a slice of keys; returns the last of them, nil at the end of the table.
  func read(_ slice: KeyPresence.Slice, of node: Int64) throws(StoreError) -> [UInt8]? {
    keys.bind(1, node)
    switch slice.rest {
    // SQLite sorts numbers before all blobs.
    case .all: keys.bind(2, 0 as Int64)
    // Bound without a copy, so the statement must end inside the closure.
    case .after(let last):
      return try last.withUnsafeBufferPointer { (last) throws(StoreError) in
        try keys.bind(2, last)
        return try readBound(into: slice.keys)
      }
    }
    return try readBound(into: slice.keys)
  }

  private func readBound(into known: KeyFingerprints) throws(StoreError) -> [UInt8]? {
    defer { keys.reset() }
    var fingerprints: [KeyFingerprints.Fingerprint] = []
    fingerprints.reserveCapacity(KeyPresence.slice)
    var last: [UInt8]?
    while last == nil, try keys.step() {
      let key = keys.blob(0)
      fingerprints.append(known.fingerprint(of: StateKey(key)))
      if fingerprints.count == KeyPresence.slice { last = Array(key) }
    }
    known.insert(fingerprints)
    return last
  }

  /// The first key written after `sequence` that the condition accepts.
  func first(
    of node: Int64, after sequence: Int64, where isWanted: (StateKey) -> Bool
  ) throws(StoreError) -> (sequence: Int64, key: [UInt8], value: [UInt8])? {
    next.bind(1, node)
    next.bind(2, sequence)
    defer { next.reset() }
    while try next.step() {
      if isWanted(StateKey(next.blob(1))) { return (next.integer(0), next.bytes(1), next.bytes(2)) }
    }
    return nil
  }

  func forEach(
    of node: Int64, _ body: (StateKey, [UInt8]) throws(StoreError) -> Void
  ) throws(StoreError) {
    // A statement of its own, because `body` may iterate a table itself.
    let all = try Statement("SELECT key, value FROM keyed WHERE node = ?1 ORDER BY sequence", of: database)
    all.bind(1, node)
    defer { all.reset() }
    while try all.step() { try body(StateKey(all.blob(0)), all.bytes(1)) }
  }

  /// Writes rows, in the place of those that have their keys.
  func set(_ rows: [Row], of node: Int64) throws(StoreError) {
    guard rows.count == Self.batchSize else {
      for row in rows { try run(insert, [row], node) }
      return
    }
    if batchInsert == nil { batchInsert = try Statement(Self.insertion(of: Self.batchSize), of: database) }
    if let batchInsert { try run(batchInsert, rows, node) }
  }

  private func run(_ statement: Statement, _ rows: [Row], _ node: Int64) throws(StoreError) {
    statement.bind(1, node)
    var place: Int32 = 2
    for row in rows {
      try statement.bind(place, row.key)
      statement.bind(place + 1, row.sequence)
      try statement.bind(place + 2, row.value)
      place += 3
    }
    try statement.run()
  }

  private static func insertion(of count: Int) -> String {
    let rows = (0..<count).map { "(?1, ?\($0 * 3 + 2), ?\($0 * 3 + 3), ?\($0 * 3 + 4))" }
    return "INSERT OR REPLACE INTO keyed (node, key, sequence, value) VALUES \(rows.joined(separator: ", "))"
  }

  func remove(_ key: StateKey, of node: Int64) throws(StoreError) {
    delete.bind(1, node)
    try delete.bind(2, key.bytes)
    try delete.run()
  }

  func clear(_ node: Int64) throws(StoreError) {
    drop.bind(1, node)
    try drop.run()
  }

  func describe(_ id: Int64, _ name: String, _ description: String, count: Int) throws(StoreError) {
    describe.bind(1, id)
    try describe.bind(2, name)
    try describe.bind(3, description)
    describe.bind(4, Int64(count))
    try describe.run()
  }
}
