extension Value {
  /// An object of a shape and one value for each of its names, in the shape's order.
  @inline(__always)
  public static func object(_ shape: Shape, _ values: [Value]) -> Value {
    .object(ObjectStorage(shape: shape, values: values))
  }

  /// An object without members.
  public static var emptyObject: Value { .object(ObjectStorage(shape: Shape([]), values: [])) }

  /// The value of a member; nil where there is none, or for everything that is not an object.
  @inline(__always)
  public func member(_ key: Key) -> Value? {
    switch self {
    case .object(let storage):
      let place = storage.shape.find(key)
      return place >= 0 ? storage.values[place] : nil
    case .projection(let projection): return projection.member(key)
    case .view(let document, let index):
      guard Tape.kind(Value.word(document, index)) == Tape.object else { return nil }
      let found = key.bytes.withUnsafeBufferPointer { document.find($0, in: Int(index)) }
      return found >= 0 ? .view(document, UInt32(truncatingIfNeeded: found)) : nil
    default: return nil
    }
  }

  /// The same for repeated lookups of one name: `hint` is where it was found the last time, 0 at first.
  @inline(__always)
  public func member(_ key: Key, hint: inout Int) -> Value? {
    switch self {
    case .object(let storage):
      let place = storage.shape.find(key, hint: &hint)
      return place >= 0 ? storage.values[place] : nil
    case .projection(let projection): return projection.member(key, hint: &hint)
    case .view(let document, let index):
      guard Tape.kind(Value.word(document, index)) == Tape.object else { return nil }
      let found = key.bytes.withUnsafeBufferPointer { document.find($0, in: Int(index), hint: &hint) }
      return found >= 0 ? .view(document, UInt32(truncatingIfNeeded: found)) : nil
    default: return nil
    }
  }

  @inline(__always)
  public func member(_ name: String) -> Value? { member(Key(name)) }

  /// The same for a name as bytes; `place`, 0 at first, is where the search begins, and becomes that of the next
  /// member.
  func member(named name: ByteView, near place: inout Int) -> Value? {
    switch self {
    case .object(let storage):
      let shape = storage.shape
      if !shape.isName(name, at: place) { place = shape.find(Key(name)) }
      defer { place += 1 }
      return place >= 0 ? storage.values[place] : nil
    case .projection(let projection):
      let shape = projection.shape
      if !shape.isName(name, at: place) { place = shape.find(Key(name)) }
      defer { place += 1 }
      return place >= 0 ? projection[place] : nil
    case .view(let document, let index):
      let start = Int(index)
      guard Tape.kind(document.tape[start]) == Tape.object else { return nil }
      // The first name stands behind the two words of the object itself.
      place = max(place, 2)
      let found = document.find(name, in: start, behind: &place)
      if found < 0 { return nil }
      place = Tape.next(document.tape, found) - start
      return .view(document, UInt32(truncatingIfNeeded: found))
    default: return nil
    }
  }

  /// Calls `body` with each member in turn, its name as bytes that are valid until `body` returns.
  @inline(__always)
  func forEachNamedMember(_ body: (_ name: ByteView, _ value: Value) -> Void) {
    switch self {
    case .object(let storage):
      for place in 0..<storage.values.count where !storage.shape.isRemoved(place) {
        storage.shape.keys[place].bytes.withUnsafeBufferPointer { body($0, storage.values[place]) }
      }
    case .projection(let projection):
      for place in 0..<projection.count {
        projection.shape.keys[place].bytes.withUnsafeBufferPointer { body($0, projection[place]) }
      }
    case .view(let document, let index) where Tape.kind(Value.word(document, index)) == Tape.object:
      var at = Int(index) + 2
      let end = Tape.offset(Value.word(document, index))
      while at < end {
        let value = Value.view(document, UInt32(truncatingIfNeeded: at + 1))
        document.withText(document.tape[at]) { body($0, value) }
        at = Tape.next(document.tape, at + 1)
      }
    default: break
    }
  }

  /// Calls `body` with each member in turn, the key as a text; with none for everything that is not an object.
  @inline(__always)
  public func forEachMember(_ body: (_ key: Value, _ value: Value) throws -> Void) rethrows {
    var iterator = members
    while let (key, value) = iterator.next() { try body(key, value) }
  }

  /// An iterator over the members, which a generator can hold between two outputs.
  public var members: MemberIterator { MemberIterator(self) }

