import Glibc

/// A writer of differences as one value: an array of `{path, before, after}`, with `lines` for texts of several lines.
///
///     let writer = DifferenceWriter()
///     writer.value(from: {"a":1}, to: {"a":2})   // [{"path":"/a","before":1,"after":2}]
///
/// It writes a document, its text and the tape beside it, which costs no objects for each difference: in feeds where
/// everything changes, those are most of the time. The tape is kept while all values are scalars of other tapes, as most
/// are; otherwise the text is parsed at the end.
public final class DifferenceWriter: DifferenceCollector {
  /// Documents from this size on are reused: allocating them anew costs more than they are worth.
  private static let large = 32 << 10
  /// The size up to which the memory for text and tape is kept.
  private static let kept = 1 << 20

  private let text = Output(capacity: 512)
  private var tape: UnsafeMutablePointer<UInt64>
  private var capacity = 64
  private var words = 0
  private var pool = DocumentPool(size: large * 4)
  private let writer = Writer(.compact)
  private var isCopied = true
  private var count = 0
  /// The tape index of the object that is being written.
  private var object = 0

  public init() { tape = .allocate(capacity: capacity) }

  deinit { tape.deallocate() }

  /// The differences that `Value.differences` finds, as a value; nil where there are none.
  public func value(
    from before: Value, to after: Value, key: Key? = nil, in scope: DifferenceScope = .everywhere
  ) -> Value? {
    text.put(0x5b)
    words = 2
    count = 0
    isCopied = true
    _ = Value.compare(before, after, key, scope, self)
    defer { releaseLargeBuffers() }
    if count == 0 { return nil }
    text.put(0x5d)
    if isCopied { return document()[0] }
    // What nests as deep as a value may cannot be parsed with two levels more.
    if let value = try? text.withBytes({ try Value.parse($0) }) { return value }
    return .array(Value.differences(from: before, to: after, key: key, in: scope).map(\.value))
  }

  private func document() -> TapeDocument {
    tape[0] = Tape.word(Tape.array, count, words)
    tape[1] = UInt64(text.count)
    let isLarge = text.count >= Self.large
    let document = isLarge ? pool.takeUnused() : nil
    return fill(document ?? TapeDocument(capacity: text.count, tapeCapacity: words), isLarge)
  }

  private func fill(_ document: TapeDocument, _ isReused: Bool) -> TapeDocument {
    document.reserveRaw(text.count)
    if document.tapeCapacity < words { document.growTape(0, words) }
    text.withBytes { bytes in
      if let base = bytes.baseAddress { memcpy(document.raw, base, bytes.count) }
    }
    document.tape.update(from: tape, count: words)
    document.rawCount = text.count
    document.pad()
    document.tapeCount = words
    document.depth = 2
    document.roots.append(0)
    if isReused { pool.retire(document) }
    return document
  }

  private func releaseLargeBuffers() {
    text.removeAll(keepingAtMost: Self.kept)
    if capacity * 8 > Self.kept {
      tape.deallocate()
      capacity = 64
      tape = .allocate(capacity: capacity)
    }
  }

  // MARK: - A difference

  func add(_ path: [UInt8], _ before: Value?, _ after: Value?) {
    begin(path)
    if let before {
      addKey(",\"before\":", 6)
      add(before)
    }
    if let after {
      addKey(",\"after\":", 5)
      add(after)
    }
    var members = before == nil || after == nil ? 2 : 3
    if let before, let after, let lines = Value.lineDifference(from: before, to: after) {
      addKey(",\"lines\":", 5)
      add(lines)
      members += 1
    }
    end(members: members)
  }

  func add(_ path: [UInt8], _ before: TapeDocument, _ first: Int, _ after: TapeDocument, _ second: Int) {
    begin(path)
    addKey(",\"before\":", 6)
    copy(before, first)
    addKey(",\"after\":", 5)
    copy(after, second)
    end(members: 3)
  }

  /// Begins an object, of which the path is the first member.
  private func begin(_ path: [UInt8]) {
    // With four members, it has ten words.
    if words + 10 > capacity { growTape() }
    if count > 0 { text.put(0x2c) }
    object = words
    tape[words + 1] = UInt64(text.count) << 32
    words += 2
    put(Tape.key, 4, text.count + 2)
    text.put("{\"path\":")
    let start = text.count + 1
    path.withUnsafeBufferPointer { text.putQuoted($0, ascii: false) }
    let length = text.count - 1 - start
    // With escapes, its text is longer.
    if length != path.count { isCopied = false }
    put(Tape.string, length, start)
  }

  private func end(members: Int) {
    text.put(0x7d)
    count += 1
    tape[object] = Tape.word(Tape.object, members, words)
    tape[object + 1] |= UInt64(text.count)
  }

  private func addKey(_ name: StaticString, _ length: Int) {
    put(Tape.key, length, text.count + 2)
    text.put(name)
  }

  private func add(_ value: Value) {
    if case .view(let document, let index) = value {
      copy(document, Int(index))
    } else {
      isCopied = false
      writer.write(value, to: text)
    }
  }

  @inline(__always)
  private func copy(_ document: TapeDocument, _ index: Int) {
    let word = document.tape[index]
    guard Tape.kind(word) < Tape.array, !Tape.isDirty(word), Tape.length(word) < Tape.overflow else {
      isCopied = false
      return writer.write(.view(document, UInt32(truncatingIfNeeded: index)), to: text)
    }
    let isText = Tape.kind(word) == Tape.string || Tape.kind(word) == Tape.key
    let quote = isText ? 1 : 0
    put(isText ? Tape.string : Tape.kind(word), Tape.length(word), text.count + quote)
    text.put(document.raw + Tape.offset(word) - quote, Tape.length(word) + 2 * quote)
  }

  @inline(__always)
  private func put(_ kind: UInt64, _ length: Int, _ offset: Int) {
    tape[words] = Tape.word(kind, length, offset)
    words += 1
  }

  @inline(never)
  private func growTape() {
    let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    larger.update(from: tape, count: words)
    tape.deallocate()
    tape = larger
    capacity *= 2
  }
}
