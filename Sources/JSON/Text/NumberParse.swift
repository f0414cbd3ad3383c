// From a number's text to a double.

import Glibc

/// An integer of at most 18 digits, as the grammar writes it; nil for a longer one.
@inline(__always)
func smallInteger(_ text: ByteView) -> Int? {
  guard let base = text.baseAddress else { return nil }
  var at = 0
  let isNegative = base[0] == 0x2d
  if isNegative { at = 1 }
  guard text.count - at <= 18 else { return nil }
  var value = 0
  while at < text.count {
    value = value &* 10 &+ Int(base[at] &- 0x30)
    at += 1
  }
  return isNegative ? -value : value
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19,
  1e20, 1e21, 1e22,
]

/// The double nearest to a number's text, which must be one that `Decimal` accepts.
@inline(never)
func parseDouble(_ text: ByteView) -> Double {
  var at = 0
  let isNegative = text.first == 0x2d
  if isNegative { at = 1 }
  var mantissa: UInt64 = 0
  var digits = 0
  var scale = 0
  while at < text.count, text[at] &- 0x30 < 10 {
    mantissa = mantissa &* 10 &+ UInt64(text[at] &- 0x30)
    digits += 1
    at += 1
  }
  if at < text.count, text[at] == 0x2e {
    at += 1
    while at < text.count, text[at] &- 0x30 < 10 {
      mantissa = mantissa &* 10 &+ UInt64(text[at] &- 0x30)
      digits += 1
      scale += 1
      at += 1
    }
  }
  // Both factors exact in a double: one rounding, hence the nearest.
  if at == text.count, digits > 0, digits <= 18, mantissa < 1 << 53, scale <= 22 {
    let double = Double(mantissa) / powersOfTen[scale]
    return isNegative ? -double : double
  }
  if at == text.count, digits > 0, digits <= 19, scale <= 19,
    let double = divided(mantissa, byTenTo: scale)
  {
    return isNegative ? -double : double
  }
  // `nan` and `snan`; no other number ends in that letter.
  if let last = text.last, last | 0x20 == 0x6e { return .nan }
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count + 1) { buffer in
    for (place, byte) in text.enumerated() { buffer[place] = CChar(truncatingIfNeeded: byte) }
    buffer[text.count] = 0
    guard let start = buffer.baseAddress else { return 0 }
    return strtod(start, nil)
  }
}

private let integerPowersOfTen: [UInt64] = {
  var powers: [UInt64] = [1]
  while powers.count < 20 { powers.append(powers[powers.count - 1] &* 10) }
  return powers
}()

/// The double nearest to the quotient; nil where 64 binary places are too few to know it.
private func divided(_ mantissa: UInt64, byTenTo scale: Int) -> Double? {
  let divisor = integerPowersOfTen[scale]
  let (whole, rest) = mantissa.quotientAndRemainder(dividingBy: divisor)
  // A fixed-point number of 64 places on both sides, and whether it has more of them.
  let (places, remainder) = divisor.dividingFullWidth((rest, 0))
  let bits = whole > 0 ? 128 - whole.leadingZeroBitCount : 64 - places.leadingZeroBitCount
  let excess = bits - 53
  guard excess > 1 else { return nil }
  let number = UInt128(whole) << 64 | UInt128(places)
  var rounded = UInt64(truncatingIfNeeded: number >> UInt128(excess))
  let lost = number & (1 << UInt128(excess) - 1)
  let half: UInt128 = 1 << UInt128(excess - 1)
  if lost > half || lost == half && (remainder != 0 || rounded & 1 == 1) { rounded += 1 }
  return Double(sign: .plus, exponent: excess - 64, significand: Double(rounded))
}
