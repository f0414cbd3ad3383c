import JSON
import Engine
import Language
import Store

/// Where the rows of a snapshot are, and which of them the present poll has had.
protocol SnapshotRows: AnyObject {
  /// Puts a row in the place of the one before it; `isOfPoll` where there are polls, that rows may be missing from.
  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, bound: Int, isOfPoll: Bool
  ) -> Snapshot.Finding

  /// Takes out what the present poll has not had.
  func takeUnseen() -> [(key: [UInt8], value: [UInt8])]

  /// Begins another poll.
  func endRound()
}

/// Rows in memory, packed.
final class MemoryRows: SnapshotRows {
  private var table = ByteTable()
  /// The present poll; entries carry the number of the one they were last seen in.
  private var round: UInt32 = 0

  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, bound: Int, isOfPoll: Bool
  ) -> Snapshot.Finding {
    guard let entry = table.find(key) else {
      if table.count >= bound { return .full }
      table.insert(key, value, mark: round)
      return .new
    }
    if ByteTable.equal(entry.value, value) {
      entry.mark = round
      return .same
    }
    let before = Snapshot.read(entry.value)
    table.update(entry, value, mark: round)
    return .other(before: before)
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

  func endRound() {
    let next = round &+ 1
    // What an incomplete poll did not have counts as seen in it.
    table.forEach { entry in entry.mark = next &- 1 }
    round = next
  }
}

/// Rows in the state of the pipeline; what changed is written with the epoch.
final class KeptRows: SnapshotRows {
  private let table: KeyedTable
  private var seen: Set<[UInt8]> = []

  init(_ table: KeyedTable) { self.table = table }

  func note(
    _ key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, bound: Int, isOfPoll: Bool
  ) -> Snapshot.Finding {
    if isOfPoll { seen.insert(Array(key)) }
    return switch table.replace(key, with: value, bound: bound) {
    case .nothing: .new
    case .same: .same
    case .full: .full
    case .other(let before): .other(before: Snapshot.read(before))
    }
  }

  func takeUnseen() -> [(key: [UInt8], value: [UInt8])] {
    if seen.count == table.count { return [] }
    var gone: [(key: [UInt8], value: [UInt8])] = []
    table.forEach { key, value in
      if !seen.contains(key) { gone.append((key, value)) }
    }
    for row in gone { table.remove(row.key) }
    return gone
  }

  func endRound() { seen.removeAll(keepingCapacity: true) }
}
