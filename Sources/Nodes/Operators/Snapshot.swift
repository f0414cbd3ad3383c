import JSON
import Engine
import Language
import Store

/// The snapshot of a source: its rows as they were last accepted, by key.
///
/// Rows are bytes: a value is read again only when its bytes differ.
final class Snapshot {
  enum Finding {
    case new, same, full
    /// Other bytes, though they may have the same meaning: members in another order, 1.0 for 1.
    case other(before: Value)
  }

  let source: String
  private let rows: any SnapshotRows
  private let writer = Writer(.compact)
  private let keyBytes = Output(capacity: 1 << 8)
  private let valueBytes = Output(capacity: 1 << 10)

  /// As the last run has left it, or an earlier version; in memory only without a table.
  init(source: String, _ table: KeyedTable?, isOld: Bool = false) {
    self.source = source
    if isOld { table?.normalizeKeys() }
    rows = table.map { KeptRows($0) } ?? MemoryRows()
  }

  var count: Int { rows.count }

  /// One of its keys; reads all of them.
  var sampleKey: Value? { rows.sampleKey.map { Snapshot.read($0) } }

  func contains(_ key: Value) -> Bool { withBytes(of: key) { rows.contains($0) } }

  /// Marks a row as one that the present poll has; returns whether it is known and was not marked yet.
  func mark(_ key: Value) -> Bool { withBytes(of: key) { rows.mark($0) } }

  /// Compares a row with the one before, and puts it in its place unless `keeps`.
  func note(_ key: Value, _ value: Value, bound: Int, isOfPoll: Bool, keeps: Bool) -> Finding {
    withBytes(of: key) { key in
      let hash = rows.prefetch(key)
      valueBytes.removeAll()
      writer.write(value, to: valueBytes)
      return valueBytes.withBytes { value in
        rows.note(key, hash, value, bound: bound, isOfPoll: isOfPoll, keeps: keeps)
      }
    }
  }

  /// Replaces the row of a known key.
  func set(_ key: Value, _ value: Value) {
    withBytes(of: key) { key in
      valueBytes.removeAll()
      writer.write(value, to: valueBytes)
      valueBytes.withBytes { rows.set(key, $0) }
    }
  }

  /// Takes out the rows that the present poll has not had.
  func takeUnseen() -> [(key: Value, before: Value)] {
    rows.takeUnseen().map { (key: Snapshot.read($0.key), before: Snapshot.read($0.value)) }
  }

  /// Begins another poll.
  func endRound() { rows.endRound() }

  private func withBytes<Result>(of key: Value, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    keyBytes.removeAll()
    writer.write(key.canonical, to: keyBytes)
    return keyBytes.withBytes(body)
  }

  /// Reads bytes that were written here.
  static func read(_ bytes: [UInt8]) -> Value { (try? Value.parse(bytes)) ?? .null }

  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Value { (try? Value.parse(bytes)) ?? .null }
}
