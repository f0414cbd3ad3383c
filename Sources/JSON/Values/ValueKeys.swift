// Values as keys: one form for all values that are equal, so that equal keys have the same bytes.

extension Value {
  /// The bytes that all values have which equal this one: numbers in one form, members in the order of their names.
  ///
  ///     Value.literal("1.0")?.canonicalBytes  // those of 1
  ///
  /// Two numbers with more digits than a double has keep theirs, and so differ where `==` says that they do.
  public var canonicalBytes: [UInt8] {
    switch kind {
    case .number: canonicalNumber
    case .array, .object: canonical.json
    default: json
    }
  }

  /// Whether it is written as all its equals are; cheap for texts and short integers.
  public var isCanonical: Bool {
    if case .number(let double) = self { return double != 0 || double.sign == .plus }
    switch kind {
    case .number: return isShortInteger || canonicalNumber == json
    case .array, .object: return withStack(for: nesting) { hasCanonicalParts }
    default: return true
    }
  }

  private var hasCanonicalParts: Bool {
    if kind == .array {
      var elements = elements
      while let element = elements.next() { if !element.isCanonical { return false } }
      return true
    }
    let names = keys
    guard zip(names, names.dropFirst()).allSatisfy({ $0 < $1 }) else { return false }
    var members = members
    while let (_, value) = members.next() { if !value.isCanonical { return false } }
    return true
  }

  /// The value as all its equals are written: numbers in one form, members in the order of their names.
  public var canonical: Value {
    if isCanonical { return self }
    return withStack(for: nesting) {
      switch kind {
      case .number: return exactNumber?.withUnsafeBufferPointer { Value.literal($0) } ?? rounded
      case .array: return .array((items ?? []).map(\.canonical))
      case .object:
        var sorted = Value.emptyObject
        for name in sortedKeys { sorted.setMember(name, (member(name) ?? .null).canonical) }
        return sorted
      default: return self
      }
    }
  }

  private var canonicalNumber: [UInt8] { isShortInteger ? json : exactNumber ?? rounded.json }

  /// The number as a double, zero without a sign.
  private var rounded: Value { .number(double.map { $0 == 0 ? 0 : $0 } ?? 0) }

  /// The text of a number that no double is, without zeros at its end; nil for all others.
  private var exactNumber: [UInt8]? {
    let rounded = rounded.json
    let text = withLiteralText { text -> [UInt8]? in
      guard var decimal = Decimal(text), decimal.form == .finite, !decimal.isZero else { return nil }
      if rounded.withUnsafeBufferPointer({ Decimal.order(text, $0) }) == 0 { return nil }
      while decimal.digits.last == 0 {
        decimal.digits.removeLast()
        decimal.exponent += 1
      }
      if 1...20 ~= decimal.exponent {
        decimal.digits += repeatElement(0, count: decimal.exponent)
        decimal.exponent = 0
      }
      return decimal.canonicalText()
    }
    return text ?? nil
  }

  /// Whether it is written as an integer of no more digits than each double keeps apart.
  private var isShortInteger: Bool {
    withLiteralText { text in
      let digits = text.first == 0x2d ? text.dropFirst() : text[...]
      guard let first = digits.first, digits.count <= 15, first != 0x30 || text.count == 1 else {
        return false
      }
      return digits.allSatisfy { $0 &- 0x30 < 10 }
    } ?? false
  }
}
