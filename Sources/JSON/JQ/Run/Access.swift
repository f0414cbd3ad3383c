// Access to parts of values by key, number and slice, with jq's error messages.

/// The value of `target[key]`.
func index(_ target: Value, _ key: Value) throws(Exception) -> Value {
  switch (target.kind, key.kind) {
  case (.object, .string):
    guard let key = Key(key) else { return .null }
    return target.member(key) ?? .null
  case (.array, .number):
    return element(target, key.double ?? .nan)
  case (.array, .object), (.string, .object):
    guard let from = key.member(Names.start), let to = key.member(Names.end) else {
      throw Exception("Array/string slice indices must be integers")
    }
    return try slice(target, from: from, to: to)
  case (.array, .array):
    return try .array(positions(of: key, in: target))
  case (.null, .string), (.null, .number), (.null, .object):
    return .null
  default:
    throw Exception("Cannot index \(target.typeName) with \(key.described)")
  }
}

/// The constant names that the evaluator itself looks up.
enum Names {
  static let start = Key("start")
  static let end = Key("end")
  static let key = Key("key")
  static let value = Key("value")
  static let keyAndValue = Shape([key, value])
  static let slice = Shape([start, end])
}

private func element(_ target: Value, _ position: Double) -> Value {
  guard !position.isNaN else { return .null }
  var number = Int(max(-2_147_483_648, min(2_147_483_647, position)))
  if position < 0 { number += target.count ?? 0 }
  return target.element(number) ?? .null
}

/// The value of `target.name`, with a hint where the name was last found.
@inline(__always)
func index(_ target: Value, _ key: Key, hint: inout Int) throws(Exception) -> Value {
  if let found = target.member(key, hint: &hint) { return found }
  return try missing(target, key)
}

@inline(never)
private func missing(_ target: Value, _ key: Key) throws(Exception) -> Value {
  let kind = target.kind
  if kind == .object || kind == .null { return .null }
  throw Exception("Cannot index \(target.typeName) with \(Value.string(key.bytes).described)")
}

// MARK: - Slices

/// The bounds of a slice of something with `count` entries: the lower rounds down, the upper up.
func sliceBounds(_ count: Int, from: Value, to: Value) throws(Exception) -> Range<Int> {
  let length = Double(count)
  guard from.isNull || from.double != nil, to.isNull || to.double != nil else {
    throw Exception("Array/string slice indices must be integers")
  }
  var lower = from.double ?? 0
  if lower.isNaN { lower = 0 }
  if lower < 0 { lower += length }
  lower = min(max(lower, 0), length)
  let start = Int(lower)
  var upper = to.double ?? length
  if upper.isNaN { upper = length }
  if upper < 0 { upper += length }
  if upper < 0 { upper = Double(start) }
  var end = upper > length ? count : Int(upper)
  if end < count, Double(end) < upper { end += 1 }
  return start..<max(start, end)
}

/// The value of `target[from:to]`.
func slice(_ target: Value, from: Value, to: Value) throws(Exception) -> Value {
  switch target.kind {
  case .null: return .null
  case .array:
    let bounds = try sliceBounds(target.count ?? 0, from: from, to: to)
    // All of it is the array itself, for path expressions too.
    if !bounds.isEmpty, bounds.count == target.count { return target }
    return target.slice(bounds.lowerBound, bounds.upperBound)
  case .string:
    let bytes = target.textBytes ?? []
    let count = characterCount(bytes)
    let bounds = try sliceBounds(count, from: from, to: to)
    // ASCII: each character is a byte.
    if count == bytes.count { return .string(Array(bytes[bounds])) }
    let start = byteOffset(of: bounds.lowerBound, in: bytes, from: 0)
    let end = byteOffset(of: bounds.count, in: bytes, from: start)
    return .string(Array(bytes[start..<end]))
  default:
    throw Exception("Cannot index \(target.typeName) with object (\(sliceKey(from, to).excerpt))")
  }
}

/// The key that stands for a slice in a path.
func sliceKey(_ from: Value, _ to: Value) -> Value { .object(Names.slice, [from, to]) }

/// Code points in a UTF-8 text.
func characterCount(_ bytes: [UInt8]) -> Int {
  bytes.withUnsafeBufferPointer { view in
    var count = 0
    for byte in view where byte & 0xc0 != 0x80 { count += 1 }
    return count
  }
}

/// The offset after `count` code points from `start`.
func byteOffset(of count: Int, in bytes: [UInt8], from start: Int) -> Int {
  var at = start
  var left = count
  while at < bytes.count {
    if bytes[at] & 0xc0 != 0x80 {
      if left == 0 { return at }
      left -= 1
    }
    at += 1
  }
  return at
}

// MARK: - Searching

/// The positions at which an array occurs within another.
func positions(of wanted: Value, in target: Value) throws(Exception) -> [Value] {
  guard let pattern = wanted.items, let items = target.items, !pattern.isEmpty else { return [] }
  var found: [Value] = []
  for start in items.indices {
    var matches = true
    for (offset, item) in pattern.enumerated() {
      guard start + offset < items.count, try equal(items[start + offset], item) else {
        matches = false
        break
      }
    }
    if matches { found.append(.number(start)) }
  }
  return found
}

// `has(key)`
func has(_ target: Value, _ key: Value) throws(Exception) -> Bool {
  switch (target.kind, key.kind) {
  case (.null, _): return false
  case (.object, .string): return Key(key).map { target.member($0) != nil } ?? false
  case (.array, .number):
    guard let position = key.double, !position.isNaN else { return false }
    return position > -1 && Int(min(position, 4_000_000_000)) < (target.count ?? 0)
  default: throw Exception("Cannot check whether \(target.typeName) has a \(key.typeName) key")
  }
}

// MARK: - Iterating

/// Calls `out` with each element, or each member's value.
@inline(__always)
func iterate(_ value: Value, _ run: Run, _ out: Emit) throws(Exception) {
  switch value.kind {
  case .array:
    var elements = value.elements
    while let element = elements.next() {
      try run.step()
      try out(element)
    }
  case .object:
    var members = value.members
    while let member = members.next() {
      try run.step()
      try out(member.value)
    }
  default: throw Exception("Cannot iterate over \(value.iterationSubject)")
  }
}

extension Value {
  var iterationSubject: String { isNull ? "null (null)" : described }
}
