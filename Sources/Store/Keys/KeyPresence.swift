/// What is known without the file of which keys it has, as of the last commit.
///
/// Where the file had none when it was opened, a filter tells of most keys that they are not there. And where so many
/// are looked for that to read them all is cheaper than to go on looking, all are read, a slice with each look-up, so
/// that nobody waits long: from then on the file is asked for values alone.
struct StoredKeys {
  /// How many keys are read with each look-up, once they are read.
  static let slice = 256
  /// As long as there was less than one look-up in the file for so many keys, they are not read.
  private static let patience = 2048
  private static let fewestLookUps = 64

  private var filter: KeyFilter?
  private var known: KnownKeys?
  /// Those that are not known yet, in the order in which the file has them; nil where all are.
  private var rest: Rest?
  private var lookUps = 0
  private let limit: Int

  enum Rest {
    case all
    case after([UInt8])
  }

  /// Keys that are to be read from the file.
  struct Slice {
    let keys: KnownKeys
    let rest: Rest
  }

  init(isEmpty: Bool, bytes: Int) {
    limit = bytes
    if isEmpty { filter = KeyFilter() }
  }

  /// Whether keys take memory here, read to the end or not.
  var areKnown: Bool { known != nil }

  /// Whether the file has a key; nil where only the file can tell.
  func has(_ key: StateKey) -> Bool? {
    if let known {
      if known.contains(key) { return true }
      if rest == nil { return false }
    }
    if let filter, !filter.mayHave(key.hash) { return false }
    return nil
  }

  /// Notes that a key was looked for in the file, which has `count`; true where it is time to begin to read them all.
  mutating func noteLookUp(isThere: Bool, count: Int) -> Bool {
    // As long as there is a filter, few that are not there are looked for.
    if filter != nil, !isThere { return false }
    lookUps += 1
    return known == nil && count > 0 && lookUps >= Self.fewestLookUps && lookUps * Self.patience >= count
      && KnownKeys.bytes(forRoom: count) <= limit
  }

  /// Begins to read all keys, of which there are `count`.
  mutating func begin(count: Int) {
    known = KnownKeys(room: count)
    rest = .all
  }

  /// What is to be read with a look-up.
  var slice: Slice? {
    guard let known, let rest else { return nil }
    return Slice(keys: known, rest: rest)
  }

  /// Notes that a slice has been read; nil where there were no more keys.
  mutating func noteSlice(last: [UInt8]?) {
    rest = last.map { .after($0) }
    if last == nil { filter = nil }
  }

  /// Has the file be asked again, for good where keys could not be read.
  mutating func forget(forGood: Bool) { (known, rest, lookUps) = (nil, nil, forGood ? .min : 0) }

  /// Notes what a commit has changed, and whether it has removed all other keys before.
  mutating func note(_ changes: KeyedChanges, isCleared: Bool) {
    if isCleared { self = StoredKeys(isEmpty: true, bytes: limit) }
    if let known { note(changes, in: known) }
    noteInFilter(changes, isCleared: isCleared)
  }

  private mutating func note(_ changes: KeyedChanges, in known: KnownKeys) {
    changes.forEachCurrent(within: .max) { entry, _ in
      if entry.isNothing { known.remove(entry.key) } else if !entry.isStored { known.insert(entry.key) }
    }
    // They may be read anew, with room for as many as there are now.
    if known.bytes > limit || known.isOutgrown { forget(forGood: false) }
  }

  private mutating func noteInFilter(_ changes: KeyedChanges, isCleared: Bool) {
    guard var noted = filter else { return }
    // Or it would be copied.
    filter = nil
    var hasRoom = true
    changes.forEachCurrent(within: .max) { entry, _ in
      if hasRoom, isCleared || !entry.isStored { hasRoom = noted.insert(entry.hash) }
    }
    if hasRoom { filter = noted }
  }
}
