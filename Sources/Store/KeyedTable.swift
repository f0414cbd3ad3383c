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

  /// What is made of bytes that are read, where values are something else in memory; it answers nil where they cannot
  /// be.
  var decoding: (([UInt8]) -> KeyedContent?)?

  private let description: String
  private let isOrdered: Bool
  private let database: Database
  private let id: Int64
  private let statements: KeyedStatements
  private var cache: KeyedCache
  private var changes = KeyedChanges()
  /// The key that was last looked for in the file in vain and has not been set since.
  ///
  /// Most that are missing are set at once, and need no place in the cache.
  private var missing: StateKey?
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
    set(.bytes(value), for: key, isKept: contains(key))
  }

  /// The same for who has just looked whether there is one.
  public func set(_ value: [UInt8], for key: [UInt8], isKept: Bool) {
    set(.bytes(value), for: StateKey(key), isKept: isKept)
  }

  func set(_ value: KeyedContent, for key: StateKey, isKept: Bool) {
    if !isKept { count += 1 }
    sequence += 1
    if missing == key { missing = nil }
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
    if count == 0, changes.isEmpty { return }
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
        try statements.first(of: id, after: passed) { [changes] in !changes.contains($0) }
      }
      if let stored = stored ?? nil {
        passed = stored.sequence - 1
        let value = reading { () throws(StoreFailure) in try decode(stored.value, of: stored.key, decoding) }
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
          if !changes.contains(key) { body(key, try decode(bytes, of: key, decoding)) }
        }
      }
    }
    changes.forEach(body)
  }

  func content(for key: StateKey) -> KeyedContent? {
    let content = find(key, isDecoded: true)
    guard let decoding, case .bytes(let bytes)? = content else { return content }
    // It was looked for before, and nobody asked what it is.
    let made = reading { () throws(StoreFailure) in try decode(bytes, of: key, decoding) }
    if let made { cache.keep(made, for: key, size: bytes.count) }
    return made
  }

  /// Whether there is a key, whatever is kept under it.
  func contains(_ key: StateKey) -> Bool { find(key, isDecoded: false) != nil }

  /// What is kept under a key: as bytes, where it need not be decoded and has not been.
  private func find(_ key: StateKey, isDecoded: Bool) -> KeyedContent? {
    if let changed = changes.value(for: key) { return changed }
    if isCleared || committed.count == 0 || missing == key { return nil }
    if let entry = cache.entry(for: key) { return entry }
    let found = reading { () throws(StoreFailure) -> (value: KeyedContent?, size: Int) in
      guard let bytes = try statements.value(of: id, key) else { return (nil, 0) }
      return (try decode(bytes, of: key, isDecoded ? decoding : nil), bytes.count)
    }
    // Nothing is known of a key whose read has failed.
    guard let found else { return nil }
    guard found.value != nil else {
      if let missing { cache.keep(nil, for: missing, size: 0) }
      missing = key
      return nil
    }
    cache.keep(found.value, for: key, size: found.size)
    return found.value
  }

  private func decode(
    _ bytes: [UInt8], of key: StateKey, _ decoding: (([UInt8]) -> KeyedContent?)?
  ) throws(StoreFailure) -> KeyedContent {
    guard let decoding else { return .bytes(bytes) }
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
    if isTold, !isCleared, changes.isEmpty { return }
    if isCleared { try statements.clear(id) }
    // In the order of the keys, so that neighbours meet on one page.
    for place in changes.placesInKeyOrder() {
      let change = changes[place]
      let isStored = change.isStored && !isCleared
      if let value = change.value {
        let bytes = value.bytes
        changes.note(size: bytes.count, at: place)
        let sequence = isOrdered ? change.sequence : 0
        try statements.set(bytes, of: id, change.key, sequence: sequence, isStored: isStored)
      } else if isStored {
        try statements.remove(change.key, of: id)
      }
    }
    try statements.describe(id, node, description, count: count)
  }

  /// The changes are in the file.
  func settle() {
    // Of more than there is room for, the newest are kept, rather than each for a moment.
    if changes.bytes > cache.limit { cache.removeAll() }
    changes.forEachCurrent(within: cache.limit) { cache.keep($0.value, for: $0.key, size: $0.size) }
    missing = nil
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
