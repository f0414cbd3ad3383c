// Percent-encoding (RFC 3986), as addresses and forms have it.

/// Percent-encodes every byte that is not to be kept.
package func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
  if text.utf8.allSatisfy(isKept) { return text }
  let digits = Array("0123456789ABCDEF".utf8)
  var result: [UInt8] = []
  for byte in text.utf8 {
    if isKept(byte) {
      result.append(byte)
    } else {
      result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// Decodes a percent-encoded text.
package func percentDecoded(_ text: String) -> String {
  var result: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    let pair = String(decoding: rest.prefix(2), as: UTF8.self)
    // A sign would be taken for a part of the number.
    if byte == 0x25, pair.utf8.count == 2, pair.first?.isHexDigit == true,
      let decoded = UInt8(pair, radix: 16)
    {
      result.append(decoded)
      rest = rest.dropFirst(2)
    } else {
      result.append(byte)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// Whether a byte means itself anywhere in an address: a letter, a digit, or one of `-._~`.
package func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: "-._~".utf8.contains(byte)
  }
}
