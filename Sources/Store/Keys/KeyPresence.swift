/// Which keys the file has, as of the last commit, as far as memory can answer that.
///
/// If the table was empty when it was opened, a Bloom filter rules out most missing keys. After enough look-ups in the
/// file, reading all keys is cheaper than going on: then every look-up reads one slice of keys into a set of fingerprints,
/// so that no single look-up takes long. Once all are read, the file is asked for values only.
struct KeyPresence {
  /// How many keys one look-up reads.
  static let slice = 256
  /// Preloads keys after one look-up for each so many of them.
  private static let keysPerLookUp = 2048
  private static let fewestLookUps = 64

  private var filter: KeyFilter?
  private var known: KeyFingerprints?
  /// The keys still to be read, in the file's order; nil once all are read.
  private var rest: Rest?
  private var lookUps = 0
  private let limit: Int

  enum Rest {
    case all
    case after([UInt8])
  }

  /// The next keys to read from the file, and the set that they go into.
  struct Slice {
    let keys: KeyFingerprints
    let rest: Rest
  }

  init(isEmpty: Bool, bytes: Int) {
    limit = bytes
    if isEmpty { filter = KeyFilter() }
  }

  /// Whether there is a set of fingerprints, complete or not.
  var areKnown: Bool { known != nil }

  /// Whether the file has a key; nil if only the file can answer that.
  func has(_ key: StateKey) -> Bool? {
    if let known {
      if known.contains(key) { return true }
      if rest == nil { return false }
    }
    if let filter, !filter.mayHave(key.hash) { return false }
    return nil
  }

  /// Counts a look-up in the file, which has `count` keys; true when it is time to begin reading them all.
  mutating func noteLookUp(isThere: Bool, count: Int) -> Bool {
    // The filter already keeps most missing keys away from the file.
    if filter != nil, !isThere { return false }
    lookUps += 1
    return known == nil && count > 0 && lookUps >= Self.fewestLookUps && lookUps * Self.keysPerLookUp >= count
      && KeyFingerprints.bytes(forRoom: count) <= limit
  }

  /// Begins reading all keys, `count` of them.
  mutating func begin(count: Int) {
    known = KeyFingerprints(room: count)
    rest = .all
  }

  /// The slice that the next look-up reads.
  var slice: Slice? {
    guard let known, let rest else { return nil }
    return Slice(keys: known, rest: rest)
  }

  /// Notes the last key of the slice that was read; nil at the end.
  mutating func noteSlice(last: [UInt8]?) {
    rest = last.map { .after($0) }
    if last == nil { filter = nil }
  }

  /// Drops the set; for good if the keys could not be read.
  mutating func forget(forGood: Bool) { (known, rest, lookUps) = (nil, nil, forGood ? .min : 0) }

  /// Applies what a commit has changed, and whether it removed all keys first.
  mutating func note(_ changes: KeyedChanges, isCleared: Bool) {
    if isCleared { self = KeyPresence(isEmpty: true, bytes: limit) }
    if let known { note(changes, in: known) }
    noteInFilter(changes, isCleared: isCleared)
  }

  private mutating func note(_ changes: KeyedChanges, in known: KeyFingerprints) {
    changes.forEachCurrent(within: .max) { entry, _ in
      if entry.isNothing { known.remove(entry.key) } else if !entry.isStored { known.insert(entry.key) }
    }
    // The keys may be read again, with room for today's number.
    if known.bytes > limit || known.isOutgrown { forget(forGood: false) }
  }

  private mutating func noteInFilter(_ changes: KeyedChanges, isCleared: Bool) {
    guard var noted = filter else { return }
    // Without a second reference, so that the insert does not copy it.
    filter = nil
    var hasRoom = true
    changes.forEachCurrent(within: .max) { entry, _ in
      if hasRoom, isCleared || !entry.isStored { hasRoom = noted.insert(entry.hash) }
    }
    if hasRoom { filter = noted }
  }
}
