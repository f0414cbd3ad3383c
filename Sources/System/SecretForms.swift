/// The forms in which a secret may appear: as it is, and as a URL, JSON or base64 writes it.
public func secretForms(_ secret: String) -> [String] {
  let json = escapedAsJSON(secret, "\"\\")
  let slashes = escapedAsJSON(secret, "\"\\/")
  let forms = [
    secret, percentForm(secret, keeping: "-._~"), percentForm(secret, keeping: "-._~,:/"),
    percentForm(secret, keeping: "-._~!$&'()*+,;=:@/%"), decodedForm(secret), json, slashes,
  ]
  return forms.enumerated().filter { index, form in !forms[..<index].contains(form) }.map(\.element)
}

private let digits = Array("0123456789ABCDEF".utf8)

private func percentForm(_ text: String, keeping kept: String) -> String {
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    let isLetter =
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    if isLetter || kept.utf8.contains(byte) {
      bytes.append(byte)
    } else {
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

private func decodedForm(_ text: String) -> String {
  var bytes: [UInt8] = []
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    let pair = String(decoding: rest.prefix(2), as: UTF8.self)
    if byte == UInt8(ascii: "%"), pair.utf8.count == 2, let decoded = UInt8(pair, radix: 16) {
      bytes.append(decoded)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

private func escapedAsJSON(_ text: String, _ marked: String) -> String {
  var bytes: [UInt8] = []
  for byte in text.utf8 {
    if marked.utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
    bytes.append(byte)
  }
  return String(decoding: bytes, as: UTF8.self)
}
