import JSON
import System

/// Why a text is not in the encoding that it should have, and where.
package struct EncodingFlaw: Error, Equatable, CustomStringConvertible {
  package let description: String

  fileprivate init(_ charset: String, _ text: [UInt8], at offset: Int) {
    let line = text[..<offset].count { $0 == 0x0a } + 1
    let start = text[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    let byte = String(text[offset], radix: 16)
    let shown = "byte 0x\(byte.count == 1 ? "0" : "")\(byte)"
    description = "line \(line), column \(offset - start + 1): the text is not \(charset): \(shown)"
  }
}

/// A text that a server has sent, in UTF-8.
///
/// A byte order mark counts more than `charset`, the encoding that the server has named. One that is not known counts as
/// UTF-8, as none does. As in browsers, ISO-8859-1 and ASCII are windows-1252, which contains them.
///
/// - Parameter trustsName: Whether a text is windows-1252 by its name even where it is UTF-8 by its bytes.
package func servedText(
  _ text: [UInt8], charset: String?, trustsName: Bool = false
) throws(EncodingFlaw) -> [UInt8] {
  let isWide = text.starts(with: [0xff, 0xfe]) || text.starts(with: [0xfe, 0xff])
  let name = isWide ? "utf-16" : charset?.lowercased() ?? "utf-8"
  let isMarked = text.starts(with: [0xef, 0xbb, 0xbf])
  if TextConverter.isWestern(name), !isMarked {
    return !trustsName && isUTF8(text) ? text : text.withUnsafeBufferPointer { western($0) }
  }
  if !isMarked, !["utf-8", "utf8"].contains(name), let (result, bad) = converted(text, from: name) {
    if let bad { throw EncodingFlaw(name.uppercased(), text, at: bad) }
    return result
  }
  let end = text.withUnsafeBufferPointer { invalidUTF8Offset($0) }
  if end < text.count { throw EncodingFlaw("UTF-8", text, at: end) }
  return text
}

/// A document in UTF-8 that is windows-1252 by what it declares; nil for any other.
///
/// As in browsers, that is one which declares ISO-8859-1 or ASCII, and a page that declares nothing and is not UTF-8.
package func westernDocument(_ text: ByteView, isPage: Bool) -> [UInt8]? {
  let start = String(decoding: text.prefix(1024).map { min($0, 0x80) }, as: UTF8.self).lowercased()
  // Behind a byte order mark nothing else counts.
  if [0xef, 0xfe, 0xff].contains(text.first) { return nil }
  var name: Substring?
  if isPage {
    name = value(of: "charset", in: start[...])
  } else if let end = start.place(of: "?>") {
    name = value(of: "encoding", in: start[..<end.lowerBound])
  }
  guard let name = name ?? (isPage ? "latin1" : nil), TextConverter.isWestern(String(name)) else {
    return nil
  }
  if isPage || name.hasSuffix("ascii"), isValidUTF8(text) { return isPage ? nil : Array(text) }
  return western(text)
}

/// The value of an attribute, with or without quotes.
private func value(of attribute: String, in text: Substring) -> Substring? {
  guard let place = text.place(of: attribute) else { return nil }
  let rest = text[place.upperBound...].drop { " =\"'".contains($0) }
  return rest.prefix { !" \"'>;/?".contains($0) }
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

/// The text in UTF-8, from windows-1252.
private func western(_ text: ByteView) -> [UInt8] {
  var result: [UInt8] = []
  _ = TextConverter(from: "windows-1252")?.convert(text, into: &result)
  return result
}
