import CGlibc
import Glibc
import Synchronization

/// A parsed text: raw bytes, one chunk of a file or one message, and the tape that describes the values in them.
///
/// Values are views into it, and any of them keeps all the bytes alive: a value to keep is copied with
/// `Value.detach()`.
///
/// `@unchecked`: one parser writes a document before its values are handed out; after that it never changes.
public final class TapeDocument: @unchecked Sendable {
  /// Zero bytes after the text, so that a scanner may read ahead without a bounds check.
  static let padding = 64

  private(set) var raw: UnsafeMutablePointer<UInt8>
  private(set) var rawCapacity: Int
  /// Bytes of text in `raw`.
  var rawCount = 0

  /// Whether the text has memory of its own, not the end of the tape's.
  private(set) var ownsRaw = true
  private(set) var tape: UnsafeMutablePointer<UInt64>
  private(set) var tapeCapacity: Int
  /// Words in use on the tape.
  var tapeCount = 0

  /// The tape indices of the top-level values.
  var roots: [UInt32] = []
  /// The text has a DEL byte somewhere, which a writer escapes.
  var hasDelete = false
  /// The deepest nesting of any value.
  var depth: UInt32 = 0

  /// Indices of large containers that were searched more than once, by their tape index.
  let positions = Mutex<[UInt32: ContainerIndex]>([:])
  let positionsFence = SanitizerFence()

  /// A document with room for `capacity` bytes of text and, where that is known, for `words` words of tape.
  init(capacity: Int, tapeCapacity words: Int? = nil) {
    rawCapacity = capacity
    raw = .allocate(capacity: capacity + TapeDocument.padding)
    tapeCapacity = words ?? capacity / 8 + 64
    tape = .allocate(capacity: tapeCapacity)
    raw.initialize(repeating: 0, count: TapeDocument.padding)
  }

  /// An empty document that is kept and does not grow, in one block of memory: `words` words of tape, and so many bytes
  /// of text behind them.
  init(keeping bytes: Int, behind words: Int) {
    rawCapacity = bytes
    tapeCapacity = words
    let memory = KeptMemory.shared.allocate(TapeDocument.keptSize(bytes, words))
    tape = memory.bindMemory(to: UInt64.self, capacity: words)
    raw = (memory + words * 8).bindMemory(to: UInt8.self, capacity: bytes + TapeDocument.padding)
    ownsRaw = false
  }

  deinit {
    if !ownsRaw {
      return KeptMemory.shared.deallocate(tape, TapeDocument.keptSize(rawCapacity, tapeCapacity))
    }
    raw.deallocate()
    tape.deallocate()
  }

  private static func keptSize(_ bytes: Int, _ words: Int) -> Int { words * 8 + bytes + padding }

  /// Clears the contents and keeps the memory, for a document with one owner.
  func reset() {
    rawCount = 0
    tapeCount = 0
    depth = 0
    hasDelete = false
    roots.removeAll(keepingCapacity: true)
    positions.withLock { if !$0.isEmpty { $0.removeAll() } }
  }

  func reserveRaw(_ capacity: Int) {
    guard capacity > rawCapacity else { return }
    assert(ownsRaw)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + TapeDocument.padding)
    memcpy(larger, raw, rawCount)
    raw.deallocate()
    raw = larger
    rawCapacity = capacity
  }

  /// Swaps the memory of the text with a buffer's.
  func exchange(_ text: inout TextBuffer) {
    swap(&raw, &text.base)
    swap(&rawCapacity, &text.capacity)
  }

  /// Puts the zero bytes after the text.
  func pad() {
    memset(raw + rawCount, 0, TapeDocument.padding)
  }

  @inline(never)
  func growTape(_ used: Int, _ wanted: Int) {
    assert(ownsRaw)
    let capacity = max(tapeCapacity + tapeCapacity / 2, wanted)
    let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    memcpy(larger, tape, used * MemoryLayout<UInt64>.stride)
    tape.deallocate()
    tape = larger
    tapeCapacity = capacity
  }

  /// The number of top-level values.
  public var count: Int { roots.count }

  /// A top-level value.
  public subscript(_ index: Int) -> Value { .view(self, roots[index]) }
}

extension [Value] {
  /// Has the beginning of a view that another thread has parsed fetched from the other core's caches, while this one
  /// still works on the values before it.
  @inline(__always)
  public func prefetch(_ index: Int) {
    guard index < count, case .view(let document, let start) = self[index] else { return }
    document.prefetch(Int(start))
  }
}

extension TapeDocument {
  /// The first lines of a value's tape and text: most expressions read members that come early.
  @inline(__always)
  fileprivate func prefetch(_ index: Int) {
    guard isContainer(index) else { return }
    let text = raw + Int(tape[index + 1] >> 32)
    for line in 0..<4 {
      flow_prefetch(tape + index + line * 8)
      flow_prefetch(text + line * 64)
    }
  }
}

// MARK: - Texts and numbers on the tape

extension TapeDocument {
  /// The number of raw bytes between the quotes of the string or key at `index`.
  @inline(__always)
  func stringLength(_ word: UInt64) -> Int {
    let length = Tape.length(word)
    return length < Tape.overflow ? length : longStringLength(word)
  }

  @inline(never)
  private func longStringLength(_ word: UInt64) -> Int {
    let start = Tape.offset(word)
    var at = start
    while at < rawCount, raw[at] != 0x22 { at += raw[at] == 0x5c ? 2 : 1 }
    return at - start
  }

