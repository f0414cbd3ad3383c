import Synchronization

/// Shapes of objects that were views before something changed them.
///
/// The records of a stream have the same names in the same order, so that changing each of them needs one shape, not
/// one a record.
enum ShapeCache {
  private static let slots = Mutex<[Shape?]>([Shape?](repeating: nil, count: 64))
  private static let handover = Handover()
  /// Larger objects have names of their own.
  private static let limit = 64

  /// The shape of the object at an index of a document's tape.
  static func shape(_ document: Document, _ index: Int) -> Shape {
    let count = document.count(at: index)
    guard count > 0, count <= limit else { return make(document, index) }
    let first = document.tape[index + 2]
    let slot = (count &* 7 &+ Tape.length(first)) & 63
    if let known = kept(slot), matches(known, document, index, count) { return known }
    let shape = make(document, index)
    slots.withLock { slots in
      handover.receive()
      slots[slot] = shape
      handover.release()
    }
    return shape
  }

  private static func kept(_ slot: Int) -> Shape? {
    slots.withLock { slots in
      handover.receive()
      defer { handover.release() }
      return slots[slot]
    }
  }

  private static func matches(_ shape: Shape, _ document: Document, _ index: Int, _ count: Int) -> Bool {
    guard shape.keys.count == count else { return false }
    var at = index + 2
    for key in shape.keys {
      guard key.bytes.withUnsafeBufferPointer({ document.keyMatches(document.tape[at], $0) }) else {
        return false
      }
      at = Tape.next(document.tape, at + 1)
    }
    return true
  }

  private static func make(_ document: Document, _ index: Int) -> Shape {
    var keys: [Key] = []
    keys.reserveCapacity(document.count(at: index) + 1)
    let end = Tape.offset(document.tape[index])
    var at = index + 2
    while at < end {
      keys.append(document.withText(document.tape[at]) { Key($0) })
      at = Tape.next(document.tape, at + 1)
    }
    return Shape(keys)
  }
}

extension Document {
  /// The values of the object at an index, in order.
  func memberValues(at index: Int) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count(at: index) + 1)
    let end = Tape.offset(tape[index])
    var at = index + 2
    while at < end {
      values.append(.view(self, UInt32(truncatingIfNeeded: at + 1)))
      at = Tape.next(tape, at + 1)
    }
    return values
  }
}
