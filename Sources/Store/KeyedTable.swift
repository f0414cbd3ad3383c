/// What one node remembers: bytes under keys of bytes, in the order in which they were last written.
///
/// Changes gather in memory and reach the file in the next commit, in its transaction; until then they can be taken
/// back. What has not changed is read from the file when it is asked for and kept within `cacheBytes`, so that the
/// number of keys is limited by the disk alone. A key or a value may have up to a thousand million bytes; up to about
/// 900 together they cost one place in the file, and more take whole pages of 4 KiB.
///
/// No call throws, so that a state machine need not know where its state is: a read that fails answers as if there
/// were nothing, and the next commit fails with what went wrong and stores nothing.
public final class KeyedTable {
  public let node: String
  /// What the node was when this state was written, where that differs from what it is: a key expression, say.
  public private(set) var formerDescription: String?
  /// How many keys there are, changes included.
  public private(set) var count: Int

  /// What is made of bytes that are read, where values are kept as something else in memory; nil where they cannot be.
  var decoding: ([UInt8]) -> KeyedContent? = { .bytes($0) }

  private let description: String
  private let isOrdered: Bool
  private let database: Database
  private let id: Int64
  private let statements: KeyedStatements
  private var cache: KeyedCache
  private var changes = KeyedChanges()
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
    node: String, description: String, isOrdered: Bool, cacheBytes: Int, freeID: Int64, _ database: Database
  ) throws(StoreFailure) {
    self.node = node
    self.description = description
    self.isOrdered = isOrdered
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

  public func value(for key: [UInt8]) -> [UInt8]? { content(for: StateKey(key))?.bytes }

  /// Keeps a value, which makes its key the newest.
  public func set(_ value: [UInt8], for key: [UInt8]) {
    let key = StateKey(key)
    set(.bytes(value), for: key, isKept: content(for: key) != nil)
  }

  /// The same for who has just looked whether there is one.
  public func set(_ value: [UInt8], for key: [UInt8], isKept: Bool) {
    set(.bytes(value), for: StateKey(key), isKept: isKept)
  }

  func set(_ value: KeyedContent, for key: StateKey, isKept: Bool) {
    if !isKept { count += 1 }
    sequence += 1
    changes.set(value, for: key, sequence: sequence, isStored: isKept)
  }

  /// Forgets a key, and hands out what was kept under it.
  @discardableResult
  public func remove(_ key: [UInt8]) -> [UInt8]? { take(StateKey(key))?.bytes }

  func take(_ key: StateKey) -> KeyedContent? {
    guard let value = content(for: key) else { return nil }
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

  /// The key that was written longest ago; of a table that is ordered.
  public var oldest: (key: [UInt8], value: [UInt8])? { first.map { ($0.key.bytes, $0.value.bytes) } }

  var first: (key: StateKey, value: KeyedContent)? {
    if !isCleared {
      let stored = reading { () throws(StoreFailure) in
        try statements.first(of: id, after: passed) { [changes] in changes[$0] == nil }
      }
      if let stored = stored ?? nil {
        passed = stored.sequence - 1
        let value = reading { () throws(StoreFailure) in try decode(stored.value, of: stored.key) }
        return value.map { (stored.key, $0) }
      }
      passed = storedSequence
    }
    return changes.oldest()
  }

  /// Calls `body` for each key, the one written longest ago first.
  ///
  /// It sees none of what `body` changes. No commit until it is done.
  public func forEach(_ body: ([UInt8], [UInt8]) -> Void) { forEachContent { body($0.bytes, $1.bytes) } }

  func forEachContent(_ body: (StateKey, KeyedContent) -> Void) {
    let changes = changes
    if !isCleared {
      _ = reading { () throws(StoreFailure) in
        try statements.forEach(of: id) { (key, bytes) throws(StoreFailure) in
          if changes[key] == nil { body(key, try decode(bytes, of: key)) }
        }
      }
    }
    changes.forEach(body)
  }

  func content(for key: StateKey) -> KeyedContent? {
    if let change = changes[key] { return change.value }
    if isCleared || committed.count == 0 { return nil }
    if let entry = cache.entry(for: key) { return entry }
    let found = reading { () throws(StoreFailure) in
      let bytes = try statements.value(of: id, key)
      let value = try bytes.map { (bytes) throws(StoreFailure) in try decode(bytes, of: key) }
      return (value: value, size: bytes?.count ?? 0)
    }
    // Nothing is known of a key whose read has failed.
    guard let found else { return nil }
    cache.keep(found.value, for: key, size: found.size)
    return found.value
  }

  private func decode(_ bytes: [UInt8], of key: StateKey) throws(StoreFailure) -> KeyedContent {
    if let content = decoding(bytes) { return content }
    throw StoreFailure(
      database.path, .corrupt,
      "what \(node) keeps under \(String(decoding: key.bytes.prefix(80), as: UTF8.self)) is not what it wrote"
    )
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

extension KeyedTable {
  /// Writes the changes, in the transaction that is open.
  func write() throws(StoreFailure) {
    let isTold = isKnown && formerDescription == nil
    if isTold, !isCleared, changes.byKey.isEmpty { return }
    if isCleared { try statements.clear(id) }
    // In the order of the keys, so that neighbours meet on one page.
    let all = Array(changes.byKey)
    for place in StateKey.order(all.map(\.key)) {
      let (key, change) = all[place]
      let isStored = change.isStored && !isCleared
      if let value = change.value {
        let bytes = value.bytes
        changes.note(size: bytes.count, for: key)
        let sequence = isOrdered ? change.sequence : 0
        try statements.set(bytes, of: id, key, sequence: sequence, isStored: isStored)
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
