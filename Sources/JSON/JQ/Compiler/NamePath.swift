/// A path of constant names such as `.a.b.c`, in memory that a lookup reads without reference counting.
final class NamePath: Sendable {
  private let keys: [Key]
  /// Whether no name needs escapes.
  private let isPlain: Bool
  fileprivate let names: Names

  /// The names of a path, as its owner has them.
  struct Names: Sendable {
    fileprivate let count: Int
    /// Written when the path is made, and only read from then on.
    fileprivate nonisolated(unsafe) let texts: UnsafeMutablePointer<ByteView>

    enum Found {
      case index(Int)
      case nothing
      /// A value that is neither an object nor null.
      case wrongKind(at: Int, number: Int)
    }

    /// The value that the names lead to from an index of a document.
    @inline(__always)
    func find(_ document: TapeDocument, _ start: Int, _ hints: UnsafeMutablePointer<Int>) -> Found {
      var at = start
      for number in 0..<count {
        let kind = Tape.kind(document.tape[at])
        guard kind == Tape.object else {
          return kind == Tape.null ? .nothing : .wrongKind(at: at, number: number)
        }
        at = document.find(texts[number], in: at, hint: &hints[number])
        if at < 0 { return .nothing }
      }
      return .index(at)
    }
  }

  init(_ keys: [Key]) {
    self.keys = keys
    isPlain = keys.allSatisfy(\.isPlain)
    names = Names(count: keys.count, texts: .allocate(capacity: keys.count))
    for (number, key) in keys.enumerated() {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.bytes.count)
      _ = copy.initialize(from: key.bytes)
      (names.texts + number).initialize(to: ByteView(copy))
    }
  }

  deinit {
    for number in 0..<names.count { names.texts[number].deallocate() }
    names.texts.deallocate()
  }

  /// The tape index that the path leads to from an index of a document; nil where there is nothing.
  @inline(__always)
  func find(
    _ document: TapeDocument, _ start: Int, _ hints: UnsafeMutablePointer<Int>
  ) throws(Exception) -> Int? {
    switch names.find(document, start, hints) {
    case .index(let index): return index
    case .nothing: return nil
    case .wrongKind(let at, let number): throw wrongKind(document, at, number)
    }
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
      return try find(document, Int(start), hints).map { .view(document, UInt32(truncatingIfNeeded: $0)) }
        ?? .null
    }
    return try walk(value, hints)
  }

  @inline(never)
  private func walk(_ value: Value, _ hints: UnsafeMutablePointer<Int>) throws(Exception) -> Value {
    guard names.count > 0 else { return value }
    if isPlain, names.count == 1 {
      switch value {
      case .projection(let projection) where projection.names.isName(names.texts[0], at: hints[0]):
        return projection[hints[0]]
      case .object(let storage) where storage.shape.written?.isName(names.texts[0], at: hints[0]) == true:
        return storage.values[hints[0]]
      default: break
      }
    }
    var current = try index(value, keys[0], hint: &hints[0])
    for number in 1..<names.count { current = try index(current, keys[number], hint: &hints[number]) }
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
    guard let found = try find(document, Int(start), hints) else { return false }
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
    fileprivate(set) var names: NamePath.Names?
    fileprivate(set) var hints = 0
  }

  /// A path with the number of its hints, if the member has one, and its code.
  typealias Member = (path: (NamePath, hints: Int)?, code: One)

  let codes: [One]
  /// Whether all members are paths, and as few as a projection has room for.
  let areProjected: Bool
  private let paths: [NamePath?]
  /// Written when it is made, and only read from then on.
  private nonisolated(unsafe) let sources: UnsafeMutableBufferPointer<Source>

  init(_ members: [Member]) {
    codes = members.map(\.code)
    paths = members.map { $0.path?.0 }
    areProjected = members.count <= Projection.Places.limit && members.allSatisfy { $0.path != nil }
    sources = .allocate(capacity: members.count)
    for (number, member) in members.enumerated() {
      let source = Source(
        path: member.path?.0, names: member.path?.0.names, hints: member.path?.hints ?? 0)
      sources.initializeElement(at: number, to: source)
    }
  }

  deinit { sources.deallocate() }

  @inline(__always)
  subscript(_ number: Int) -> Source { sources[number] }

  /// Where the paths lead in a document; nil if some are none, one leads through a value that is no object, or none leads
  /// anywhere, so that nothing would keep the document but the object.
  @inline(__always)
  func places(
    _ document: TapeDocument, _ start: UInt32, _ hints: UnsafeMutablePointer<Int>
  ) -> Projection.Places? {
    guard areProjected else { return nil }
    var places = Projection.Places()
    var isEmpty = true
    for number in 0..<sources.count {
      guard let names = sources[number].names else { return nil }
      switch names.find(document, Int(start), hints + sources[number].hints) {
      case .index(let index):
        places.set(number, to: index)
        isEmpty = false
      case .nothing: break
      case .wrongKind: return nil
      }
    }
    return isEmpty ? nil : places
  }
}
