/// A path of constant names such as `.a.b.c`, in memory that a lookup reads without reference counting.
final class NamePath: Sendable {
  private let keys: [Key]
  private let count: Int
  /// Whether no name needs escapes.
  private let isPlain: Bool
  /// Written when the path is made, and only read from then on.
  private nonisolated(unsafe) let names: UnsafeMutablePointer<ByteView>

  init(_ keys: [Key]) {
    self.keys = keys
    count = keys.count
    isPlain = keys.allSatisfy(\.isPlain)
    names = .allocate(capacity: keys.count)
    for (number, key) in keys.enumerated() {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.bytes.count)
      _ = copy.initialize(from: key.bytes)
      (names + number).initialize(to: ByteView(copy))
    }
  }

  deinit {
    for number in 0..<count { names[number].deallocate() }
    names.deallocate()
  }

  /// The tape index that the path leads to from an index of a document, or -1 where there is nothing.
  @inline(__always)
  func find(
    _ document: TapeDocument, _ start: Int, _ hints: UnsafeMutablePointer<Int>
  ) throws(Exception) -> Int {
    var at = start
    for number in 0..<count {
      let kind = Tape.kind(document.tape[at])
      guard kind == Tape.object else {
        if kind == Tape.null { return -1 }
        throw wrongKind(document, at, number)
      }
      at = document.find(names[number], in: at, hint: &hints[number])
      if at < 0 { return -1 }
    }
    return at
  }

  @inline(never)
  private func wrongKind(_ document: TapeDocument, _ at: Int, _ number: Int) -> Exception {
    let value = Value.view(document, UInt32(truncatingIfNeeded: at))
    return Exception("Cannot index \(value.typeName) with \(Value.string(keys[number].bytes).described)")
  }

  /// The value that the path leads to.
  @inline(__always)
  func value(in value: Value, _ hints: UnsafeMutablePointer<Int>) throws(Exception) -> Value {
    if case .view(let document, let start) = value {
      let found = try find(document, Int(start), hints)
      return found < 0 ? .null : .view(document, UInt32(truncatingIfNeeded: found))
    }
    return try walk(value, hints)
  }

  @inline(never)
  private func walk(_ value: Value, _ hints: UnsafeMutablePointer<Int>) throws(Exception) -> Value {
    guard count > 0 else { return value }
    if isPlain, count == 1, case .object(let storage) = value,
      storage.shape.written?.isName(names[0], at: hints[0]) == true
    {
      return storage.values[hints[0]]
    }
    var current = try index(value, keys[0], hint: &hints[0])
    for number in 1..<count { current = try index(current, keys[number], hint: &hints[number]) }
    return current
  }

  /// Whether the value at the path is a text of exactly these bytes; compared in the document.
  @inline(__always)
  func leads(from value: Value, to text: ByteView, _ hints: UnsafeMutablePointer<Int>) throws(Exception)
    -> Bool
  {
    guard case .view(let document, let start) = value else {
      let found = try walk(value, hints)
      return found.withText { sameBytes($0, text) } ?? false
    }
    let found = try find(document, Int(start), hints)
    guard found >= 0 else { return false }
    let word = document.tape[found]
    return Tape.kind(word) == Tape.string && document.keyMatches(word, text)
  }
}

/// A constant text in memory that does not move.
final class ConstantText: Sendable {
  /// Written when the text is made, and only read from then on.
  nonisolated(unsafe) let bytes: ByteView

  init(_ text: [UInt8]) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = copy.initialize(from: text)
    bytes = ByteView(copy)
  }

  deinit { bytes.deallocate() }
}

/// The sources of a record's members, in memory that is read without reference counting.
final class MemberSources: Sendable {
  /// A path, or code where there is none.
  struct Source {
    fileprivate(set) unowned(unsafe) var path: NamePath?
    fileprivate(set) var hints = 0
  }

  /// A path with the number of its hints, if the member has one, and its code.
  typealias Member = (path: (NamePath, hints: Int)?, code: Single)

  let codes: [Single]
  private let paths: [NamePath?]
  /// Written when it is made, and only read from then on.
  private nonisolated(unsafe) let sources: UnsafeMutableBufferPointer<Source>

  init(_ members: [Member]) {
    codes = members.map(\.code)
    paths = members.map { $0.path?.0 }
    sources = .allocate(capacity: members.count)
    for (number, member) in members.enumerated() {
      sources.initializeElement(at: number, to: Source(path: member.path?.0, hints: member.path?.hints ?? 0))
    }
  }

  deinit { sources.deallocate() }

  @inline(__always)
  subscript(_ number: Int) -> Source { sources[number] }
}
