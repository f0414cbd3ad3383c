/// The division of a node's state among the tasks of a partition: one table for each, `NODE@PART~TASK/TASKS`.
///
/// Tables are divided anew, in a transaction of their own, before the first of them is opened in a run whose number
/// of tasks is another one. That changes no value, so it belongs to no epoch: a run that is killed before or after it
/// continues all the same.
extension StateFile {
  /// How the rows of a table reach the tasks.
  public enum Sharing {
    /// Each row belongs to one task, by its key.
    case divided(owner: ([UInt8]) -> Int)
    /// Every task has all rows; of rows with one key, one is kept.
    case copied
    /// Every task has all entries of a queue, whose keys are numbers.
    case queued
    /// It is unknown whose rows they are: they are discarded.
    case discarded
  }

  /// The name of a task's table; that of the node itself where there is only one task.
  public static func table(of node: String, task: Int, of tasks: Int) -> String {
    tasks == 1 ? node : (node.contains("@") ? node : node + "@") + "~\(task)/\(tasks)"
  }

  /// The node and the number of tasks of a table's name; nil for a table that is not divided.
  static func division(of name: String) -> (node: String, tasks: Int)? {
    guard let tilde = name.lastIndex(of: "~") else { return nil }
    let numbers = name[name.index(after: tilde)...].split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 2, Int(numbers[0]) != nil, let tasks = Int(numbers[1]), tasks > 1 else {
      return nil
    }
    let node = name[..<tilde]
    return (String(node.last == "@" ? node.dropLast() : node), tasks)
  }

  static func divisions(in database: Database) throws(StoreError) -> [String: Int] {
    let statement = try Statement("SELECT name FROM nodes WHERE name LIKE '%~%'", of: database)
    defer { statement.reset() }
    var divisions: [String: Int] = [:]
    while try statement.step() {
      if let (node, tasks) = division(of: statement.text(0)) { divisions[node] = tasks }
    }
    return divisions
  }

  /// Divides the state of a node among so many tasks; returns the former number of tasks and the number of keys that have moved.
  ///
  /// Nil where it is divided so already, or there is none. None of its tables may be open.
  public func divide(
    _ node: String, among tasks: Int, _ sharing: Sharing
  ) throws(StoreError) -> (before: Int, keys: Int)? {
    try database.needed { () throws(StoreError) in
      let before = divisions[node] ?? 1
      if before == tasks { return nil }
      var old: [StoredNode] = []
      for task in 0..<before {
        let name = StateFile.table(of: node, task: task, of: before)
        if let stored = try StoredNode(name, database) { old.append(stored) }
      }
      divisions[node] = tasks
      if old.isEmpty { return nil }
      let move = Move(
        database, from: old,
        to: (0..<tasks).map { (id: takeID(), name: StateFile.table(of: node, task: $0, of: tasks)) })
      try update { (_) throws(StoreError) in try move.run(sharing) }
      return (before, old.reduce(0) { $0 + $1.count })
    }
  }
}

/// A node as the file has it.
private struct StoredNode {
  let id: Int64
  let description: String
  let count: Int

  init?(_ name: String, _ database: Database) throws(StoreError) {
    let statement = try database.statement("SELECT id, description, count FROM nodes WHERE name = ?1")
    try statement.bind(1, name)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    (id, description, count) = (statement.integer(0), statement.text(1), Int(statement.integer(2)))
  }
}

/// The move of rows from the tables of some tasks to those of others.
private struct Move {
  /// How many keys are in memory at a time.
  private static let slice = 1000

  private let database: Database
  private let old: [StoredNode]
  private let new: [(id: Int64, name: String)]

  init(_ database: Database, from old: [StoredNode], to new: [(id: Int64, name: String)]) {
    (self.database, self.old, self.new) = (database, old, new)
  }

