import JSON
import System

/// A page in UTF-8, from the encoding that a browser takes it to be in.
struct PageText {
  private(set) var bytes: [UInt8]
  /// The parts without a meaning in the encoding.
  private(set) var flaws: PageFlaws?
  /// Whether control characters are written as characters for private use, since libgumbo replaces them.
  private(set) var hidesControls = false

  /// Reads a page in the encoding of a byte order mark, of the name that the server gives, of the first `meta`, within the
  /// first bytes or as an element, or of an XML declaration; without one in UTF-8 if the text is, else in windows-1252.
  init(_ text: ByteView, charset: String?, _ limits: MarkupLimits, _ watch: MarkupWatch) throws(TextFlaw) {
    for (mark, label) in Self.marks where text.starts(with: mark) {
      self.init(ByteView(rebasing: text.dropFirst(mark.count)), in: label.name)
      hideControls()
      return
    }
    if let charset, TextConverter.isKnown(charset) {
      self.init(text, in: charset)
    } else {
      self.init(text, in: try Self.encoding(of: text, limits, watch).name)
    }
    hideControls()
  }

  private static let privateUse: UInt32 = 0xf0000

  /// Writes control characters, which browsers keep, so that libgumbo keeps them.
  private mutating func hideControls() {
    hidesControls = bytes.indices.contains { index in
      switch bytes[index] {
      case 1...8, 0x0b, 0x0e...0x1f, 0x7f: true
      case 0xc2: index + 1 < bytes.count && bytes[index + 1] < 0xa0
      default: false
      }
    }
    guard hidesControls else { return }
    var hidden = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let isControl =
        scalar.properties.generalCategory == .control && !"\0\t\n\u{c}\r".unicodeScalars.contains(scalar)
      hidden.append(isControl ? Unicode.Scalar(scalar.value + Self.privateUse) ?? scalar : scalar)
    }
    bytes = Array(String(hidden).utf8)
  }

  /// A text of the tree with its control characters.
  static func withControls(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isHidden = scalar.value > privateUse && scalar.value < privateUse + 0xa0
      shown.append(isHidden ? Unicode.Scalar(scalar.value - privateUse) ?? scalar : scalar)
    }
    return String(shown)
  }

  private static func encoding(
    of text: ByteView, _ limits: MarkupLimits, _ watch: MarkupWatch
  ) throws(TextFlaw) -> EncodingLabel {
    // A bracket of two bytes.
    if text.starts(with: [0x3c, 0]) { return .utf16LittleEndian }
    if text.starts(with: [0, 0x3c]) { return .utf16BigEndian }
    if let found = PageScan(prescanOf: ByteView(rebasing: text.prefix(prescan))).encoding { return found }
    if let found = try PageScan(text, limits, watch).encoding { return found }
    return declared(text) ?? (isValidUTF8(text) ? .utf8 : .western)
  }

  private static let marks: [([UInt8], EncodingLabel)] = [
    ([0xef, 0xbb, 0xbf], .utf8), ([0xff, 0xfe], .utf16LittleEndian), ([0xfe, 0xff], .utf16BigEndian),
  ]

  /// How many bytes browsers look through before they begin to read.
  private static let prescan = 1024

  private init(_ text: ByteView, in name: String) {
    bytes = []
    if EncodingLabel(name) != .utf8, let converter = TextConverter(from: name) {
      bytes.reserveCapacity(text.count + text.count / 2)
      let bad = converter.convertAll(text, into: &bytes)
      flaws = bad.first.map {
        PageFlaws(count: bad.count, encoding: name.lowercased(), line: text.line(at: $0))
      }
      return
    }
    let bad = invalidUTF8Offset(text)
    if bad == text.count {
      bytes = Array(text)
      return
    }
    bytes = Array(String(decoding: text, as: UTF8.self).utf8)
    let count = bytes.withUnsafeBufferPointer { $0.replacements } - text.replacements
    flaws = PageFlaws(count: count, encoding: EncodingLabel.utf8.name, line: text.line(at: bad))
  }

  /// The encoding in the XML declaration of a page.
  private static func declared(_ text: ByteView) -> EncodingLabel? {
    guard text.starts(with: "<?xml".utf8), let end = text.prefix(prescan).firstIndex(of: 0x3e) else {
      return nil
    }
    let declaration = String(decoding: text[..<end], as: UTF8.self)
    guard let place = declaration.place(of: "encoding") else { return nil }
    let rest = declaration[place.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return EncodingLabel(rest.dropFirst().prefix { $0 != quote })?.inPage
  }
}

/// The parts of a page that have no meaning in its encoding, each of which became U+FFFD, as in browsers.
public struct PageFlaws: Equatable, Sendable, CustomStringConvertible {
  public var count: Int
  public var encoding: String
  /// The line of the first, from 1.
  public var line: Int

  public var description: String {
    let parts = count == 1 ? "a part of the page has" : "\(count) parts of the page have"
    return
      "\(parts) no meaning in \(encoding), and became U+FFFD, as in browsers; the first is on line \(line)"
  }
}

extension ByteView {
  fileprivate func line(at offset: Int) -> Int { self[..<offset].reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) } }

  /// How often U+FFFD is written out.
  fileprivate var replacements: Int {
    var count = 0
    var at = 0
    while let place = self[at...].firstIndex(of: 0xef) {
      at = place + 1
      if self[at...].starts(with: [0xbf, 0xbd]) { count += 1 }
    }
    return count
  }
}
