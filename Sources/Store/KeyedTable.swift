/// What one node remembers: values under keys of bytes, in the order in which they were last written.
///
/// Changes gather in memory and reach the file in the next commit, in its transaction; until then they can be taken
/// back. What has not changed is read from the file when it is asked for and kept within `cacheBytes`, so that the
/// number of keys is limited by the disk alone. A key or a value may have up to a thousand million bytes; up to about
/// 900 together they cost one place in the file, and more take whole pages of 4 KiB.
///
/// No call throws, so that a state machine need not know where its state is: a read that fails answers as if there
/// were nothing, and the next commit fails with what went wrong and stores nothing.
public final class KeyedTable<Value: Storable> {
  public let node: String
  /// What the node was when this state was written, where that differs from what it is: a key expression, say.
  public private(set) var formerDescription: String?
  /// How many keys there are, changes included.
  public private(set) var count: Int

  private let description: String
  private let database: Database
  private let id: Int64
  private let statements: KeyedStatements
  private var cache: KeyedCache<Value>
  private var changes = KeyedChanges<Value>()
  private var sequence: Int64
  /// The file's newest key has this one at most.
  private var storedSequence: Int64
  /// The file's oldest keys up to this one have all changed.
  private var passed: Int64 = .min
  private var committed: (count: Int, passed: Int64)
  private var isKnown: Bool
  private var isCleared = false

  /// Of a node that has state from before, or, with an id of its own, of one that has none.
  init(
    node: String, description: String, cacheBytes: Int, freeID: Int64, _ database: Database
  ) throws(StoreFailure) {
    self.node = node
    self.description = description
    self.database = database
    statements = try KeyedStatements(database)
    cache = KeyedCache(bytes: cacheBytes)
    let found = try statements.findNode(node)
    isKnown = found != nil
    id = found?.id ?? freeID
    count = found?.count ?? 0
    committed = (count, passed)
    if let found, found.description != description { formerDescription = found.description }
    sequence = try statements.lastSequence(id)
    storedSequence = sequence
  }

  /// The bytes that wait for the next commit; none only where nothing has changed.
  public var pendingBytes: Int { changes.bytes + (isCleared ? 1 : 0) }

  public func value(for key: [UInt8]) -> Value? { look(for: StateKey(key)) }

  /// Keeps a value, which makes its key the newest.
  public func set(_ value: Value, for key: [UInt8]) {
    let key = StateKey(key)
    let isKept = look(for: key) != nil
    if !isKept { count += 1 }
    sequence += 1
    changes.set(value, for: key, sequence: sequence, isStored: isKept)
  }

  /// Forgets a key, and hands out what was kept under it.
  @discardableResult
  public func remove(_ key: [UInt8]) -> Value? {
    let key = StateKey(key)
    guard let value = look(for: key) else { return nil }
    count -= 1
    changes.set(nil, for: key, sequence: sequence, isStored: true)
    return value
  }

  /// Forgets every key.
  public func removeAll() {
    if count == 0, changes.byKey.isEmpty { return }
    changes = KeyedChanges()
    cache.removeAll()
    count = 0
    isCleared = true
  }

  /// The key that was written longest ago.
  public var oldest: (key: [UInt8], value: Value)? {
    if !isCleared {
      let stored = reading { () throws(StoreFailure) in
        try statements.first(of: id, after: passed) { [changes] in changes[$0] == nil }
      }
      if let stored = stored ?? nil {
        passed = stored.sequence - 1
        return decoded(stored.value, of: stored.key).map { (stored.key.bytes, $0) }
      }
      passed = storedSequence
    }
    return changes.oldest().map { ($0.key.bytes, $0.value) }
  }

  /// Calls `body` for each key, the one written longest ago first.
  ///
  /// It sees none of what `body` changes. No commit until it is done.
  public func forEach(_ body: ([UInt8], Value) -> Void) {
    let changes = changes
    if !isCleared {
      _ = reading { () throws(StoreFailure) in
        try statements.forEach(of: id) { (key, bytes) throws(StoreFailure) in
          if changes[key] == nil { body(key.bytes, try decode(bytes, of: key)) }
        }
      }
    }
    changes.forEach { body($0.bytes, $1) }
  }

  private func look(for key: StateKey) -> Value? {
    if let change = changes[key] { return change.value }
    if isCleared { return nil }
    if let entry = cache.entry(for: key) { return entry }
    let found = reading { () throws(StoreFailure) in
      let bytes = try statements.value(of: id, key)
      return (
        value: try bytes.map { (bytes) throws(StoreFailure) in try decode(bytes, of: key) }, bytes?.count ?? 0
      )
    }
    // Nothing is known of a key whose read has failed.
    guard let found else { return nil }
    cache.keep(found.value, for: key, size: found.1)
    return found.value
  }

  private func decode(_ bytes: [UInt8], of key: StateKey) throws(StoreFailure) -> Value {
    if let value = Value(stored: bytes) { return value }
    throw StoreFailure(
      database.path, .corrupt,
      "what \(node) keeps under \(String(decoding: key.bytes.prefix(80), as: UTF8.self)) is not what it wrote"
    )
  }

  private func decoded(_ bytes: [UInt8], of key: StateKey) -> Value? {
    reading { () throws(StoreFailure) in try decode(bytes, of: key) }
  }

  /// Nil where the read failed, which the next commit tells.
  private func reading<Answer>(_ read: () throws(StoreFailure) -> Answer) -> Answer? {
    do throws(StoreFailure) {
      try database.startReading()
      return try read()
    } catch {
      if database.unsaid == nil { database.unsaid = error }
      return nil
    }
  }
}

/// What a file asks of its tables, whatever their values are.
protocol CommittedTable: AnyObject {
  var pendingBytes: Int { get }
  func write() throws(StoreFailure)
  func settle()
  func revert()
}

extension KeyedTable: CommittedTable {
  /// Writes the changes, in the transaction that is open.
  func write() throws(StoreFailure) {
    let isTold = isKnown && formerDescription == nil
    if isTold, !isCleared, changes.byKey.isEmpty { return }
    if isCleared { try statements.clear(id) }
    // In the order of the keys, so that neighbours meet on one page.
    let sorted = changes.byKey.sorted { $0.key < $1.key }
    for (key, change) in sorted {
      let isStored = change.isStored && !isCleared
      if let value = change.value {
        let bytes = value.stored
        changes.note(size: bytes.count, for: key)
        try statements.set(bytes, of: id, key, sequence: change.sequence, isStored: isStored)
      } else if isStored {
        try statements.remove(key, of: id)
      }
    }
    try statements.describe(id, node, description, count: count)
  }

  /// The changes are in the file.
  func settle() {
    for (key, change) in changes.byKey { cache.keep(change.value, for: key, size: change.size) }
    changes = KeyedChanges()
    committed = (count, passed)
    storedSequence = sequence
    (isKnown, isCleared, formerDescription) = (true, false, nil)
  }

  /// Takes the changes back.
  func revert() {
    changes = KeyedChanges()
    (count, passed) = committed
    isCleared = false
  }
}
