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
  private var missing = MissingKey()
  private var keys: StoredKeys
  /// How much memory they take that the file's pages would have.
  private var lentBytes = 0
  /// The file's pages, as long as its keys are read.
  private var ahead: ReadAhead?
  /// Holds what was read last and is too large for the cache.
  private var large = ByteArena()
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
    node: String, description: String, isOrdered: Bool, cacheBytes: Int, keyBytes: Int, freeID: Int64,
    _ database: Database
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
    keys = StoredKeys(isEmpty: count == 0, bytes: keyBytes)
    if let found, found.description != description { formerDescription = found.description }
    sequence = try statements.lastSequence(id)
    storedSequence = sequence
  }

  /// The bytes that wait for the next commit; none only where nothing has changed.
  public var pendingBytes: Int { changes.bytes + (isCleared ? 1 : 0) }

  public func value(for key: [UInt8]) -> [UInt8]? { StateKey.of(key) { content(for: $0)?.bytes } }

  /// Keeps a value, which makes its key the newest.
  public func set(_ value: [UInt8], for key: [UInt8]) {
    StateKey.of(key) { key in
      value.withUnsafeBufferPointer { set(.bytes($0), for: key, isKept: contains(key)) }
    }
  }

  /// What there was under a key that was given a value.
  public enum Replaced {
    case nothing, same
    case other([UInt8])
    /// There is no room for a key more.
    case full
  }

  /// Keeps a value unless it is there already, and as long as there are no more than `bound` keys.
  public func replace(
    _ key: UnsafeBufferPointer<UInt8>, with value: UnsafeBufferPointer<UInt8>, bound: Int
  ) -> Replaced {
    let key = StateKey(key)
    let replaced: Replaced
    switch find(key) {
    case .nothing:
      if count >= bound { return .full }
      replaced = .nothing
    case .bytes(let before):
      if before.isSame(as: value) { return .same }
      replaced = .other(Array(before))
    case .made(let before): replaced = .other(before.stored)
    }
    if case .nothing = replaced {
      set(.bytes(value), for: key, isKept: false)
    } else {
      set(.bytes(value), for: key, isKept: true)
    }
    return replaced
  }

  func set(_ value: KeyedEntries.Found, for key: StateKey, isKept: Bool) {
    if !isKept { count += 1 }
    sequence += 1
    if missing.isIt(key) { missing.forget() }
    changes.set(value, for: key, sequence: sequence, isStored: isKept)
  }

  /// Forgets a key, and hands out what was kept under it.
  @discardableResult
  public func remove(_ key: [UInt8]) -> [UInt8]? { StateKey.of(key) { take($0)?.bytes } }

  func take(_ key: StateKey) -> KeyedContent? {
    guard let value = content(for: key) else { return nil }
    count -= 1
    changes.set(.nothing, for: key, sequence: sequence, isStored: true)
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
  public var oldest: (key: [UInt8], value: [UInt8])? { first.map { ($0.key, $0.value.bytes) } }

  var first: (key: [UInt8], value: KeyedContent)? {
    if !isCleared {
      let stored = reading { () throws(StoreFailure) in
        try statements.first(of: id, after: passed) { [changes] in !changes.contains($0) }
      }
      if let stored = stored ?? nil {
        passed = stored.sequence - 1
        let value = reading { () throws(StoreFailure) in try decode(stored.value, of: stored.key) }
        return value.map { (stored.key, $0) }
      }
      passed = storedSequence
    }
    guard let (key, value) = changes.oldest() else { return nil }
    return value.content.map { (Array(key.bytes), $0) }
  }

  /// Calls `body` for each key, the one written longest ago first.
  ///
  /// It sees none of what `body` changes. No commit until it is done.
  public func forEach(_ body: ([UInt8], [UInt8]) -> Void) { forEachContent { body($0, $1.bytes) } }

  func forEachContent(_ body: ([UInt8], KeyedContent) -> Void) {
    let changes = changes
    if !isCleared {
      _ = reading { () throws(StoreFailure) in
        try statements.forEach(of: id) { (key, bytes) throws(StoreFailure) in
          if changes.contains(key) { return }
          let key = Array(key.bytes)
          body(key, try decode(bytes, of: key))
        }
      }
    }
    changes.forEach { key, value in
      if let content = value.content { body(Array(key.bytes), content) }
    }
  }

  func content(for key: StateKey) -> KeyedContent? {
    let found = find(key)
    guard decoding != nil, case .bytes(let bytes) = found else { return found.content }
    let made = reading { () throws(StoreFailure) in try decode(Array(bytes), of: Array(key.bytes)) }
    if case .made(let value) = made { cache.keep(.made(value), for: key, size: bytes.count) }
    return made
  }

  /// Whether there is a key, whatever is kept under it.
  func contains(_ key: StateKey) -> Bool {
    let found: KeyedEntries.Found
    if let changed = findChanged(key) {
      found = changed
    } else if let isThere = keys.has(key) {
      return isThere
    } else if let kept = cache.find(key) {
      found = kept
    } else {
      found = read(key)
      readKeys(isThere: !found.isNothing)
    }
    return !found.isNothing
  }

  /// What is kept under a key, where it lies until the next call: of a table whose values are something else in memory,
  /// as bytes until it has been asked what they are.
  private func find(_ key: StateKey) -> KeyedEntries.Found {
    if let changed = findChanged(key) { return changed }
    if keys.has(key) == false { return .nothing }
    return cache.find(key) ?? read(key)
  }

  /// Nil where a key is as it is in the file.
  @inline(__always)
  private func findChanged(_ key: StateKey) -> KeyedEntries.Found? {
    if let changed = changes.find(key) { return changed }
    return isCleared || committed.count == 0 || missing.isIt(key) ? .nothing : nil
  }

  private func read(_ key: StateKey) -> KeyedEntries.Found {
    let found = reading { () throws(StoreFailure) in
      try statements.value(of: id, key) { (bytes) throws(StoreFailure) in keep(bytes, for: key) }
    }
    // Nothing is known of a key whose read has failed.
    if case .some(nil) = found {
      missing.withKey { cache.keep(.nothing, for: $0, size: 0) }
      missing.note(key)
    }
    return found.flatMap { $0 } ?? .nothing
  }

  /// Reads more of the file's keys, where that pays.
  private func readKeys(isThere: Bool) {
    if keys.noteLookUp(isThere: isThere, count: committed.count) {
      lentBytes = KnownKeys.bytes(forRoom: committed.count)
      database.lend(lentBytes)
      keys.begin(count: committed.count)
      ahead = ReadAhead(of: database.path, atMost: committed.count * 200)
    }
    guard let slice = keys.slice else { return }
    if ahead?.next() == false { ahead = nil }
    do throws(StoreFailure) {
      try database.startReading()
      let last = try statements.read(slice, of: id)
      keys.noteSlice(last: last)
    } catch {
      // Nobody has asked for these: who does will be told.
      keys.forget(forGood: true)
    }
  }

  /// Keeps what was read, and answers it where it lies then.
  private func keep(_ bytes: UnsafeBufferPointer<UInt8>, for key: StateKey) -> KeyedEntries.Found {
    if let kept = cache.keep(.bytes(bytes), for: key, size: bytes.count) { return kept }
    large = ByteArena()
    return .bytes(UnsafeBufferPointer(start: large.add(bytes), count: bytes.count))
  }

  private func decode(_ bytes: [UInt8], of key: [UInt8]) throws(StoreFailure) -> KeyedContent {
    guard let decoding else { return .bytes(bytes) }
    if let content = decoding(bytes) { return content }
    throw StoreFailure(
      database.path, .corrupt,
      "what \(node) keeps under \(String(decoding: key.prefix(80), as: UTF8.self)) is not what it wrote"
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
    for number in changes.numbersInKeyOrder() {
      let change = changes.entries[number]
      let isStored = change.isStored && !isCleared
      switch changes.entries.found(number) {
      case .nothing: if isStored { try statements.remove(change.key, of: id) }
      case .bytes(let bytes): try write(bytes, change, isStored: isStored)
      case .made(let value):
        let bytes = value.stored
        changes.note(size: bytes.count, of: number)
        try bytes.withUnsafeBufferPointer { (bytes) throws(StoreFailure) in
          try write(bytes, change, isStored: isStored)
        }
      }
    }
    // What is told of the node takes a page of its own.
    if !isTold || count != committed.count { try statements.describe(id, node, description, count: count) }
  }

  private func write(
    _ bytes: UnsafeBufferPointer<UInt8>, _ change: KeyedEntries.Entry, isStored: Bool
  ) throws(StoreFailure) {
    let sequence = isOrdered ? change.sequence : 0
    try statements.set(bytes, of: id, change.key, sequence: sequence, isStored: isStored)
  }

  /// The changes are in the file.
  func settle() {
    // Of more than there is room for, the newest are kept, rather than each for a moment.
    if changes.bytes > cache.limit { cache.removeAll() }
    changes.forEachCurrent(within: cache.limit) { cache.keep($1, for: $0.key, size: $0.size) }
    keys.note(changes, isCleared: isCleared)
    if lentBytes > 0, !keys.areKnown {
      database.lend(-lentBytes)
      lentBytes = 0
    }
    missing.forget()
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
