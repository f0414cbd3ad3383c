/// The keyed state of one node: values by key, in the order in which they were last written.
///
/// Changes collect in memory; the next commit writes them in its transaction. Unchanged entries are read from the
/// file on demand and cached within `cacheBytes`, so that only the disk limits the number of keys. A key or a value may
/// have up to 10⁹ bytes; key and value of up to about 900 bytes take a cell of a page, larger ones whole pages of 4 KiB.
///
/// No call throws, so that a state machine need not know where its state is. A read that fails returns nothing, and
/// the next commit throws its error and stores nothing.
public final class KeyedTable {
  public let node: String
  /// The description that the state was written with, a key expression say, if it differs from today's.
  public private(set) var formerDescription: String?
  /// The number of keys, uncommitted changes included.
  public private(set) var count: Int

  /// Decodes bytes from the file, in a typed table; nil for bytes that no value encodes to.
  var decoding: (([UInt8]) -> KeyedContent?)?

  private let description: String
  private let isOrdered: Bool
  private let database: Database
  private let id: Int64
  private let statements: KeyedStatements
  private var cache: KeyedCache
  private var changes = KeyedChanges()
  private var lastMiss = LastMiss()
  private var keys: KeyPresence
  /// How much smaller SQLite's page cache is because of them.
  private var lentBytes = 0
  /// Reads the file ahead while its keys are read.
  private var ahead: ReadAhead?
  /// Holds the last value that was read and is too large for the cache.
  private var large = ByteArena()
  private var sequence: Int64
  /// No key in the file has a later one.
  private var storedSequence: Int64
  /// All keys of the file up to this one have changed since.
  private var passed: Int64 = .min
  /// How many keys the file has.
  private var storedCount: Int
  private var isKnown: Bool
  private var isCleared = false

  /// The table of a node, with `freeID` if the file has none of it.
  init(
    node: String, description: String, isOrdered: Bool, cacheBytes: Int, keyBytes: Int, freeID: Int64,
    _ database: Database
  ) throws(StoreError) {
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
    storedCount = count
    keys = KeyPresence(isEmpty: count == 0, bytes: keyBytes)
    if let found, found.description != description { formerDescription = found.description }
    sequence = try statements.lastSequence(id)
    storedSequence = sequence
  }

  /// The bytes that wait for the next commit; 0 only without changes.
  public var pendingBytes: Int { changes.bytes + (isCleared ? 1 : 0) }

  public func value(for key: [UInt8]) -> [UInt8]? { StateKey.of(key) { content(for: $0)?.bytes } }

  /// Whether there is a key; cheaper than reading its value.
  public func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool { contains(StateKey(key)) }

  /// Sets a value, which makes its key the newest.
  public func set(_ value: [UInt8], for key: [UInt8]) {
    StateKey.of(key) { key in
      value.withUnsafeBufferPointer { set(.bytes($0), for: key, isStored: contains(key)) }
    }
  }

  /// The former value of a key that was set.
  public enum Replaced {
    case nothing, same
    case other([UInt8])
    /// The table has no room for another key.
    case full
  }

