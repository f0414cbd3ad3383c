import Glibc

extension Value {
  /// A copy of an event's value that keeps no more memory alive than its own, in one block.
  ///
  /// As `detach()`, but a container that was built of other values becomes a document as well, where `detach()` copies
  /// each of those. So it remains where the document would have more than 16 MiB of text, since one part may be in a value
  /// many times. A state that is changed again and again is better left as it was built.
  public func packed() -> Value {
    guard case .view = self else {
      var size = PackedSize()
      guard nesting <= PackedSize.deepest, size.add(self), size.hasViews else { return detach() }
      return .view(TapeDocument(packing: self, size), 0)
    }
    return detach()
  }
}

/// The size of a value as a document.
private struct PackedSize {
  static let deepest = 64
  private static let longest = 1 << 24
  private static let most = 16 << 20
  var bytes = 0
  var words = 0
  var hasViews = false

  /// False for what is written with escapes, or takes more than its digits, and as soon as all is too large.
  mutating func add(_ value: Value) -> Bool { addParts(value) && bytes <= PackedSize.most }

  private mutating func addParts(_ value: Value) -> Bool {
    words += 1
    switch value {
    case .null: bytes += 4
    case .bool(let flag): bytes += flag ? 4 : 5
    case .literal(let literal): bytes += literal.text.count
    case .number(let number):
      guard let digits = PackedSize.digits(number) else { return false }
      bytes += digits.utf8.count
    case .string(let text):
      bytes += text.count + 2
      return text.withUnsafeBufferPointer { isPlainText($0) } && text.count < PackedSize.longest
    case .array(let storage):
      begin(storage.items.count)
      return storage.items.allSatisfy { add($0) }
    case .object(let storage):
      begin(storage.values.count)
      if storage.shape.hasRemoved { return false }
      for (place, value) in storage.values.enumerated() {
        guard add(storage.shape.keys[place]), add(value) else { return false }
      }
    case .projection(let projection):
      begin(projection.count)
      for number in 0..<projection.count {
        guard add(projection.shape.keys[number]), add(projection[number]) else { return false }
      }
    case .view(let document, let index):
      hasViews = true
      let word = document.tape[Int(index)]
      switch Tape.kind(word) {
      case Tape.array, Tape.object:
        words += Tape.offset(word) - Int(index) - 1
        bytes += document.containerText(at: Int(index)).count
      case Tape.string, Tape.key: bytes += Tape.length(word) + 2
      default: bytes += Tape.length(word)
      }
      return Tape.length(word) < PackedSize.longest
    }
    return true
  }

  /// The digits of a whole number that is not large.
  static func digits(_ number: Double) -> String? {
    guard let whole = Int(exactly: number), whole.magnitude < 100_000_000_000_000 else { return nil }
    return whole == 0 && number.sign == .minus ? nil : String(whole)
  }

  private mutating func begin(_ count: Int) {
    words += 1
    bytes += 2 + max(0, count - 1)
  }

  private mutating func add(_ key: Key) -> Bool {
    words += 1
    bytes += key.bytes.count + 3
    return key.isPlain && key.bytes.count < PackedSize.longest
  }
}

extension TapeDocument {
  /// The document of a value that has that size.
  fileprivate convenience init(packing value: Value, _ size: PackedSize) {
    self.init(keeping: size.bytes, behind: size.words)
    pack(value)
    depth = value.nesting
    assert(rawCount == size.bytes && tapeCount == size.words)
    pad()
  }

  /// Appends a value; true if a writer would write it in another way.
  @discardableResult
  private func pack(_ value: Value) -> Bool {
    switch value {
    case .null: put(Tape.null, "null")
    case .bool(let flag): if flag { put(Tape.yes, "true") } else { put(Tape.no, "false") }
    case .number(let number):
      var digits = PackedSize.digits(number) ?? ""
      digits.withUTF8 { put(Tape.integer, $0) }
    case .literal(let literal): literal.text.withUnsafeBufferPointer { put(Tape.decimal, $0) }
    case .string(let text): text.withUnsafeBufferPointer { put(Tape.string, quoted: $0) }
    case .array(let storage):
      return pack(Tape.array, storage.items.count) { storage.items[$0] }
    case .object(let storage):
      return pack(Tape.object, storage.values.count, storage.shape) { storage.values[$0] }
    case .projection(let projection):
      return pack(Tape.object, projection.count, projection.shape) { projection[$0] }
    case .view(let document, let index): return pack(document, Int(index))
    }
    return false
  }

  private func pack(_ kind: UInt64, _ count: Int, _ names: Shape? = nil, _ value: (Int) -> Value) -> Bool {
    let (start, from) = (tapeCount, rawCount)
    tapeCount += 2
    put(kind == Tape.array ? 0x5b : 0x7b)
    var isDirty = false
    for number in 0..<count {
      if number > 0 { put(0x2c) }
      if let names {
        names.keys[number].bytes.withUnsafeBufferPointer { put(Tape.key, quoted: $0) }
        put(0x3a)
      }
      if pack(value(number)) { isDirty = true }
    }
    put(kind == Tape.array ? 0x5d : 0x7d)
    tape[start] = Tape.word(kind, count, tapeCount) | (isDirty ? Tape.dirty : 0)
    tape[start + 1] = UInt64(from) << 32 | UInt64(rawCount)
    return isDirty
  }

  private func pack(_ document: TapeDocument, _ index: Int) -> Bool {
    let word = document.tape[index]
    switch Tape.kind(word) {
    case Tape.array, Tape.object: append(document, index)
    case Tape.string, Tape.key: put(Tape.string, quoted: document.rawString(word))
    default: put(Tape.kind(word), document.numberText(word))
    }
    if Tape.isDirty(word), Tape.kind(word) < Tape.array { tape[tapeCount - 1] |= Tape.dirty }
    return Tape.isDirty(word)
  }

  private func put(_ byte: UInt8) {
    raw[rawCount] = byte
    rawCount += 1
  }

  private func put(_ text: ByteView) {
    if let base = text.baseAddress { memcpy(raw + rawCount, base, text.count) }
    rawCount += text.count
  }

  private func put(_ kind: UInt64, _ text: ByteView) {
    tape[tapeCount] = Tape.word(kind, text.count, rawCount)
    tapeCount += 1
    put(text)
  }

  private func put(_ kind: UInt64, _ text: StaticString) {
    put(kind, ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private func put(_ kind: UInt64, quoted text: ByteView) {
    put(0x22)
    put(kind, text)
    put(0x22)
  }
}
