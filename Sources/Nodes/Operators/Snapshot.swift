import JSON
import Pipeline

/// The rows of a source as they were last seen, by key, as bytes: a value is read again only when its bytes differ.
final class Snapshot {
  enum Finding {
    case new, same, full
    case other(before: Value)
  }

  let source: String
  /// Whether a whole poll has been seen.
  var hasBaseline = false
  private var table = ByteTable()
  private let writer = Writer(.compact)
  private let keyBytes = Output()
  private let valueBytes = Output()
  /// The present poll; entries carry the number of the one they were last seen in.
  private var round: UInt32 = 0

  init(source: String) { self.source = source }

  /// Notes a row, and tells how it compares with what was noted before.
  func note(_ key: Value, _ value: Value, bound: Int) -> Finding {
    keyBytes.removeAll()
    writer.write(key, to: keyBytes)
    valueBytes.removeAll()
    writer.write(value, to: valueBytes)
    return keyBytes.withBytes { key in
      valueBytes.withBytes { bytes in
        guard let entry = table.find(key) else {
          if table.count >= bound { return .full }
          table.insert(key, bytes, mark: round)
          return .new
        }
        if ByteTable.equal(entry.value, bytes) {
          entry.mark = round
          return .same
        }
        let before = Snapshot.read(entry.value)
        table.update(entry, bytes, mark: round)
        // The same value in other words: members in another order, 1.0 for 1.
        return before == value ? .same : .other(before: before)
      }
    }
  }

  /// Ends a poll of which a part is missing: what it did not have may be there still, and is kept.
  func endTornPoll() {
    let round = round
    table.forEach { entry in entry.mark = round }
    self.round &+= 1
  }

  /// Takes out what the poll did not have, in the order of the keys.
  func endPoll() -> [(key: Value, before: Value)] {
    var gone: [(key: Value, before: Value)] = []
    let round = round
    table.forEach { entry in
      if entry.mark != round { gone.append((Snapshot.read(entry.key), Snapshot.read(entry.value))) }
    }
    for row in gone {
      keyBytes.removeAll()
      writer.write(row.key, to: keyBytes)
      keyBytes.withBytes { key in
        if let entry = table.find(key) { table.remove(entry) }
      }
    }
    table.packIfWasteful()
    self.round &+= 1
    return gone.sorted { Value.order($0.key, $1.key) < 0 }
  }

  /// What was written here can be read.
  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Value {
    (try? Value.parse(bytes)) ?? .null
  }
}
