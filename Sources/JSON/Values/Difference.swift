/// A change between two values: a leaf, or a whole member or element that only one side has.
public struct Difference: Sendable, Equatable {
  public let path: Pointer
  /// Nil where only the later value has something at the path.
  public let before: Value?
  /// Nil where only the earlier value has something at the path.
  public let after: Value?

  public init(path: Pointer, before: Value?, after: Value?) {
    self.path = path
    self.before = before
    self.after = after
  }

  /// The difference of two texts of several lines, line by line; nil for anything else.
  public var lines: Value? {
    guard let before, let after else { return nil }
    return Value.lineDifference(from: before, to: after)
  }

  private static let shapes = (
    lines: Shape(["path", "before", "after", "lines"], isShared: true),
    both: Shape(["path", "before", "after"], isShared: true),
    before: Shape(["path", "before"], isShared: true), after: Shape(["path", "after"], isShared: true)
  )

  /// `{path, before, after}`, without the side that has nothing; for texts of several lines with their difference.
  public var value: Value {
    let path = Value.string(path.bytes)
    switch (before, after) {
    case (let before?, let after?):
      if let lines { return .object(Difference.shapes.lines, [path, before, after, lines]) }
      return .object(Difference.shapes.both, [path, before, after])
    case (let before?, nil): return .object(Difference.shapes.before, [path, before])
    case (nil, let after): return .object(Difference.shapes.after, [path, after ?? .null])
    }
  }
}

extension Value {
  /// The changes from one value to a later one: one entry per changed leaf.
  ///
  /// A member or element that only one side has, and a value whose kind changed, is one entry at its own path. Arrays
  /// are compared by position. Where `key` is named, arrays of objects that all have that member, each with a value of
  /// its own, are compared by it: moving an element is no change, and paths count positions in the later array, or in
  /// the earlier one for what was removed.
  ///
  ///     Value.differences(from: {"a":1,"b":[1]}, to: {"a":2,"b":[1,5]})   // /a: 1 → 2, /b/1: → 5
  public static func differences(
    from before: Value, to after: Value, key: Key? = nil, in scope: DifferenceScope = .everywhere
  ) -> [Difference] {
    compare(before, after, key, scope, DifferenceList()).differences
  }

  /// Compares two values; returns `found` with what it was given.
  static func compare<Found: DifferenceCollector>(
    _ before: Value, _ after: Value, _ key: Key?, _ scope: DifferenceScope, _ found: Found
  ) -> Found {
    if !scope.admits([]) { return found }
    return withStack(for: min(before.nesting, after.nesting)) {
      var comparison = Comparison(key: key, scope: scope, found: found)
      comparison.compare(before, after)
      return comparison.found
    }
  }
}

/// The places that a comparison looks at: those that are watched, or all, but those that are ignored.
public struct DifferenceScope: Sendable {
  private let watched: [Pointer]?
  private let ignored: [Pointer]
  private let isEverywhere: Bool

  public static let everywhere = DifferenceScope()

  public init(watched: [Pointer]? = nil, ignored: [Pointer] = []) {
    (self.watched, self.ignored) = (watched, ignored)
    isEverywhere = watched == nil && ignored.isEmpty
  }

  /// Whether a difference at a pointer counts, or one beneath it may.
  @inline(__always)
  func admits(_ path: [UInt8]) -> Bool { isEverywhere || contains(path) }

  @inline(never)
  private func contains(_ path: [UInt8]) -> Bool {
    for place in ignored where Pointer.lies(path, within: place.bytes) { return false }
    guard let watched else { return true }
    for place in watched
    where Pointer.lies(path, within: place.bytes) || Pointer.lies(place.bytes, within: path) {
      return true
    }
    return false
  }
}

/// A collector of the differences that a comparison finds, in their order.
protocol DifferenceCollector {
  mutating func add(_ path: [UInt8], _ before: Value?, _ after: Value?)

