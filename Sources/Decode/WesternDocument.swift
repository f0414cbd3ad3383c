import JSON
import System

/// A document in UTF-8 that is windows-1252 by what it declares; nil for any other.
///
/// As in browsers, that is one which declares ISO-8859-1 or ASCII, and a page that declares nothing and is not UTF-8.
func westernDocument(_ text: ByteView, isPage: Bool) -> [UInt8]? {
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
  return TextConverter.western(text)
}

/// The value of an attribute, with or without quotes.
private func value(of attribute: String, in text: Substring) -> Substring? {
  guard let place = text.place(of: attribute) else { return nil }
  let rest = text[place.upperBound...].drop { " =\"'".contains($0) }
  return rest.prefix { !" \"'>;/?".contains($0) }
}
