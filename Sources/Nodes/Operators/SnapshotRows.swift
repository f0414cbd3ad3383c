import JSON
import Engine
import Language
import Store

/// The storage of a snapshot: its rows, and which of them the present poll has had.
protocol SnapshotRows: AnyObject {
  var count: Int { get }

  /// The key of some row.
  var sampleKey: [UInt8]? { get }

  func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool

  /// Marks a row as one that the present poll has; returns whether it is there and was not marked yet.
  func mark(_ key: UnsafeBufferPointer<UInt8>) -> Bool

  /// Has what is known of a key fetched from memory; returns the key's hash, for `note`.
  func prefetch(_ key: UnsafeBufferPointer<UInt8>) -> UInt64

  /// Compares a row with the one that is there, puts it in its place unless `keeps`, and marks it.
  ///
  /// A row that is not there is added. Rows of a source without polls need no marks: none of them can be missing.
  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ value: UnsafeBufferPointer<UInt8>, bound: Int,
    isOfPoll: Bool, keeps: Bool
  ) -> Snapshot.Finding

  /// Replaces the row of a key that is there.
  func set(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>)

  /// Takes out the rows that the present poll has not had.
  func takeUnseen() -> [(key: [UInt8], value: [UInt8])]

  /// Begins another poll.
  func endRound()
}

/// Rows in memory, packed.
final class MemoryRows: SnapshotRows {
  private var table = ByteTable()
  /// The present poll; entries carry the number of the one they were last seen in.
  private var round: UInt32 = 0

  var count: Int { table.count }

  var sampleKey: [UInt8]? {
    var sample: [UInt8]?
    table.forEach { entry in if sample == nil { sample = Array(entry.key) } }
    return sample
  }

  func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool { table.find(key) != nil }

  func mark(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let entry = table.find(key), entry.mark != round else { return false }
    entry.mark = round
    return true
  }

  func prefetch(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let hash = ByteTable.hash(key)
    table.prefetch(hash)
    return hash
  }

  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ value: UnsafeBufferPointer<UInt8>, bound: Int,
    isOfPoll: Bool, keeps: Bool
  ) -> Snapshot.Finding {
    guard let entry = table.find(key, hash) else {
      if table.count >= bound { return .full }
      table.insert(key, hash, value, mark: round)
      return .new
    }
    if ByteTable.equal(entry.value, value) {
      entry.mark = round
      return .same
    }
    let before = Snapshot.read(entry.value)
    if keeps { entry.mark = round } else { table.update(entry, value, mark: round) }
    return .other(before: before)
  }

  func set(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if let entry = table.find(key) { table.update(entry, value, mark: entry.mark) }
  }

  func takeUnseen() -> [(key: [UInt8], value: [UInt8])] {
    var gone: [(key: [UInt8], value: [UInt8])] = []
    let round = round
    table.forEach { entry in
      if entry.mark != round { gone.append((Array(entry.key), Array(entry.value))) }
    }
    for row in gone {
      row.key.withUnsafeBufferPointer { key in
        if let entry = table.find(key) { table.remove(entry) }
      }
    }
    table.packIfWasteful()
    return gone
  }

  func endRound() { round &+= 1 }
}

/// Rows in the state of the pipeline; those that changed are written with the epoch.
final class KeptRows: SnapshotRows {
  private let table: KeyedTable
  private var seen: Set<[UInt8]> = []
  /// Whether some of these were not in the table: a key that comes twice is refused, and then never is.
  private var hasUnknown = false

  init(_ table: KeyedTable) { self.table = table }

  var count: Int { table.count }

  var sampleKey: [UInt8]? {
    var sample: [UInt8]?
    table.forEach { key, _ in if sample == nil { sample = key } }
    return sample
  }

  func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool { table.contains(key) }

  func mark(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let isKnown = table.contains(key)
    if !isKnown { hasUnknown = true }
    return seen.insert(Array(key)).inserted && isKnown
  }

  /// The table hashes a key itself.
  func prefetch(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 { 0 }

  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ value: UnsafeBufferPointer<UInt8>, bound: Int,
    isOfPoll: Bool, keeps: Bool
  ) -> Snapshot.Finding {
    if isOfPoll { seen.insert(Array(key)) }
    if keeps, let before = table.value(for: Array(key)) {
      return before.elementsEqual(value) ? .same : .other(before: Snapshot.read(before))
    }
    switch table.replace(key, with: value, bound: bound) {
    case .nothing: return .new
    case .same: return .same
    case .full:
      hasUnknown = true
      return .full
    case .other(let before): return .other(before: Snapshot.read(before))
    }
  }

  func set(_ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    table.set(Array(value), for: Array(key))
  }

  func takeUnseen() -> [(key: [UInt8], value: [UInt8])] {
    if seen.count == table.count, !hasUnknown { return [] }
    var gone: [(key: [UInt8], value: [UInt8])] = []
    table.forEach { key, value in
      if !seen.contains(key) { gone.append((key, value)) }
    }
    for row in gone { table.remove(row.key) }
    return gone
  }

  func endRound() {
    seen.removeAll(keepingCapacity: true)
    hasUnknown = false
  }
}

extension KeyedTable {
  /// Gives the keys that earlier versions have stored as they came the form that all keys have now; reads all of them.
  func normalizeKeys() {
    // A text has one form, and texts sort before all else.
    for former in keys(from: UInt8(ascii: "\"") + 1) where !former.allSatisfy({ $0 &- 0x30 < 10 }) {
      let key = Snapshot.read(former).canonicalBytes
      guard key != former, let row = remove(former) else { continue }
      if value(for: key) == nil { set(row, for: key) }
    }
  }
}
