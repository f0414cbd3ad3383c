import JSON
import Engine
import Language
import Store

/// The rows of a source as they were last seen, by key, as bytes: a value is read again only when its bytes differ.
final class Snapshot {
  enum Finding {
    case new, same, full
    /// Other bytes, though they may say the same in other words: members in another order, 1.0 for 1.
    case other(before: Value)
  }

  let source: String
  /// Whether a whole poll has been seen.
  private(set) var hasBaseline: Bool
  private let rows: any SnapshotRows
  private let baseline: NodeCell<Bool>?
  private let writer = Writer(.compact)
  private let keyBytes = Output()
  private let valueBytes = Output()

  /// In memory only.
  init(source: String) {
    self.source = source
    rows = MemoryRows()
    hasBaseline = false
    baseline = nil
  }

  /// As the last run has left it.
  init(source: String, _ table: KeyedTable, _ baseline: NodeCell<Bool>) {
    self.source = source
    rows = KeptRows(table)
    self.baseline = baseline
    hasBaseline = baseline.value ?? false
  }

  /// Notes a row, and tells how it compares with what was noted before.
  func note(_ key: Value, _ value: Value, bound: Int, isOfPoll: Bool) -> Finding {
    keyBytes.removeAll()
    writer.write(key, to: keyBytes)
    valueBytes.removeAll()
    writer.write(value, to: valueBytes)
    return keyBytes.withBytes { key in
      valueBytes.withBytes { rows.note(key, $0, bound: bound, isOfPoll: isOfPoll) }
    }
  }

  /// Ends a poll of which a part is missing: what it did not have may be there still, and is kept.
  func endIncompletePoll() {
    rows.endRound()
    setBaseline()
  }

  /// Takes out what the poll did not have, in the order of the keys.
  func endPoll() -> [(key: Value, before: Value)] {
    let gone = rows.takeUnseen().map { (key: Snapshot.read($0.key), before: Snapshot.read($0.value)) }
    rows.endRound()
    return gone.sorted { Value.order($0.key, $1.key) < 0 }
  }

  func setBaseline() {
    if hasBaseline { return }
    hasBaseline = true
    baseline?.set(true)
  }

  /// What was written here can be read.
  static func read(_ bytes: [UInt8]) -> Value { (try? Value.parse(bytes)) ?? .null }

  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Value { (try? Value.parse(bytes)) ?? .null }
}
