import Synchronization

/// The shape of an object: its names in order of insertion, with a hash table once there are more than a few.
///
/// A program that makes `{a, b}` for each record makes one shape and shares it between all of them.
///
/// `@unchecked`: a shape changes only while its owner holds the only reference, and never if it was made to be shared (see
/// `ensureOwnShape`), so threads that share one only read it.
public final class Shape: @unchecked Sendable {
  private(set) var keys: [Key]
  /// The number of names in use; `keys` also has those that were removed.
  private(set) var live: Int
  /// Open addressing: the hash and, below it, the key's number plus one; or 0.
  ///
  /// Empty while the names are few. Comparing the hash here first saves a look at each colliding key.
  private var slots: [UInt64] = []
  private var removed: [Bool] = []
  /// The names as JSON text, for a shape that many objects share: it never changes.
  let written: WrittenNames?

  private static let linearLimit = 8

  /// A shape of distinct names; with `isShared`, the names are also prepared for writing.
  public init(_ keys: [Key], isShared: Bool = false) {
    self.keys = keys
    live = keys.count
    written = isShared ? WrittenNames(keys) : nil
    if keys.count > Shape.linearLimit { makeSlots(for: keys.count) }
  }

  init(copying other: Shape) {
    written = nil
    keys = other.keys
    live = other.live
    slots = other.slots
    removed = other.removed
  }

  private func makeSlots(for count: Int) {
    var size = 32
    while size < count * 2 { size *= 2 }
    slots = [UInt64](repeating: 0, count: size)
    for number in keys.indices where !isRemoved(number) { insertSlot(number) }
  }

  private func insertSlot(_ number: Int) {
    let mask = slots.count - 1
    let hash = keys[number].hash
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt64(hash) << 32 | UInt64(number + 1)
  }

  @inline(__always)
  var hasRemoved: Bool { !removed.isEmpty }

  @inline(__always)
  func isRemoved(_ number: Int) -> Bool { !removed.isEmpty && removed[number] }

  /// The place of a name, or -1.
  @inline(__always)
  func find(_ key: Key) -> Int {
    if slots.isEmpty {
      for number in 0..<keys.count where keys[number] == key && !isRemoved(number) { return number }
      return -1
    }
    return findSlot(key)
  }

  private func findSlot(_ key: Key) -> Int {
    let mask = slots.count - 1
    var slot = Int(key.hash) & mask
    while slots[slot] != 0 {
      let entry = slots[slot]
      if UInt32(truncatingIfNeeded: entry >> 32) == key.hash {
        let number = Int(UInt32(truncatingIfNeeded: entry)) - 1
        if keys[number] == key && !isRemoved(number) { return number }
      }
      slot = (slot + 1) & mask
    }
    return -1
  }

  @inline(__always)
  func find(_ key: Key, hint: inout Int) -> Int {
    if hint >= 0, hint < keys.count, keys[hint] == key, !isRemoved(hint) { return hint }
    let found = find(key)
    if found >= 0 { hint = found }
    return found
  }

  /// Whether the name at an index, which may be out of range, is this one.
  @inline(__always)
  func isName(_ text: ByteView, at place: Int) -> Bool {
    guard place < keys.count, !isRemoved(place) else { return false }
    return keys[place].bytes.withUnsafeBufferPointer { sameBytes($0, text) }
  }

  /// Adds a new name.
  func append(_ key: Key) {
    keys.append(key)
    live += 1
    if !removed.isEmpty { removed.append(false) }
    if slots.isEmpty {
      if keys.count > Shape.linearLimit { makeSlots(for: keys.count) }
    } else if keys.count * 2 > slots.count {
      makeSlots(for: keys.count)
    } else {
      insertSlot(keys.count - 1)
    }
  }

  /// Removes a name and leaves a gap; true when gaps outnumber names and the owner should close them.
  func remove(_ number: Int) -> Bool {
    if removed.isEmpty { removed = [Bool](repeating: false, count: keys.count) }
    removed[number] = true
    live -= 1
    return keys.count > 8 && live * 2 < keys.count
  }

  /// The indices in use, to make a new shape without gaps.
  var livePlaces: [Int] { keys.indices.filter { !isRemoved($0) } }
}

/// The names of an object as JSON text, `"name":` each, in memory that is read without reference counting.
final class WrittenNames: Sendable {
  /// Written when it is made, and only read from then on.
  private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<UInt8>
  private nonisolated(unsafe) let ends: UnsafeMutableBufferPointer<Int>

  @inline(__always)
  var count: Int { ends.count }

  init(_ keys: [Key]) {
    let output = Output()
    ends = .allocate(capacity: keys.count)
    for (number, key) in keys.enumerated() {
      output.putKey(key)
      output.put(0x3a)
      ends.initializeElement(at: number, to: output.bytes.count)
    }
    bytes = .allocate(capacity: output.bytes.count)
    _ = bytes.initialize(from: output.bytes)
  }

  deinit {
    bytes.deallocate()
    ends.deallocate()
  }

  @inline(__always)
  subscript(number: Int) -> ByteView {
    let start = number > 0 ? ends[number - 1] : 0
    return ByteView(rebasing: ByteView(bytes)[start..<ends[number]])
  }

  /// Whether the name at an index, which may be out of range, is this one, which has no escapes.
  @inline(__always)
  func isName(_ name: ByteView, at number: Int) -> Bool {
    guard number >= 0, number < ends.count else { return false }
    let start = number > 0 ? ends[number - 1] : 0
    // With its quotes and the colon.
    guard ends[number] - start == name.count + 3 else { return false }
    guard let text = bytes.baseAddress, let wanted = name.baseAddress else { return true }
    return sameBytes(text + start + 1, wanted, name.count)
  }
}

/// A cache of the shapes of views that were turned into built objects.
///
/// The records of a stream have the same names in the same order, so changing each of them needs one shape, not one per
/// record.
enum ShapeCache {
  private static let slots = Mutex<[Shape?]>([Shape?](repeating: nil, count: 64))
  private static let fence = SanitizerFence()
  /// Larger objects rarely share their names.
  private static let limit = 64

  /// The shape of the object at an index of a document's tape.
  static func shape(_ document: TapeDocument, _ index: Int) -> Shape {
    let count = document.count(at: index)
    guard count > 0, count <= limit else { return make(document, index) }
    let first = document.tape[index + 2]
    let slot = (count &* 7 &+ Tape.length(first)) & 63
    if let known = kept(slot), matches(known, document, index, count) { return known }
    let shape = make(document, index)
    slots.withLock { slots in
      fence.receive()
      slots[slot] = shape
      fence.release()
    }
    return shape
  }

  private static func kept(_ slot: Int) -> Shape? {
    slots.withLock { slots in
      fence.receive()
      defer { fence.release() }
      return slots[slot]
    }
  }

  private static func matches(_ shape: Shape, _ document: TapeDocument, _ index: Int, _ count: Int) -> Bool {
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

  private static func make(_ document: TapeDocument, _ index: Int) -> Shape {
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

extension TapeDocument {
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
