import Glibc

extension Value {
  /// A copy of the value that keeps no more memory alive than its own.
  ///
  /// A view keeps its whole document alive, which for a file is a chunk of many values. Detach what outlives the turn
  /// it came in: keyed state, windows, snapshots. Values nested deeper than a writer's limit stay as they are.
  public func detach() -> Value {
    guard nesting <= Writer.depthLimit else { return self }
    return withStack(for: nesting) { detachedCopy() } ?? self
  }

  /// Whether values are at least half of the documents that they are in, so that keeping them as they are takes little
  /// more memory than copies would.
  ///
  /// Values of one document are expected one behind the other.
  public static func makeUpDocuments(_ values: [Value]) -> Bool {
    var (kept, whole) = (0, 0)
    var last: TapeDocument?
    for value in values {
      switch value {
      case .null, .bool, .number, .literal, .string: continue
      case .array, .object, .projection: return false
      case .view(let document, let index):
        if document !== last { whole += document.rawCapacity }
        last = document
        if document.isContainer(Int(index)) { kept += document.containerText(at: Int(index)).count }
      }
    }
    return kept * 2 >= whole
  }

  /// Nil where the value contains no view.
  private func detachedCopy() -> Value? {
    switch self {
    case .null, .bool, .number, .literal, .string: return nil
    case .view(let document, let index): return document.detached(Int(index))
    case .array(let storage): return Value.detachedCopy(storage.items).map { .array($0) }
    case .object(let storage):
      return Value.detachedCopy(storage.values).map { .object(ObjectStorage(copying: storage, values: $0)) }
    case .projection(let projection):
      return .object(projection.shape, projection.values.map { $0.detachedCopy() ?? $0 })
    }
  }

  private static func detachedCopy(_ values: [Value]) -> [Value]? {
    var copy: [Value]?
    for (place, value) in values.enumerated() {
      guard let detached = value.detachedCopy() else { continue }
      if copy == nil { copy = values }
      copy?[place] = detached
    }
    return copy
  }
}

extension TapeDocument {
  func detached(_ index: Int) -> Value {
    let word = tape[index]
    switch Tape.kind(word) {
    case Tape.null: return .null
    case Tape.no: return .bool(false)
    case Tape.yes: return .bool(true)
    case Tape.integer, Tape.decimal: return Value.literal(numberText(word)) ?? .number(double(word))
    case Tape.string, Tape.key: return withText(word) { .string($0) }
    default:
      let text = containerText(at: index)
      // A value that makes up most of its document's memory needs no copy, unless it is small and on the heap.
      if text.count * 2 > rawCapacity, !ownsRaw || text.count > KeptMemory.largest {
        return .view(self, UInt32(index))
      }
      let copy = TapeDocument(keeping: text.count, behind: Tape.offset(word) - index)
      copy.depth = depth
      copy.append(self, index)
      copy.pad()
      return .view(copy, 0)
    }
  }

  /// Appends a container of another document to one with room for it.
  func append(_ other: TapeDocument, _ index: Int) {
    let tape = tape
    let text = other.containerText(at: index)
    let end = Tape.offset(other.tape[index])
    // Negative numbers wrap around, and so does the sum.
    let (words, bytes) = (tapeCount - index, rawCount - Int(other.tape[index + 1] >> 32))
    let moved = UInt64(bitPattern: Int64(bytes))
    var at = index
    while at < end {
      let word = other.tape[at]
      if Tape.kind(word) >= Tape.array {
        tape[at + words] = word &+ UInt64(bitPattern: Int64(words))
        tape[at + words + 1] = other.tape[at + 1] &+ (moved << 32 &+ moved)
        at += 2
      } else {
        tape[at + words] = word &+ moved
        at += 1
      }
    }
    tapeCount += end - index
    if let base = text.baseAddress { memcpy(raw + rawCount, base, text.count) }
    rawCount += text.count
  }
}

// MARK: - The state of a fold

// A view keeps its whole chunk of a stream alive, so a state of a thousand small texts from a thousand chunks would
// keep them all. A value added to a container that has grown is therefore copied out of its chunk. Small containers
// hold few chunks by themselves, and are searched for views when they are added to a large one.

extension Value {
  /// Containers from this size on may be the state of a fold.
  static let stateSize = 16

  /// The value without views that keep much more memory alive than they show, for a container of `count` entries.
  @inline(__always)
  func compacted(inContainerOf count: Int) -> Value {
    guard count >= Value.stateSize else { return self }
    switch self {
    case .view, .array, .object, .projection: return compacted(0)
    default: return self
    }
  }

  private func compacted(_ level: Int) -> Value {
    switch self {
    case .view(let document, let index): return document.compacted(Int(index)) ?? self
    case .array(let storage):
      guard level < 4, let items = Value.compacted(storage.items, level) else { return self }
      return .array(items)
    case .object(let storage):
      guard level < 4, let values = Value.compacted(storage.values, level) else { return self }
      return .object(ObjectStorage(copying: storage, values: values))
    case .projection(let projection):
      guard level < 4, let values = Value.compacted(projection.values, level) else { return self }
      return .object(projection.shape, values)
    default: return self
    }
  }

  /// Nil where nothing changes.
  ///
  /// A large container compacted each value when it was added, so it is not searched again.
  private static func compacted(_ values: [Value], _ level: Int) -> [Value]? {
    guard values.count <= stateSize, values.contains(where: \.mayShrink) else { return nil }
    return values.map { $0.compacted(level + 1) }
  }

  private var mayShrink: Bool {
    switch self {
    case .view(let document, _): document.holdsOthers
    case .array, .object, .projection: true
    default: false
    }
  }
}

extension TapeDocument {
  /// Whether a value may be one of many: a chunk has many roots, and an event that waited is kept without any.
  fileprivate var holdsOthers: Bool { roots.count > 1 || !ownsRaw }

  /// A copy of a value that is a small part of a chunk or of an event; nil where keeping that costs little more.
  fileprivate func compacted(_ index: Int) -> Value? {
    guard holdsOthers else { return nil }
    if isContainer(index), containerText(at: index).count * 8 > rawCount { return nil }
    return detached(index)
  }
}
