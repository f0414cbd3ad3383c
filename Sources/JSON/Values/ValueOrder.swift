// jq's total order: null, false, true, numbers, texts by code points, arrays by elements, objects by their sorted keys
// and then by the values in that order.

extension Value {
  /// The depth from which on two values count as equal; a caller for which that is an error checks `depth` first.
  static let orderingDepth = 10_000

  /// jq's order of two values: negative, zero or positive.
  public static func order(_ a: Value, _ b: Value) -> Int {
    withStack(for: min(a.nesting, b.nesting)) { order(a, b, 0) }
  }

  private static func order(_ a: Value, _ b: Value, _ level: Int) -> Int {
    let kind = a.kind
    let other = b.kind
    guard kind == other else { return Int(kind.rawValue) - Int(other.rawValue) }
    switch kind {
    case .null: return 0
    case .boolean: return (a.isTruthy ? 1 : 0) - (b.isTruthy ? 1 : 0)
    case .number: return orderNumbers(a, b)
    case .string: return orderTexts(a, b)
    case .array: return level < orderingDepth ? orderArrays(a, b, level + 1) : 0
    case .object: return level < orderingDepth ? orderObjects(a, b, level + 1) : 0
    }
  }

  /// The order of two numbers; not-a-number comes before all others, itself included.
  @inline(__always)
  static func orderNumbers(_ a: Value, _ b: Value) -> Int {
    let left = a.double ?? 0
    let right = b.double ?? 0
    if left < right { return -1 }
    if left > right { return 1 }
    if left == right { return orderLiterals(a, b) }
    return left.isNaN ? -1 : 1
  }

  /// The order of numbers whose doubles are equal, while their literals may differ.
  @inline(__always)
  private static func orderLiterals(_ a: Value, _ b: Value) -> Int {
    guard a.mayExceedDouble, b.mayExceedDouble else { return 0 }
    let order = a.withLiteralText { left in b.withLiteralText { right in Decimal.order(left, right) } }
    return (order ?? 0) ?? 0
  }

  /// True for a literal with more digits, or a larger exponent, than every double keeps apart.
  public var mayExceedDouble: Bool {
    withLiteralText { $0.count > 15 || $0.contains { $0 | 0x20 == 0x65 } } ?? false
  }

  /// Whether two literals are the same number, where their texts decide it without being read as numbers.
  @inline(__always)
  private static func sameByText(_ a: Value, _ b: Value) -> Bool? {
    guard case .view(let first, let one) = a, case .view(let second, let other) = b else { return nil }
    let left = first.numberText(word(first, one))
    let right = second.numberText(word(second, other))
    guard isPlainDecimal(left), isPlainDecimal(right) else { return nil }
    if sameBytes(left, right) { return true }
    // Of so few digits no two numbers have the same double; literals that are longer differ by every digit.
    return (left.count > 15) == (right.count > 15) ? false : nil
  }

  /// Whether no other text without an exponent is this number.
  @inline(__always)
  private static func isPlainDecimal(_ text: ByteView) -> Bool {
    guard let base = text.baseAddress else { return false }
    let start = base[0] == 0x2d ? 1 : 0
    let digits = text.count - start
    guard digits > 0, base[start] != 0x30 || digits > 2 && base[start + 1] == 0x2e || text.count == 1 else {
      return false
    }
    var hasPoint = false
    for place in start..<text.count where base[place] &- 0x30 > 9 {
      if hasPoint || base[place] != 0x2e { return false }
      hasPoint = true
    }
    return !hasPoint || base[start] != 0x2e && base[text.count - 1] &- 0x31 < 9
  }

  static func orderTexts(_ a: Value, _ b: Value) -> Int {
    (a.withText { left in b.withText { right in orderBytes(left, right) } } ?? 0) ?? 0
  }

  private static func orderArrays(_ a: Value, _ b: Value, _ level: Int) -> Int {
    var left = a.elements
    var right = b.elements
    while let first = left.next() {
      guard let second = right.next() else { return 1 }
      let order = order(first, second, level)
      if order != 0 { return order }
    }
    return right.next() == nil ? 0 : -1
  }

  private static func orderObjects(_ a: Value, _ b: Value, _ level: Int) -> Int {
    let left = a.sortedKeys
    let right = b.sortedKeys
    for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
    guard left.count == right.count else { return left.count - right.count }
    for key in left {
      let order = order(a.member(key) ?? .null, b.member(key) ?? .null, level)
      if order != 0 { return order }
    }
    return 0
  }
}

extension Value: Equatable, Comparable {
  /// jq's `==`: numbers by value, objects whatever the order of their members.
  public static func == (a: Value, b: Value) -> Bool {
    withStack(for: min(a.nesting, b.nesting)) { same(a, b, 0) }
  }

  public static func < (a: Value, b: Value) -> Bool { order(a, b) < 0 }

  private static func same(_ a: Value, _ b: Value, _ level: Int) -> Bool {
    let kind = a.kind
    guard kind == b.kind else { return false }
    switch kind {
    case .null: return true
    case .boolean: return a.isTruthy == b.isTruthy
    case .number: return sameByText(a, b) ?? (orderNumbers(a, b) == 0)
    case .string: return (a.withText { left in b.withText { sameBytes(left, $0) } } ?? false) ?? false
    case .array, .object:
      guard a.count == b.count, level < orderingDepth else { return a.count == b.count }
      if kind == .array {
        var left = a.elements
        var right = b.elements
        while let first = left.next(), let second = right.next() {
          if !same(first, second, level + 1) { return false }
        }
        return true
      }
      var members = a.members
      while let (key, first) = members.next() {
        guard let key = Key(key), let second = b.member(key), same(first, second, level + 1) else {
          return false
        }
      }
      return true
    }
  }
}

extension Value: Hashable {
  /// Agrees with `==`: the order of an object's members does not count.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(contentHash(0))
  }

  /// Below a certain depth only counts are hashed: a hash need not cover everything.
  private func contentHash(_ level: Int) -> UInt64 {
    let kind = kind
    let salt = UInt64(kind.rawValue) &* 0x9E37_79B9_7F4A_7C15
    switch kind {
    case .null: return salt
    case .boolean: return salt ^ (isTruthy ? 1 : 2)
    case .number:
      let double = double ?? 0
      return salt ^ (double == 0 ? 0 : double.isNaN ? 1 : double.bitPattern)
    case .string: return salt ^ UInt64(withText { hashBytes($0) } ?? 0)
    case .array, .object:
      var hash = salt ^ UInt64(count ?? 0)
      guard level < 16 else { return hash }
      if kind == .array {
        forEachElement { hash = (hash ^ $0.contentHash(level + 1)) &* 0x100_0000_01B3 }
      } else {
        forEachMember { key, value in
          hash &+= (key.contentHash(level) &* 0x100_0000_01B3) ^ value.contentHash(level + 1)
        }
      }
      return hash
    }
  }
}
