extension Value {
  @inline(__always)
  public static func array(_ items: [Value]) -> Value { .array(ArrayStorage(items)) }

  /// The element at an index from 0; nil outside, or for everything that is not an array.
  @inline(__always)
  public func element(_ number: Int) -> Value? {
    switch self {
    case .array(let storage):
      return number >= 0 && number < storage.items.count ? storage.items[number] : nil
    case .view(let document, let index):
      guard Tape.kind(Value.word(document, index)) == Tape.array else { return nil }
      let found = document.element(number, in: Int(index))
      return found >= 0 ? .view(document, UInt32(truncatingIfNeeded: found)) : nil
    default: return nil
    }
  }

  /// Calls `body` with each element in turn; with none for everything that is not an array.
  @inline(__always)
  public func forEachElement(_ body: (Value) throws -> Void) rethrows {
    switch self {
    case .array(let storage):
      for item in storage.items { try body(item) }
    case .view(let document, let index):
      let word = Value.word(document, index)
      guard Tape.kind(word) == Tape.array else { return }
      let end = Tape.offset(word)
      var at = Int(index) + 2
      while at < end {
        try body(.view(document, UInt32(truncatingIfNeeded: at)))
        at = Tape.next(document.tape, at)
      }
    default: return
    }
  }

  /// The elements as an array of values; nil for everything that is not an array.
  public var items: [Value]? {
    if case .array(let storage) = self { return storage.items }
    guard kind == .array, let count else { return nil }
    var items: [Value] = []
    items.reserveCapacity(count)
    forEachElement { items.append($0) }
    return items
  }

  /// The elements from `lower` up to `upper`, both within the array.
  public func slice(_ lower: Int, _ upper: Int) -> Value {
    if case .array(let storage) = self { return .array(Array(storage.items[lower..<upper])) }
    var items: [Value] = []
    items.reserveCapacity(upper - lower)
    var number = 0
    var iterator = elements
    while number < upper, let item = iterator.next() {
      if number >= lower { items.append(item) }
      number += 1
    }
    return .array(items)
  }

  /// An iterator over the elements, which a generator can hold between two outputs.
  public var elements: ElementIterator { ElementIterator(self) }

  /// The array's storage with one owner; self becomes null meanwhile.
  ///
  /// Null counts as the empty array.
  private mutating func takeArray() -> ArrayStorage? {
    switch self {
    case .array(var storage):
      self = .null
      return isKnownUniquelyReferenced(&storage) ? storage : ArrayStorage(copying: storage)
    case .null: return ArrayStorage([])
    case .view:
      if isNull { return ArrayStorage([]) }
      return items.map { ArrayStorage($0) }
    default: return nil
    }
  }

  /// Adds an element at the end, in place; null becomes an array.
  ///
  /// False when this is neither.
  @discardableResult
  public mutating func append(_ value: Value) -> Bool {
    guard let storage = takeArray() else { return false }
    storage.depth = max(storage.depth, value.nesting &+ 1)
    storage.items.append(value.compacted(inContainerOf: storage.items.count))
    self = .array(storage)
    return true
  }

  /// Adds all elements of an array at the end, in place.
  ///
  /// False when either is not an array.
  @discardableResult
  public mutating func append(contentsOf other: Value) -> Bool {
    guard other.kind == .array, let storage = takeArray() else { return false }
    other.forEachElement { storage.items.append($0.compacted(inContainerOf: storage.items.count)) }
    storage.depth = max(storage.depth, other.nesting)
    self = .array(storage)
    return true
  }

  /// Puts an element at an index from 0, in place, filling a gap before it with nulls; null becomes an array.
  @discardableResult
  public mutating func setElement(_ number: Int, _ value: Value) -> Bool {
    guard number >= 0, let storage = takeArray() else { return false }
    while storage.items.count <= number { storage.items.append(.null) }
    storage.depth = max(storage.depth, value.nesting &+ 1)
    storage.items[number] = value.compacted(inContainerOf: storage.items.count)
    self = .array(storage)
    return true
  }

  /// Takes an element out, leaving null in its place, so that it can be changed in place and put back.
  public mutating func takeElement(_ number: Int) -> Value? {
    guard kind == .array, let storage = takeArray() else { return nil }
    defer { self = .array(storage) }
    guard number >= 0, number < storage.items.count else { return nil }
    let value = storage.items[number]
    storage.items[number] = .null
    return value
  }
}

/// The elements of an array one after the other.
public struct ElementIterator: IteratorProtocol, Sendable {
  private let source: Value
  private var at: Int
  private let end: Int

  @inline(__always)
  init(_ source: Value) {
    self.source = source
    switch source {
    case .array(let storage): (at, end) = (0, storage.items.count)
    case .view(let document, let index) where Tape.kind(Value.word(document, index)) == Tape.array:
      (at, end) = (Int(index) + 2, Tape.offset(Value.word(document, index)))
    default: (at, end) = (0, 0)
    }
  }

  @inline(__always)
  public mutating func next() -> Value? {
    guard at < end else { return nil }
    switch source {
    case .array(let storage):
      defer { at += 1 }
      return storage.items[at]
    case .view(let document, _):
      defer { at = Tape.next(document.tape, at) }
      return .view(document, UInt32(truncatingIfNeeded: at))
    default: return nil
    }
  }
}
