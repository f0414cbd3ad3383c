import Glibc

extension Value {
  /// The same value holding no more memory than its own.
  ///
  /// A view holds its whole document, which for a file is a chunk of many values. Call this on what outlives the turn
  /// it came in: keyed state, windows, snapshots. Values nested deeper than any writer goes stay as they are.
  public func detach() -> Value {
    guard nesting <= Writer.depthLimit else { return self }
    return withStack(for: nesting) { detachedCopy() } ?? self
  }

  /// Nil where nothing beneath is a view.
  private func detachedCopy() -> Value? {
    switch self {
    case .null, .bool, .number, .literal, .string: return nil
    case .view(let document, let index): return document.detached(Int(index))
    case .array(let storage): return Value.detachedCopy(storage.items).map { .array($0) }
    case .object(let storage):
      return Value.detachedCopy(storage.values).map { .object(ObjectStorage(copying: storage, values: $0)) }
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

extension Document {
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
      let end = Tape.offset(word)
      // A value that makes up most of its document needs no copy.
      if text.count * 2 > rawCount { return .view(self, UInt32(index)) }
      return .view(copy(text, index..<end), 0)
    }
  }

  private func copy(_ text: ByteView, _ range: Range<Int>) -> Document {
    let copy = Document(capacity: text.count, tapeCapacity: range.count)
    if let base = text.baseAddress { memcpy(copy.raw, base, text.count) }
    copy.rawCount = text.count
    copy.pad()
    copy.tapeCount = range.count
    copy.depth = depth
    let shift = UInt64(truncatingIfNeeded: containerStart(at: range.lowerBound))
    var at = range.lowerBound
    while at < range.upperBound {
      let word = tape[at]
      let target = at - range.lowerBound
      if Tape.kind(word) >= Tape.array {
        copy.tape[target] = word - UInt64(truncatingIfNeeded: range.lowerBound)
        copy.tape[target + 1] = tape[at + 1] - (shift << 32 | shift)
        at += 2
      } else {
        copy.tape[target] = word - shift
        at += 1
      }
    }
    return copy
  }

  private func containerStart(at index: Int) -> Int { Int(tape[index + 1] >> 32) }
}