  func run(_ sharing: StateFile.Sharing) throws(StoreError) {
    var counts = Array(repeating: 0, count: new.count)
    switch sharing {
    case .divided(let owner):
      for node in old { try divide(node, owner, &counts) }
    case .copied, .queued:
      for (task, node) in new.enumerated() { counts[task] = try copy(to: node.id, sharing) }
    case .discarded: break
    }
    let describe = try database.statement(
      "INSERT INTO nodes (id, name, description, count) VALUES (?1, ?2, ?3, ?4)")
    for node in old {
      for sql in ["DELETE FROM keyed WHERE node = ?1", "DELETE FROM nodes WHERE id = ?1"] {
        let delete = try database.statement(sql)
        delete.bind(1, node.id)
        try delete.run()
      }
    }
    for (task, node) in new.enumerated() {
      describe.bind(1, node.id)
      try describe.bind(2, node.name)
      try describe.bind(3, old[0].description)
      describe.bind(4, Int64(counts[task]))
      try describe.run()
    }
  }

  private func divide(
    _ node: StoredNode, _ owner: ([UInt8]) -> Int, _ counts: inout [Int]
  ) throws(StoreError) {
    let move = try database.statement("UPDATE keyed SET node = ?3 WHERE node = ?1 AND key = ?2")
    var last: [UInt8]?
    while true {
      let keys = try keys(of: node, after: last)
      guard let end = keys.last else { return }
      for key in keys {
        let task = owner(key)
        counts[task] += 1
        move.bind(1, node.id)
        move.bind(3, new[task].id)
        try key.withUnsafeBufferPointer { (key) throws(StoreError) in
          try move.bind(2, key)
          try move.run()
        }
      }
      last = end
    }
  }

  private func keys(of node: StoredNode, after last: [UInt8]?) throws(StoreError) -> [[UInt8]] {
    let next = try database.statement(
      "SELECT key FROM keyed WHERE node = ?1 AND key > ?2 ORDER BY key LIMIT \(Self.slice)")
    func read() throws(StoreError) -> [[UInt8]] {
      defer { next.reset() }
      var keys: [[UInt8]] = []
      while try next.step() { keys.append(next.bytes(0)) }
      return keys
    }
    next.bind(1, node.id)
    guard let last else {
      // SQLite sorts numbers before all blobs.
      next.bind(2, 0 as Int64)
      return try read()
    }
    return try last.withUnsafeBufferPointer { (last) throws(StoreError) in
      try next.bind(2, last)
      return try read()
    }
  }

  /// Copies the rows of all tables into one; returns their number.
  private func copy(to id: Int64, _ sharing: StateFile.Sharing) throws(StoreError) -> Int {
    var count = 0
    for node in old {
      let read = try Statement(
        "SELECT key, value, sequence FROM keyed WHERE node = ?1 ORDER BY sequence", of: database)
      defer { read.reset() }
      read.bind(1, node.id)
      while try read.step() {
        let sequence = read.integer(2) == 0 ? 0 : count + 1
        let key: [UInt8]
        if case .queued = sharing { key = Array("\(count)".utf8) } else { key = read.bytes(0) }
        if try write(key, read.bytes(1), to: id, sequence) { count += 1 }
      }
    }
    return count
  }

  /// Returns false for a key that is there already.
  private func write(
    _ key: [UInt8], _ value: [UInt8], to id: Int64, _ sequence: Int
  ) throws(StoreError) -> Bool {
    let insert = try database.statement(
      "INSERT OR IGNORE INTO keyed (node, key, sequence, value) VALUES (?1, ?2, ?3, ?4)")
    insert.bind(1, id)
    insert.bind(3, Int64(sequence))
    return try key.withUnsafeBufferPointer { (key) throws(StoreError) in
      try insert.bind(2, key)
      return try value.withUnsafeBufferPointer { (value) throws(StoreError) in
        try insert.bind(4, value)
        try insert.run()
        return database.changes > 0
      }
    }
  }
}
