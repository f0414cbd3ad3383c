// The operators on two values.

import CGlibc

extension Operator {
  /// Applies the operator.
  @inline(__always)
  func apply(_ a: Value, _ b: Value, _ run: Run) throws(Exception) -> Value {
    switch self {
    case .add: return try JSON.add(a, b, run)
    case .subtract: return try JSON.subtract(a, b)
    case .multiply: return try JSON.multiply(a, b, run)
    case .divide: return try JSON.divide(a, b, run)
    case .modulo: return try JSON.modulo(a, b)
    case .equal: return .bool(try JSON.equal(a, b))
    case .notEqual: return .bool(!(try JSON.equal(a, b)))
    case .less: return .bool(try compare(a, b) < 0)
    case .lessOrEqual: return .bool(try compare(a, b) <= 0)
    case .greater: return .bool(try compare(a, b) > 0)
    case .greaterOrEqual: return .bool(try compare(a, b) >= 0)
    }
  }
}

private let deepest = 10_001

func equal(_ a: Value, _ b: Value) throws(Exception) -> Bool {
  if a.depth > deepest, b.depth > deepest { throw Exception("Equality check too deep") }
  return a == b
}

/// jq's order: negative, zero or positive.
func compare(_ a: Value, _ b: Value) throws(Exception) -> Int {
  if a.depth > deepest, b.depth > deepest { throw Exception("Comparison too deep") }
  return Value.order(a, b)
}

@inline(__always)
func add(_ a: Value, _ b: Value, _ run: Run) throws(Exception) -> Value {
  if let left = a.double, let right = b.double { return .number(left + right) }
  var sum = a
  try add(b, to: &sum, run)
  return sum
}

/// `sum = sum + b`, in place where the storage has one owner.
func add(_ b: Value, to sum: inout Value, _ run: Run) throws(Exception) {
  switch (sum.kind, b.kind) {
  case (.null, _): sum = b
  case (_, .null): break
  case (.number, .number): sum = .number((sum.double ?? 0) + (b.double ?? 0))
  case (.string, .string):
    let count = b.withText { text in
      sum.appendText(text)
      return text.count
    }
    try run.charge(count ?? 0)
  case (.array, .array):
    try run.reserve((b.count ?? 0) * MemoryLayout<Value>.stride)
    sum.append(contentsOf: b)
  case (.object, .object):
    try run.reserve((b.count ?? 0) * 2 * MemoryLayout<Value>.stride)
    sum.merge(b)
  default: throw typeError(sum, b, "cannot be added")
  }
}

func subtract(_ a: Value, _ b: Value) throws(Exception) -> Value {
  if let left = a.double, let right = b.double { return .number(left - right) }
  guard let items = a.items, let unwanted = b.items else { throw typeError(a, b, "cannot be subtracted") }
  var kept: [Value] = []
  for item in items {
    var isWanted = true
    for other in unwanted where try equal(item, other) {
      isWanted = false
      break
    }
    if isWanted { kept.append(item) }
  }
  return .array(kept)
}

func multiply(_ a: Value, _ b: Value, _ run: Run) throws(Exception) -> Value {
  if let left = a.double, let right = b.double { return .number(left * right) }
  switch (a.kind, b.kind) {
  case (.string, .number): return try repeated(a, b.double ?? 0, run)
  case (.number, .string): return try repeated(b, a.double ?? 0, run)
  case (.object, .object): return try mergeDeeply(a, b, 0, run)
  default: throw typeError(a, b, "cannot be multiplied")
  }
}

private func repeated(_ text: Value, _ times: Double, _ run: Run) throws(Exception) -> Value {
  if times < 0 || times.isNaN { return .null }
  let count = Int(min(times, 2_147_483_647))
  let bytes = text.textBytes ?? []
  if bytes.isEmpty || count == 0 { return .string([UInt8]()) }
  let (total, overflow) = bytes.count.multipliedReportingOverflow(by: count)
  guard !overflow, total < 2_147_483_647 - 8 else { throw Exception("Repeat string result too long") }
  try run.reserve(total)
  var result: [UInt8] = []
  result.reserveCapacity(total)
  for _ in 0..<count { result.append(contentsOf: bytes) }
  return .string(result)
}

private func mergeDeeply(_ a: Value, _ b: Value, _ level: Int, _ run: Run) throws(Exception) -> Value {
  if level > 10_000 { throw Exception("Object merge too deep") }
  try run.checkStack()
  var result = a
  var members = b.members
  while let (name, value) = members.next() {
    guard let key = Key(name) else { continue }
    try run.charge(2 * MemoryLayout<Value>.stride)
    if value.kind == .object, let old = result.member(key), old.kind == .object {
      result.setMember(key, try mergeDeeply(old, value, level + 1, run))
    } else {
      result.setMember(key, value)
    }
  }
  return result
}

func divide(_ a: Value, _ b: Value, _ run: Run) throws(Exception) -> Value {
  if let left = a.double, let right = b.double {
    if right == 0 { throw typeError(a, b, "cannot be divided because the divisor is zero") }
    return .number(left / right)
  }
  guard let text = a.textBytes, let separator = b.textBytes else {
    throw typeError(a, b, "cannot be divided")
  }
  return try split(text, by: separator, run)
}

func modulo(_ a: Value, _ b: Value) throws(Exception) -> Value {
  guard let left = a.double, let right = b.double else {
    throw typeError(a, b, "cannot be divided (remainder)")
  }
  if left.isNaN || right.isNaN { return .number(.nan) }
  let divisor = saturated(right)
  if divisor == 0 { throw typeError(a, b, "cannot be divided (remainder) because the divisor is zero") }
  return .number(divisor == -1 ? 0 : Double(saturated(left) % divisor))
}

/// The double cut to an integer, the largest for everything larger.
func saturated(_ number: Double) -> Int {
  if number.isNaN { return 0 }
  if number >= 9_223_372_036_854_775_808 { return .max }
  if number <= -9_223_372_036_854_775_808 { return .min }
  return Int(number)
}

/// The pieces of a text between separators; its characters when the separator is empty.
func split(_ text: [UInt8], by separator: [UInt8], _ run: Run) throws(Exception) -> Value {
  var pieces: [Value] = []
  if text.isEmpty { return .array([]) }
  try run.charge(text.count)
  if separator.isEmpty {
    var start = 0
    for at in 1...text.count where at == text.count || text[at] & 0xc0 != 0x80 {
      pieces.append(.string(Array(text[start..<at])))
      start = at
    }
    return .array(pieces)
  }
  var start = 0
  while let found = find(separator, in: text, from: start) {
    try run.charge(MemoryLayout<Value>.stride * 3)
    pieces.append(.string(Array(text[start..<found])))
    start = found + separator.count
  }
  pieces.append(.string(Array(text[start...])))
  return .array(pieces)
}

/// Where a text next occurs in another.
func find(_ wanted: [UInt8], in text: [UInt8], from start: Int) -> Int? {
  guard start <= text.count, !wanted.isEmpty else { return nil }
  return text.withUnsafeBytes { all in
    wanted.withUnsafeBytes { part -> Int? in
      guard let base = all.baseAddress, let needle = part.baseAddress else { return nil }
      guard let hit = memmem(base + start, all.count - start, needle, part.count) else { return nil }
      return UnsafeRawPointer(hit) - base
    }
  }
}

// `-x`
func negative(_ value: Value) throws(Exception) -> Value {
  guard let negated = value.negated else { throw typeError(value, "cannot be negated") }
  return negated
}
