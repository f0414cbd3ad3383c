/// The hexadecimal digits of bytes, two for each: `0fa0`.
package func hexDigits(of bytes: some Collection<UInt8>) -> String {
  let digits: StaticString = "0123456789abcdef"
  return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
    var end = 0
    for byte in bytes {
      text[end] = digits.utf8Start[Int(byte >> 4)]
      text[end + 1] = digits.utf8Start[Int(byte & 15)]
      end += 2
    }
    return end
  }
}

/// The sixteen hexadecimal digits of a number.
package func hexDigits(of number: UInt64) -> String {
  hexDigits(of: (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
}
