extension [Value] {
  /// The places of the values in jq's order, or in the opposite one; equal values keep theirs.
  ///
  ///     let values: [Value] = [3, 1, 2]
  ///     values.sortedPlaces()   // [1, 2, 0]
  public func sortedPlaces(descending: Bool = false) -> [Int] {
    var ranks: [Rank] = []
    ranks.reserveCapacity(count)
    for (place, value) in enumerated() { ranks.append(Rank(value, place)) }
    // The standard library's sort is stable but does not promise to be, so ties are broken by place.
    ranks.sort { left, right in
      if left.kind != right.kind { return (left.kind < right.kind) != descending }
      if left.first != right.first { return (left.first < right.first) != descending }
      if left.second != right.second { return (left.second < right.second) != descending }
      let order = left.isAll && right.isAll ? 0 : Value.order(self[left.place], self[right.place])
      return order == 0 ? left.place < right.place : (order < 0) != descending
    }
    return ranks.map(\.place)
  }
}

/// The beginning of a value, which decides most comparisons without a look at the value itself, far away in memory.
private struct Rank {
  let kind: UInt8
  /// Whether two values with the same beginning are equal, if this holds for both.
  let isAll: Bool
  /// A number, or the first bytes of a text.
  let first: UInt64
  let second: UInt64
  let place: Int

  init(_ value: Value, _ place: Int) {
    kind = value.kind.rawValue
    self.place = place
    switch value.kind {
    case .null: (first, second, isAll) = (0, 0, true)
    case .boolean: (first, second, isAll) = (value.isTruthy ? 1 : 0, 0, true)
    case .number:
      let number = value.double ?? 0
      (first, second) = (Rank.bits(of: number), 0)
      isAll = !number.isNaN && !value.mayExceedDouble
    case .string:
      (first, second, isAll) = value.withText(Rank.beginning) ?? (0, 0, false)
    case .array, .object: (first, second, isAll) = (0, 0, false)
    }
  }

  /// Bits in the order of numbers, with not-a-number before all others.
  private static func bits(of number: Double) -> UInt64 {
    if number.isNaN { return 0 }
    if number == 0 { return 1 << 63 }
    let bits = number.bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func beginning(of text: ByteView) -> (UInt64, UInt64, Bool) {
    var words: (UInt64, UInt64) = (0, 0)
    for (place, byte) in text.prefix(16).enumerated() {
      let shift = UInt64(56 - 8 * (place & 7))
      if place < 8 { words.0 |= UInt64(byte) << shift } else { words.1 |= UInt64(byte) << shift }
    }
    // Zeros at the end are those of a shorter text, too.
    return (words.0, words.1, text.count <= 16 && text.last != 0)
  }
}
