/// Writes doubles as jq does: the shortest digits that read back the same, in jq's choice of plain and exponent form.
enum NumberFormat {
  /// The most bytes a double can take.
  static let longest = 32

  static func bytes(_ double: Double) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = write(double, to: base)
    }
  }

  /// Writes at most `longest` bytes and returns the number.
  @inline(__always)
  static func write(_ double: Double, to out: UnsafeMutablePointer<UInt8>) -> Int {
    if double > -1e15, double < 1e15 {
      let integer = Int(double)
      if Double(integer) == double, integer != 0 || double.sign == .plus {
        return writeInteger(integer, to: out)
      }
    }
    return writeFraction(double, to: out)
  }

  @inline(__always)
  static func writeInteger(_ integer: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
    var rest = integer.magnitude
    var digits = 1
    var limit: UInt = 10
    while digits < 19, rest >= limit {
      digits += 1
      limit = limit &* 10
    }
    var length = digits
    var start = 0
    if integer < 0 {
      out[0] = 0x2d
      start = 1
      length += 1
    }
    var at = length
    repeat {
      at -= 1
      out[at] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    } while at > start
    return length
  }

  @inline(never)
  private static func writeFraction(_ value: Double, to out: UnsafeMutablePointer<UInt8>) -> Int {
    if value.isNaN { return put("null", out, 0) }
    // JSON has no infinities: the largest double stands for them.
    let double = min(max(value, -Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude)
    if double == 0 { return put("-0", out, 0) }
    // Swift's description has the shortest digits; only their arrangement is ours.
    var text = double.magnitude.description
    return text.withUTF8 { source in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { digits in
        var count = 0
        var point = 0
        var exponent = 0
        var at = 0
        var sawPoint = false
        while at < source.count {
          let byte = source[at]
          at += 1
          if byte == 0x2e {
            sawPoint = true
          } else if byte | 0x20 == 0x65 {
            exponent = signedInteger(source, from: at)
            break
          } else if byte != 0x30 || count > 0 {
            digits[count] = byte
            count += 1
            if !sawPoint { point += 1 }
          } else if sawPoint {
            point -= 1
          }
        }
        while count > 1, digits[count - 1] == 0x30 { count -= 1 }
        return arrange(digits, count, point + exponent, double < 0, out)
      }
    }
  }

  private static func signedInteger(_ text: ByteView, from start: Int) -> Int {
    var value = 0
    var isNegative = false
    for byte in text[start...] {
      if byte == 0x2d { isNegative = true } else if byte != 0x2b { value = value * 10 + Int(byte &- 0x30) }
    }
    return isNegative ? -value : value
  }

  private static func put(
    _ text: StaticString, _ out: UnsafeMutablePointer<UInt8>, _ start: Int
  ) -> Int {
    for place in 0..<text.utf8CodeUnitCount { out[start + place] = text.utf8Start[place] }
    return start + text.utf8CodeUnitCount
  }

  /// `point` is where the decimal point stands, counted in digits from the first.
  private static func arrange(
    _ digits: UnsafeMutableBufferPointer<UInt8>, _ count: Int, _ point: Int, _ isNegative: Bool,
    _ out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var at = 0
    func add(_ byte: UInt8) {
      out[at] = byte
      at += 1
    }
    if isNegative { add(0x2d) }
    if point <= -4 || point > count + 15 {
      add(digits[0])
      if count > 1 {
        add(0x2e)
        for place in 1..<count { add(digits[place]) }
      }
      let exponent = point - 1
      add(0x65)
      add(exponent < 0 ? 0x2d : 0x2b)
      if exponent.magnitude < 10 { add(0x30) }
      return at + writeInteger(Int(exponent.magnitude), to: out + at)
    }
    if point <= 0 {
      add(0x30)
      add(0x2e)
      for _ in 0..<(-point) { add(0x30) }
      for place in 0..<count { add(digits[place]) }
      return at
    }
    for place in 0..<max(count, point) {
      if place == point { add(0x2e) }
      add(place < count ? digits[place] : 0x30)
    }
    return at
  }
}
