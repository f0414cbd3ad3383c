/// A decimal number of any size: the sign, digits and exponent of a number's text, for what a double cannot hold.
///
/// Reads what decNumber reads, which jq's number literals go through, and writes its canonical form.
struct Decimal {
  enum Form { case finite, infinite, notANumber }

  var form = Form.finite
  var isNegative = false
  /// Digits 0 to 9 without leading zeros; empty for zero.
  var digits: [UInt8] = []
  /// The power of ten of the last digit.
  var exponent = 0

  static let largestExponent = 999_999_999

  var isZero: Bool { digits.isEmpty }

  /// Nil where the text is no number.
  init?(_ text: ByteView) {
    var at = 0
    if at < text.count, text[at] == 0x2d || text[at] == 0x2b {
      isNegative = text[at] == 0x2d
      at += 1
    }
    let start = at
    var seen = 0
    var fraction: Int?
    while at < text.count {
      let byte = text[at]
      if byte &- 0x30 < 10 {
        seen += 1
        if byte != 0x30 || !digits.isEmpty { digits.append(byte &- 0x30) }
      } else if byte == 0x2e, fraction == nil {
        fraction = seen
      } else {
        break
      }
      at += 1
    }
    guard seen > 0 else {
      guard at == start, let form = Decimal.word(text, from: start) else { return nil }
      self.form = form
      return
    }
    exponent = fraction.map { $0 - seen } ?? 0
    guard at < text.count else { return }
    guard text[at] | 0x20 == 0x65, let written = Decimal.exponent(text, from: at + 1) else { return nil }
    exponent += written
    if exponent + digits.count - 1 > Decimal.largestExponent {
      if digits.isEmpty { exponent = Decimal.largestExponent } else { form = .infinite }
    }
  }

  private static func exponent(_ text: ByteView, from start: Int) -> Int? {
    var at = start
    var isNegative = false
    if at < text.count, text[at] == 0x2d || text[at] == 0x2b {
      isNegative = text[at] == 0x2d
      at += 1
    }
    guard at < text.count else { return nil }
    var value = 0
    while at < text.count {
      guard text[at] &- 0x30 < 10 else { return nil }
      // Past every limit more digits make no difference.
      if value < 1_000_000_000_000 { value = value * 10 + Int(text[at] &- 0x30) }
      at += 1
    }
    return isNegative ? -value : value
  }

  private static func word(_ text: ByteView, from start: Int) -> Form? {
    let rest = String(decoding: text[start...], as: UTF8.self).lowercased()
    switch rest {
    case "nan", "snan": return .notANumber
    case "inf", "infinity": return .infinite
    default: return nil
    }
  }

  /// The number's canonical text: plain unless the exponent is positive or the number is very small.
  func canonicalText() -> [UInt8] {
    var text: [UInt8] = isNegative ? [0x2d] : []
    let digits = digits.isEmpty ? [0] : digits
    let adjusted = exponent + digits.count - 1
    if exponent <= 0, adjusted >= -6 {
      let whole = digits.count + exponent
      if whole <= 0 {
        text.append(0x30)
      } else {
        text.append(contentsOf: digits[..<whole].lazy.map { $0 + 0x30 })
      }
      guard exponent < 0 else { return text }
      text.append(0x2e)
      if whole < 0 { text.append(contentsOf: repeatElement(0x30, count: -whole)) }
      text.append(contentsOf: digits[max(whole, 0)...].lazy.map { $0 + 0x30 })
      return text
    }
    text.append(digits[0] + 0x30)
    if digits.count > 1 {
      text.append(0x2e)
      text.append(contentsOf: digits[1...].lazy.map { $0 + 0x30 })
    }
    text.append(contentsOf: adjusted < 0 ? Array("E-".utf8) : Array("E+".utf8))
    text.append(contentsOf: String(abs(adjusted)).utf8)
    return text
  }

  /// The exact order of two numbers' texts: negative, zero or positive.
  static func order(_ a: ByteView, _ b: ByteView) -> Int {
    guard let left = Decimal(a), let right = Decimal(b), left.form == .finite, right.form == .finite else {
      return 0
    }
    if left.isZero || right.isZero { return left.signum - right.signum }
    guard left.isNegative == right.isNegative else { return left.isNegative ? -1 : 1 }
    let order = orderMagnitudes(left, right)
    return left.isNegative ? -order : order
  }

  private var signum: Int { isZero ? 0 : isNegative ? -1 : 1 }

  private static func orderMagnitudes(_ a: Decimal, _ b: Decimal) -> Int {
    let left = a.exponent + a.digits.count
    let right = b.exponent + b.digits.count
    if left != right { return left < right ? -1 : 1 }
    for place in 0..<max(a.digits.count, b.digits.count) {
      let first = place < a.digits.count ? a.digits[place] : 0
      let second = place < b.digits.count ? b.digits[place] : 0
      if first != second { return first < second ? -1 : 1 }
    }
    return 0
  }
}
