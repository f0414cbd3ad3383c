// A lookup in a large container by name or number costs a walk over it. The second one builds an index of positions, so
// that `.[$i]` in a loop over a large array, or `.[$key]` over a large object, stays linear in total.

import Synchronization

/// An index of one large container: the tape positions of its elements or members.
///
/// `@unchecked`: it is built under the lock of its document's table (`positions`), and only read once it was handed
/// out.
final class ContainerIndex: @unchecked Sendable {
  /// Containers of fewer entries are walked.
  static let threshold = 64

  /// Lookups so far; the second one builds the index.
  var visits = 0
  /// Tape indices of the elements, or of the members' keys.
  private(set) var entries: [UInt32] = []
  /// Open addressing over `entries`, for objects: entry number plus one.
  private var slots: [UInt32] = []

  func makeEntries(_ document: TapeDocument, _ index: Int) {
    let isObject = Tape.kind(document.tape[index]) == Tape.object
    let end = Tape.offset(document.tape[index])
    var at = index + 2
    entries.reserveCapacity(document.count(at: index))
    while at < end {
      entries.append(UInt32(at))
      at = Tape.next(document.tape, isObject ? at + 1 : at)
    }
  }

  func makeSlots(_ document: TapeDocument) {
    var size = 16
    while size < entries.count * 2 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for (number, entry) in entries.enumerated() {
      let hash = document.withText(document.tape[Int(entry)]) { hashBytes($0) }
      var slot = Int(hash) & (size - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = UInt32(number + 1)
    }
  }

  func find(_ document: TapeDocument, _ name: ByteView) -> Int {
    let mask = slots.count - 1
    var slot = Int(hashBytes(name)) & mask
    while slots[slot] != 0 {
      let key = Int(entries[Int(slots[slot]) - 1])
      if document.keyMatches(document.tape[key], name) { return key + 1 }
      slot = (slot + 1) & mask
    }
    return -1
  }
}

extension TapeDocument {
  private func largeContainer(_ index: Int) -> ContainerIndex? {
    positions.withLock { table in
      positionsFence.receive()
      defer { positionsFence.release() }
      if let known = table[UInt32(index)] {
        known.visits += 1
        if known.visits == 2 {
          known.makeEntries(self, index)
          if Tape.kind(tape[index]) == Tape.object { known.makeSlots(self) }
        }
        return known.visits >= 2 ? known : nil
      }
      table[UInt32(index)] = ContainerIndex()
      return nil
    }
  }

  @inline(never)
  func findInLarge(_ name: ByteView, _ index: Int) -> Int {
    if let table = largeContainer(index) { return table.find(self, name) }
    let end = Tape.offset(tape[index])
    var at = index + 2
    while at < end {
      if keyMatches(tape[at], name) { return at + 1 }
      at = Tape.next(tape, at + 1)
    }
    return -1
  }

  /// The tape index of an array's element, or -1.
  @inline(__always)
  func element(_ number: Int, in index: Int) -> Int {
    let count = count(at: index)
    guard number >= 0, number < count else { return -1 }
    // Every element one word: no walk needed.
    if Tape.offset(tape[index]) - index - 2 == count { return index + 2 + number }
    if number > ContainerIndex.threshold, let table = largeContainer(index) {
      return Int(table.entries[number])
    }
    var at = index + 2
    for _ in 0..<number { at = Tape.next(tape, at) }
    return at
  }
}
