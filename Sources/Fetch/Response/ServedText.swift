import Glibc
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
  if westernNames.contains(name), !isMarked {
    return !trustsName && isUTF8(text) ? text : western(text)
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
  guard let name = name ?? (isPage ? "latin1" : nil), westernNames.contains(String(name)) else { return nil }
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
func charset(ofType type: String?) -> String? {
  for parameter in type?.split(separator: ";").dropFirst() ?? [] {
    let parts = parameter.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "charset" else { continue }
    let name = parts[1].filter { $0 != "\"" && $0 != " " && $0 != "'" }
    return name.isEmpty ? nil : name
  }
  return nil
}

private func isUTF8(_ text: [UInt8]) -> Bool { text.withUnsafeBufferPointer { isValidUTF8($0) } }

// MARK: - Encodings

private let westernNames: Set = [
  "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1", "iso88591", "latin1",
  "latin-1", "l1",
  "us-ascii", "ascii", "ansi_x3.4-1968",
]

/// What names mean in practice: encodings that contain the named ones, as in browsers.
private let practicalNames = [
  "iso-8859-9": "CP1254", "latin5": "CP1254", "iso-8859-11": "CP874", "tis-620": "CP874", "gb2312": "GB18030",
  "gbk": "GB18030", "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
  "euc-kr": "CP949",
  "ks_c_5601-1987": "CP949",
]

/// The characters of windows-1252 from 0x80 to 0x9f; five have no meaning, and stay as they are.
private let westernCharacters: [UInt16] = [
  0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
  0x17d, 0x8f,
  0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
  0x17e, 0x178,
]

private func western(_ text: some Collection<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count + text.count / 8)
  for byte in text {
    if byte < 0x80 {
      result.append(byte)
      continue
    }
    let code = byte < 0xa0 ? westernCharacters[Int(byte) - 0x80] : UInt16(byte)
    if code < 0x800 {
      result.append(0xc0 | UInt8(code >> 6))
    } else {
      result.append(0xe0 | UInt8(code >> 12))
      result.append(0x80 | UInt8(code >> 6 & 0x3f))
    }
    result.append(0x80 | UInt8(code & 0x3f))
  }
  return result
}

/// The text in UTF-8 by iconv, and the offset of the first byte that has no meaning; nil for an unknown encoding.
private func converted(_ text: [UInt8], from name: String) -> (text: [UInt8], bad: Int?)? {
  // A slash would begin options, one of which drops characters.
  guard !name.contains("/"), let converter = iconv_open("UTF-8", practicalNames[name] ?? name),
    converter != UnsafeMutableRawPointer(bitPattern: -1)
  else { return nil }
  defer { iconv_close(converter) }
  var text = text
  var result: [UInt8] = []
  result.reserveCapacity(text.count + text.count / 2)
  let bad = text.withUnsafeMutableBytes { input -> Int? in
    var at = input.baseAddress?.assumingMemoryBound(to: CChar.self)
    var left = input.count
    while left > 0 {
      let failure = step(of: converter, into: &result) { iconv(converter, &at, &left, &$0, &$1) }
      if let failure, failure != E2BIG { return input.count - left }
    }
    // Some encodings hold a character back until they know what follows.
    _ = step(of: converter, into: &result) { iconv(converter, nil, nil, &$0, &$1) }
    return nil
  }
  return (result, bad)
}

/// One call of iconv, whose output is appended; its error, if there is one.
private func step(
  of converter: iconv_t, into result: inout [UInt8],
  _ call: (inout UnsafeMutablePointer<CChar>?, inout Int) -> Int
) -> Int32? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { room in
    var end = room.baseAddress
    var free = room.count
    let failure = call(&end, &free) == -1 ? errno : nil
    result += UnsafeRawBufferPointer(start: room.baseAddress, count: room.count - free)
    return failure
  }
}