  /// The same for two scalars that are on tapes, of which no values need be made.
  mutating func add(
    _ path: [UInt8], _ before: TapeDocument, _ first: Int, _ after: TapeDocument, _ second: Int)
}

private struct DifferenceList: DifferenceCollector {
  var differences: [Difference] = []

  mutating func add(_ path: [UInt8], _ before: Value?, _ after: Value?) {
    differences.append(Difference(path: Pointer(bytes: path), before: before, after: after))
  }

  mutating func add(
    _ path: [UInt8], _ before: TapeDocument, _ first: Int, _ after: TapeDocument, _ second: Int
  ) {
    let before = Value.view(before, UInt32(truncatingIfNeeded: first))
    add(path, before, .view(after, UInt32(truncatingIfNeeded: second)))
  }
}

private struct Comparison<Found: DifferenceCollector> {
  let key: Key?
  let scope: DifferenceScope
  var found: Found
  /// The pointer to the present place.
  private var path: [UInt8] = []
  private var depth = 0

  init(key: Key?, scope: DifferenceScope, found: Found) {
    self.key = key
    self.scope = scope
    self.found = found
  }

  private mutating func add(_ before: Value?, _ after: Value?) { found.add(path, before, after) }

  private mutating func step(_ name: ByteView, _ before: Value?, _ after: Value?) {
    guard let before, let after else { return inside(name) { $0.add(before, after) } }
    if before.isScalar || before.kind != after.kind {
      // Most members have not changed, and then need no name.
      if before != after { inside(name) { $0.add(before, after) } }
    } else {
      inside(name) { $0.compare(before, after) }
    }
  }

  @inline(__always)
  private mutating func inside(_ name: ByteView, _ body: (inout Comparison) -> Void) {
    let length = path.count
    Pointer.append(name, to: &path)
    if scope.admits(path) {
      depth += 1
      body(&self)
      depth -= 1
    }
    path.removeLast(path.count - length)
  }

  private mutating func step(_ number: Int, _ before: Value?, _ after: Value?) {
    if let before, let after, before.isScalar, before == after { return }
    var name = String(number)
    name.withUTF8 { step($0, before, after) }
  }

  mutating func compare(_ before: Value, _ after: Value) {
    guard depth < Writer.depthLimit else { return }
    switch (before.kind, after.kind) {
    case (.object, .object): compareObjects(before, after)
    case (.array, .array):
      if let key, let old = elements(of: before, by: key), let new = elements(of: after, by: key) {
        compareKeyed(old, new)
      } else {
        compareArrays(before, after)
      }
    default: if before != after { add(before, after) }
    }
  }

  private mutating func compareObjects(_ before: Value, _ after: Value) {
    if case .view(let old, let first) = before, case .view(let new, let second) = after,
      old.hasNames(of: new, Int(second), at: Int(first))
    {
      return compareMembers(old, Int(first), new, Int(second))
    }
    var common = 0
    // The index of the next name: mostly the members of both come in the same order.
    var place = 0
    before.forEachNamedMember { name, value in
      let other = after.member(named: name, near: &place)
      if other != nil { common += 1 }
      step(name, value, other)
    }
    if common == after.count { return }
    place = 0
    after.forEachNamedMember { name, value in
      if before.member(named: name, near: &place) == nil {
        step(name, nil, value)
      }
    }
  }

  /// Compares two objects of the same names in the same order, without a value for each member.
  private mutating func compareMembers(
    _ old: TapeDocument, _ first: Int, _ new: TapeDocument, _ second: Int
  ) {
    var (place, other) = (first + 2, second + 2)
    let end = Tape.offset(old.tape[first])
    while place < end {
      if !old.hasScalar(of: new, other + 1, at: place + 1) {
        let isSure = old.hasOtherScalar(than: new, other + 1, at: place + 1)
        old.withText(old.tape[place]) { name in
          if isSure { return inside(name) { $0.found.add($0.path, old, place + 1, new, other + 1) } }
          step(
            name, .view(old, UInt32(truncatingIfNeeded: place + 1)),
            .view(new, UInt32(truncatingIfNeeded: other + 1)))
        }
      }
      place = Tape.next(old.tape, place + 1)
      other = Tape.next(new.tape, other + 1)
    }
  }