  /// The names of an object's members in their order, as keys.
  public var keys: [Key] {
    if case .object(let storage) = self, !storage.shape.hasRemoved { return storage.shape.keys }
    if case .projection(let projection) = self { return projection.shape.keys }
    var keys: [Key] = []
    keys.reserveCapacity(count ?? 0)
    forEachMember { key, _ in if let key = Key(key) { keys.append(key) } }
    return keys
  }

  /// The names of an object's members by code points, as jq's `keys` gives them.
  public var sortedKeys: [Key] { keys.sorted() }

  /// The object's storage with one owner; self becomes null meanwhile.
  ///
  /// Null counts as the empty object.
  private mutating func takeObject() -> ObjectStorage? {
    switch self {
    case .object(var storage):
      self = .null
      return isKnownUniquelyReferenced(&storage) ? storage : ObjectStorage(copying: storage)
    case .projection(let projection):
      return ObjectStorage(shape: projection.shape, values: projection.values)
    case .null: return ObjectStorage(shape: Shape([]), values: [])
    case .view(let document, let index):
      if isNull { return ObjectStorage(shape: Shape([]), values: []) }
      guard kind == .object else { return nil }
      return ObjectStorage(
        shape: ShapeCache.shape(document, Int(index)), values: document.memberValues(at: Int(index)))
    default: return nil
    }
  }

  /// Sets a member in place; null becomes an object.
  ///
  /// False when this is neither.
  @discardableResult
  public mutating func setMember(_ key: Key, _ value: Value) -> Bool {
    guard let storage = takeObject() else { return false }
    storage.set(key, value)
    self = .object(storage)
    return true
  }

  /// Sets all members of another object in place.
  ///
  /// False when either is not an object.
  @discardableResult
  public mutating func merge(_ other: Value) -> Bool {
    guard other.kind == .object, let storage = takeObject() else { return false }
    if case .object(let source) = other {
      for number in source.values.indices where !source.shape.isRemoved(number) {
        storage.set(source.shape.keys[number], source.values[number])
      }
    } else {
      other.forEachMember { key, value in
        if let key = Key(key) { storage.set(key, value) }
      }
    }
    self = .object(storage)
    return true
  }

  /// Takes a member's value out, leaving null in its place, so that it can be changed in place and put back.
  public mutating func takeMember(_ key: Key) -> Value? {
    guard kind == .object, let storage = takeObject() else { return nil }
    defer { self = .object(storage) }
    let place = storage.shape.find(key)
    guard place >= 0 else { return nil }
    let value = storage.values[place]
    storage.values[place] = .null
    return value
  }

  /// Removes a member in place.
  ///
  /// False when this is not an object.
  @discardableResult
  public mutating func removeMember(_ key: Key) -> Bool {
    guard kind == .object, let storage = takeObject() else { return false }
    storage.remove(key)
    self = .object(storage)
    return true
  }
}

/// The members of an object one after the other, keys as texts.
public struct MemberIterator: IteratorProtocol, Sendable {
  private let source: Value
  private var at: Int
  private let end: Int

  @inline(__always)
  init(_ source: Value) {
    self.source = source
    switch source {
    case .object(let storage): (at, end) = (0, storage.values.count)
    case .projection(let projection): (at, end) = (0, projection.count)
    case .view(let document, let index) where Tape.kind(Value.word(document, index)) == Tape.object:
      (at, end) = (Int(index) + 2, Tape.offset(Value.word(document, index)))
    default: (at, end) = (0, 0)
    }
  }

  @inline(__always)
  public mutating func next() -> (key: Value, value: Value)? {
    switch source {
    case .object(let storage):
      while at < end, storage.shape.isRemoved(at) { at += 1 }
      guard at < end else { return nil }
      defer { at += 1 }
      return (.string(storage.shape.keys[at].bytes), storage.values[at])
    case .projection(let projection):
      guard at < end else { return nil }
      defer { at += 1 }
      return projection.entry(at)
    case .view(let document, _):
      guard at < end else { return nil }
      let key = UInt32(truncatingIfNeeded: at)
      at = Tape.next(document.tape, at + 1)
      return (.view(document, key), .view(document, key + 1))
    default: return nil
    }
  }
}

extension Value {
  /// An object of those members.
  ///
  ///     Value.record([("name", .string("Vega")), ("stages", .number(4))])
  public static func record(_ members: [(String, Value)]) -> Value {
    var object = Value.emptyObject
    for (name, value) in members { object.setMember(Key(name), value) }
    return object
  }
}