  /// The raw bytes between the quotes: the text itself unless the word is dirty.
  @inline(__always)
  func rawString(_ word: UInt64) -> ByteView {
    ByteView(start: raw + Tape.offset(word), count: stringLength(word))
  }

  /// Calls `body` with the text of the string or key that `word` describes, escapes decoded.
  @inline(__always)
  func withText<R>(_ word: UInt64, _ body: (ByteView) throws -> R) rethrows -> R {
    let source = rawString(word)
    if !Tape.isDirty(word) { return try body(source) }
    return try withDecodedText(source, body)
  }

  @inline(__always)
  func numberText(_ word: UInt64) -> ByteView {
    ByteView(start: raw + Tape.offset(word), count: Tape.length(word))
  }

  @inline(__always)
  func double(_ word: UInt64) -> Double {
    let text = numberText(word)
    if Tape.kind(word) == Tape.integer, let small = smallInteger(text) {
      return text[0] == 0x2d && small == 0 ? -0.0 : Double(small)
    }
    return parseDouble(text)
  }
}

@inline(never)
func withDecodedText<R>(_ source: ByteView, _ body: (ByteView) throws -> R) rethrows -> R {
  try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: source.count + 1) { buffer in
    let count = unescape(source, into: buffer)
    return try body(ByteView(rebasing: buffer[..<count]))
  }
}

// MARK: - Walking containers

extension TapeDocument {
  @inline(__always)
  func isContainer(_ index: Int) -> Bool { Tape.kind(tape[index]) >= Tape.array }

  @inline(__always)
  func count(at index: Int) -> Int {
    let count = Tape.length(tape[index])
    return count < Tape.overflow ? count : longCount(at: index)
  }

  @inline(never)
  private func longCount(at index: Int) -> Int {
    let end = Tape.offset(tape[index])
    let isObject = Tape.kind(tape[index]) == Tape.object
    var count = 0
    var at = index + 2
    while at < end {
      at = Tape.next(tape, isObject ? at + 1 : at)
      count += 1
    }
    return count
  }

  /// The offset after the text of the value at an index of the tape.
  func textEnd(of index: Int) -> Int {
    let word = tape[index]
    switch Tape.kind(word) {
    case Tape.array, Tape.object: return Int(tape[index + 1] & 0xffff_ffff)
    case Tape.string, Tape.key: return Tape.offset(word) + stringLength(word) + 1
    default: return Tape.offset(word) + Tape.length(word)
    }
  }

  /// The raw text of the container at `index`.
  func containerText(at index: Int) -> ByteView {
    let span = tape[index + 1]
    let start = Int(span >> 32)
    return ByteView(start: raw + start, count: Int(span & 0xffff_ffff) - start)
  }

  @inline(__always)
  func keyMatches(_ word: UInt64, _ name: ByteView) -> Bool {
    if Tape.isDirty(word) { return withText(word) { sameBytes($0, name) } }
    guard Tape.length(word) == name.count, let bytes = name.baseAddress else {
      return name.isEmpty && Tape.length(word) == 0
    }
    guard name.count < Tape.overflow else { return withText(word) { sameBytes($0, name) } }
    return sameBytes(raw + Tape.offset(word), bytes, name.count)
  }

  /// The tape index of a member's value, or -1.
  ///
  /// `index` must be an object.
  @inline(__always)
  func find(_ name: ByteView, in index: Int) -> Int {
    let word = tape[index]
    if Tape.length(word) > ContainerIndex.threshold { return findInLarge(name, index) }
    let end = Tape.offset(word)
    var at = index + 2
    while at < end {
      if keyMatches(tape[at], name) { return at + 1 }
      at = Tape.next(tape, at + 1)
    }
    return -1
  }

  /// Like `find`, looking first where the key was the last time, in any object.
  @inline(__always)
  func find(_ name: ByteView, in index: Int, hint: inout Int) -> Int {
    if hint > 0, hint < TapeDocument.farthestHint, isKey(name, at: index + hint, of: index),
      isMember(index + hint, of: index)
    {
      return index + hint + 1
    }
    let found = find(name, in: index)
    if found >= 0 { hint = found - 1 - index }
    return found
  }

  /// Like `find`, looking first behind the last member that was found in this object.
  @inline(__always)
  func find(_ name: ByteView, in index: Int, behind last: inout Int) -> Int {
    if last > 0, isKey(name, at: index + last, of: index) { return index + last + 1 }
    let found = find(name, in: index)
    if found >= 0 { last = found - 1 - index }
    return found
  }

  /// Farther into an object the search is as fast as stepping from member to member.
  private static var farthestHint: Int { 4096 }

  /// Whether that key is at a place of the tape within an object.
  @inline(__always)
  private func isKey(_ name: ByteView, at place: Int, of index: Int) -> Bool {
    place < Tape.offset(tape[index]) && Tape.kind(tape[place]) == Tape.key && keyMatches(tape[place], name)
  }

  /// Whether a key within an object is that of one of its members, not of an object inside: there the same name may be
  /// at the same place.
  @inline(__always)
  private func isMember(_ place: Int, of index: Int) -> Bool {
    var at = index + 2
    while at < place { at = Tape.next(tape, at + 1) }
    return at == place
  }
}
