import JSON
import System

/// The error of a text that is not in the encoding that it should have.
private func flaw(of text: [UInt8], at offset: Int, notIn charset: String) -> Sentence {
  let line = text[..<offset].count { $0 == 0x0a } + 1
  let start = text[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
  let byte = String(text[offset], radix: 16)
  let shown = "byte 0x\(byte.count == 1 ? "0" : "")\(byte)"
  return Sentence("line \(line), column \(offset - start + 1): the text is not \(charset): \(shown)")
}

/// A text that a server has sent, in UTF-8.
///
/// A byte order mark counts more than `charset`, the encoding that the server has named. One that is not known counts as
/// UTF-8, as none does. As in browsers, ISO-8859-1 and ASCII are windows-1252, which contains them.
/// A text that is UTF-8 by its bytes is not windows-1252 by its name.
package func servedText(_ text: [UInt8], charset: String?) throws(Sentence) -> [UInt8] {
  let isWide = text.starts(with: [0xff, 0xfe]) || text.starts(with: [0xfe, 0xff])
  let name = isWide ? "utf-16" : charset?.lowercased() ?? "utf-8"
  let isMarked = text.starts(with: [0xef, 0xbb, 0xbf])
  if TextConverter.isWestern(name), !isMarked {
    return isUTF8(text) ? text : text.withUnsafeBufferPointer { TextConverter.western($0) }
  }
  if !isMarked, !["utf-8", "utf8"].contains(name), let (result, bad) = converted(text, from: name) {
    if let bad { throw flaw(of: text, at: bad, notIn: name.uppercased()) }
    return result
  }
  let end = text.withUnsafeBufferPointer { invalidUTF8Offset($0) }
  if end < text.count { throw flaw(of: text, at: end, notIn: "UTF-8") }
  return text
}

/// The encoding that a header Content-Type names.
package func charset(ofType type: String?) -> String? {
  for parameter in type?.split(separator: ";").dropFirst() ?? [] {
    let parts = parameter.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "charset" else { continue }
    let name = parts[1].filter { $0 != "\"" && $0 != " " && $0 != "'" }
    return name.isEmpty ? nil : name
  }
  return nil
}

private func isUTF8(_ text: [UInt8]) -> Bool { text.withUnsafeBufferPointer { isValidUTF8($0) } }

/// The text in UTF-8, and the offset of the first byte that has no meaning; nil for an unknown encoding.
private func converted(_ text: [UInt8], from name: String) -> (text: [UInt8], bad: Int?)? {
  guard let converter = TextConverter(from: name) else { return nil }
  var result: [UInt8] = []
  result.reserveCapacity(text.count + text.count / 2)
  let count = text.withUnsafeBufferPointer { converter.convert($0, into: &result).count }
  converter.finish(into: &result)
  return (result, count < text.count ? count : nil)
}