  /// Sets a value unless the key has it already, and unless that would make more than `bound` keys.
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
      set(.bytes(value), for: key, isStored: false)
    } else {
      set(.bytes(value), for: key, isStored: true)
    }
    return replaced
  }

  func set(_ value: KeyedEntries.Found, for key: StateKey, isStored: Bool) {
    if !isStored { count += 1 }
    sequence += 1
    if lastMiss.isIt(key) { lastMiss.forget() }
    changes.set(value, for: key, sequence: sequence, isStored: isStored)
  }

  /// Removes a key; returns its value.
  @discardableResult
  public func remove(_ key: [UInt8]) -> [UInt8]? { StateKey.of(key) { take($0)?.bytes } }

  func take(_ key: StateKey) -> KeyedContent? {
    guard let value = content(for: key) else { return nil }
    count -= 1
    changes.set(.nothing, for: key, sequence: sequence, isStored: true)
    return value
  }

  /// Removes a key that is there, without reading its value.
  public func discard(_ key: [UInt8]) {
    StateKey.of(key) { changes.set(.nothing, for: $0, sequence: sequence, isStored: true) }
    count -= 1
  }

  /// Removes every key.
  public func removeAll() {
    if count == 0, changes.isEmpty { return }
    changes = KeyedChanges()
    cache.removeAll()
    count = 0
    // What never reached the file leaves nothing to commit.
    isCleared = isCleared || storedCount > 0
  }

  /// The key that was written longest ago, in an ordered table.
  public var oldest: (key: [UInt8], value: [UInt8])? { first.map { ($0.key, $0.value.bytes) } }

  var first: (key: [UInt8], value: KeyedContent)? {
    if !isCleared {
      let stored = reading { () throws(StoreError) in
        try statements.first(of: id, after: passed) { [changes] in !changes.contains($0) }
      }
      if let stored = stored ?? nil {
        passed = stored.sequence - 1
        let value = reading { () throws(StoreError) in try decode(stored.value, of: stored.key) }
        return value.map { (stored.key, $0) }
      }
      passed = storedSequence
    }
    guard let (key, value) = changes.oldest() else { return nil }
    return value.content.map { (Array(key.bytes), $0) }
  }

  /// Calls `body` for each key, the one written longest ago first.
  ///
  /// Changes that `body` makes are not visited. It must not commit.
  public func forEach(_ body: ([UInt8], [UInt8]) -> Void) { forEachContent { body($0, $1.bytes) } }

  func forEachContent(_ body: ([UInt8], KeyedContent) -> Void) {
    let changes = changes
    if !isCleared {
      _ = reading { () throws(StoreError) in
        try statements.forEach(of: id) { (key, bytes) throws(StoreError) in
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

  /// The keys in the file that begin with this byte or a later one, and have not changed since the last commit.
  public func keys(from first: UInt8) -> [[UInt8]] {
    if isCleared || storedCount == 0 { return [] }
    let stored = reading { () throws(StoreError) in try statements.keys(of: id, from: first) } ?? []
    return stored.filter { key in StateKey.of(key) { !changes.contains($0) } }
  }

  func content(for key: StateKey) -> KeyedContent? {
    let found = find(key)
    guard decoding != nil, case .bytes(let bytes) = found else { return found.content }
    let made = reading { () throws(StoreError) in try decode(Array(bytes), of: Array(key.bytes)) }
    if case .made(let value) = made { cache.insert(.made(value), for: key, size: bytes.count) }
    return made
  }

  /// Whether there is a key.
  func contains(_ key: StateKey) -> Bool {
    let found: KeyedEntries.Found
    if let changed = findChanged(key) {
      found = changed
    } else if let isThere = keys.has(key) {
      return isThere
    } else if let cached = cache.find(key) {
      found = cached
    } else {
      found = read(key)
      readKeys(isThere: !found.isNothing)
    }
    return !found.isNothing
  }

  /// The value of a key where it is stored until the next call; in a typed table encoded until it is first decoded.
  private func find(_ key: StateKey) -> KeyedEntries.Found {
    if let changed = findChanged(key) { return changed }
    if keys.has(key) == false { return .nothing }
    return cache.find(key) ?? read(key)
  }

  /// The value of a key that memory knows for certain; nil if the cache or the file has to answer.
  @inline(__always)
  private func findChanged(_ key: StateKey) -> KeyedEntries.Found? {
    if let changed = changes.find(key) { return changed }
    return isCleared || storedCount == 0 || lastMiss.isIt(key) ? .nothing : nil
  }

  private func read(_ key: StateKey) -> KeyedEntries.Found {
    let found = reading { () throws(StoreError) in
      try statements.value(of: id, key) { (bytes) throws(StoreError) in cached(bytes, for: key) }
    }
    // A failed read says nothing about the key.
    if case .some(nil) = found {
      lastMiss.withKey { cache.insert(.nothing, for: $0, size: 0) }
      lastMiss.note(key)
    }
    return found.flatMap { $0 } ?? .nothing
  }

  /// Reads another slice of the file's keys, once that pays.
  private func readKeys(isThere: Bool) {
    if keys.noteLookUp(isThere: isThere, count: storedCount) {
      lentBytes = KeyFingerprints.bytes(forRoom: storedCount)
      database.access.hold { database.shrinkCache(by: lentBytes) }
      keys.begin(count: storedCount)
      ahead = ReadAhead(of: database.path, atMost: storedCount * 200)
    }
    guard let slice = keys.slice else { return }
    if ahead?.next() == false { ahead = nil }
    do throws(StoreError) {
      let last = try database.access.hold { () throws(StoreError) in
        try database.startReading()
        return try statements.read(slice, of: id)
      }
      keys.noteSlice(last: last)
    } catch {
      // These keys were read ahead: a look-up that needs one reports the error itself.
      keys.forget(forGood: true)
    }
  }

  /// Caches a value that was read; returns it where it is stored.
  private func cached(_ bytes: UnsafeBufferPointer<UInt8>, for key: StateKey) -> KeyedEntries.Found {
    if let cached = cache.insert(.bytes(bytes), for: key, size: bytes.count) { return cached }
    large = ByteArena()
    return .bytes(UnsafeBufferPointer(start: large.add(bytes), count: bytes.count))
  }

  private func decode(_ bytes: [UInt8], of key: [UInt8]) throws(StoreError) -> KeyedContent {
    guard let decoding else { return .bytes(bytes) }
    if let content = decoding(bytes) { return content }
    throw StoreError(
      database.path, .corrupt,
      "what \(node) keeps under \(String(decoding: key.prefix(80), as: UTF8.self)) is not what it wrote; "
        + "if a step of another kind had this name, give this one another, or forget what it kept: "
        + "flow state reset PIPELINE \(node)"
    )
  }

  /// Nil if the read failed, which the next commit reports.
  private func reading<Output>(_ read: () throws(StoreError) -> Output) -> Output? {
    database.access.hold {
      do throws(StoreError) {
        try database.startReading()
        return try read()
      } catch {
        database.noteReadError(error)
        return nil
      }
    }
  }
}

extension KeyedTable {
  /// Writes the changes in the open transaction.
  func write() throws(StoreError) {
    let isDescribed = isKnown && formerDescription == nil
    // A table that has never had a key takes no room.
    if isDescribed || !isKnown && count == 0, !isCleared, changes.isEmpty { return }
    if isCleared { try statements.clear(id) }
    var rows: [KeyedStatements.Row] = []
    // Holds the values of the rows that are encoded only now.
    var encoded = ByteArena()
    // In the order of the keys, so that neighbours share a page.
    for number in changes.numbersInKeyOrder() {
      let change = changes.entries[number]
      let value: UnsafeBufferPointer<UInt8>
      switch changes.entries.found(number) {
      case .nothing:
        if change.isStored, !isCleared { try statements.remove(change.key, of: id) }
        continue
      case .bytes(let bytes): value = bytes
      case .made(let made):
        let bytes = made.stored
        changes.note(size: bytes.count, of: number)
        let start = bytes.withUnsafeBufferPointer { encoded.add($0) }
        value = UnsafeBufferPointer(start: start, count: bytes.count)
      }
      rows.append(.init(key: change.key.bytes, value: value, sequence: isOrdered ? change.sequence : 0))
      if rows.count < KeyedStatements.batchSize, encoded.used < 1 << 20 { continue }
      try statements.set(rows, of: id)
      rows.removeAll(keepingCapacity: true)
      if encoded.used > 0 { encoded = ByteArena() }
    }
    try statements.set(rows, of: id)
    // The node's description costs a page of its own.
    if !isDescribed || count != storedCount { try statements.describe(id, node, description, count: count) }
  }

  /// The commit has succeeded: the changes are in the file.
  func didCommit() {
    // If not all fit, the newest stay, rather than each for a moment.
    if changes.bytes > cache.limit { cache.removeAll() }
    changes.forEachCurrent(within: cache.limit) { cache.insert($1, for: $0.key, size: $0.size) }
    keys.note(changes, isCleared: isCleared)
    if lentBytes > 0, !keys.areKnown {
      database.shrinkCache(by: -lentBytes)
      lentBytes = 0
    }
    lastMiss.forget()
    isKnown = isKnown || count > 0 || !changes.isEmpty
    changes = KeyedChanges()
    storedCount = count
    storedSequence = sequence
    (isCleared, formerDescription) = (false, nil)
  }
}