  private mutating func compareArrays(_ before: Value, _ after: Value) {
    var old = before.elements
    var new = after.elements
    var number = 0
    while true {
      let first = old.next()
      let second = new.next()
      if first == nil, second == nil { return }
      step(number, first, second)
      number += 1
    }
  }

  /// An array's elements by the value of one of their members.
  private struct KeyedElements {
    var order: [Value] = []
    var items: [Value] = []
    var places: [Value: Int] = [:]
  }

  /// Nil unless each element is an object with that member, and no two have the same.
  private func elements(of array: Value, by key: Key) -> KeyedElements? {
    var keyed = KeyedElements()
    var iterator = array.elements
    while let element = iterator.next() {
      guard let name = element.member(key), keyed.places[name] == nil else { return nil }
      keyed.places[name] = keyed.items.count
      keyed.order.append(name)
      keyed.items.append(element)
    }
    return keyed
  }

  private mutating func compareKeyed(_ old: KeyedElements, _ new: KeyedElements) {
    for (number, name) in old.order.enumerated() {
      if let place = new.places[name] {
        step(place, old.items[number], new.items[place])
      } else {
        step(number, old.items[number], nil)
      }
    }
    for (number, name) in new.order.enumerated() where old.places[name] == nil {
      step(number, nil, new.items[number])
    }
  }
}

extension Value {
  fileprivate var isScalar: Bool { kind != .object && kind != .array }
}

extension TapeDocument {
  /// Whether the object at an index has the names of another one, in the same order.
  fileprivate func hasNames(of other: TapeDocument, _ second: Int, at first: Int) -> Bool {
    var (place, theirs) = (first + 2, second + 2)
    let (end, last) = (Tape.offset(tape[first]), Tape.offset(other.tape[second]))
    while place < end, theirs < last {
      let name = other.tape[theirs]
      if Tape.isDirty(name) || !keyMatches(tape[place], other.rawString(name)) { return false }
      place = Tape.next(tape, place + 1)
      theirs = Tape.next(other.tape, theirs + 1)
    }
    return place >= end && theirs >= last
  }

  /// Whether both values are texts, or whole numbers, that differ; of two that are not written alike.
  fileprivate func hasOtherScalar(than other: TapeDocument, _ second: Int, at first: Int) -> Bool {
    let (ours, theirs) = (tape[first], other.tape[second])
    guard Tape.kind(ours) == Tape.kind(theirs), !Tape.isDirty(ours | theirs) else { return false }
    if Tape.kind(ours) == Tape.string {
      return Tape.length(ours) < Tape.overflow && Tape.length(theirs) < Tape.overflow
    }
    // Zero has two texts; as doubles, longer numbers may be the same.
    return Tape.kind(ours) == Tape.integer && max(Tape.length(ours), Tape.length(theirs)) <= 15
      && raw[Tape.offset(ours)] &- 0x31 < 9
  }

  /// Whether both values are the same scalar, written alike.
  fileprivate func hasScalar(of other: TapeDocument, _ second: Int, at first: Int) -> Bool {
    let (ours, theirs) = (tape[first], other.tape[second])
    guard Tape.kind(ours) == Tape.kind(theirs), Tape.kind(ours) < Tape.array,
      Tape.length(ours) == Tape.length(theirs), Tape.length(ours) < Tape.overflow
    else { return false }
    let length = Tape.length(ours)
    let text = raw + Tape.offset(ours)
    guard sameBytes(text, other.raw + Tape.offset(theirs), length) else { return false }
    // A number that is none, which ends in n, differs from itself.
    return Tape.kind(ours) != Tape.decimal || text[length - 1] | 0x20 != 0x6e
  }
}
