// XML, read by libxml2.

import CXML2
import Glibc
import JSON
import System

extension MarkupTree {
  /// Reads an XML document, strictly but for names of HTML characters, which are replaced.
  ///
  /// An encoding in `charset` counts more than the declared one.
  public static func xml(
    _ bytes: ByteView, charset: String? = nil, limits: MarkupLimits = MarkupLimits()
  ) throws(TextFlaw) -> MarkupTree {
    if let failure = flow_xml2_load() { throw TextFlaw(String(cString: failure)) }
    guard bytes.count <= Int(Int32.max) else { throw TextFlaw("the text is longer than 2 GiB") }
    if charset == nil, let text = utf8(ofWide: bytes) {
      return try with(text) { text throws(TextFlaw) in try xml(text, charset: "UTF-8", limits: limits) }
    }
    let scan = try MarkupScan(bytes, limits)
    // A document type may declare names of characters of its own.
    let changed = scan.hasDocumentType ? scan.withoutAttributeLists : CharacterNames.replaced(in: bytes)
    guard let changed else { return try parse(bytes, charset, limits) }
    return try with(changed) { text throws(TextFlaw) in try parse(text, charset, limits) }
  }

  private static func with(
    _ text: [UInt8], _ read: (ByteView) throws(TextFlaw) -> MarkupTree
  ) throws(TextFlaw) -> MarkupTree {
    try text.withUnsafeBufferPointer { text in Result { () throws(TextFlaw) in try read(text) } }.get()
  }

  /// A text in UTF-16, as its mark or its first bracket shows, in UTF-8, which alone the scan can read; nil for others.
  static func utf8(ofWide bytes: ByteView) -> [UInt8]? {
    guard bytes.count > 1 else { return nil }
    let isLittle: Bool
    switch (bytes[0], bytes[1]) {
    case (0xff, 0xfe), (0x3c, 0): isLittle = true
    case (0xfe, 0xff), (0, 0x3c): isLittle = false
    default: return nil
    }
    let isMarked = bytes[0] >= 0xfe
    let units = ((isMarked ? 1 : 0)..<bytes.count / 2).map { index in
      let unit = UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])
      return isLittle ? unit.byteSwapped : unit
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func parse(
    _ bytes: ByteView, _ charset: String?, _ limits: MarkupLimits
  ) throws(TextFlaw) -> MarkupTree {
    guard bytes.contains(where: { $0 > 0x20 }), let start = bytes.baseAddress else {
      throw TextFlaw("the text is empty")
    }
    try EncodingNames.check(charset, bytes)
    let text = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    let watch = MarkupWatch(limits)
    let opened = withExtendedLifetime(watch) {
      flow_markup_open(
        text, Int32(bytes.count), charset, { MarkupWatch.goesOn($0) },
        Unmanaged.passUnretained(watch).toOpaque())
    }
    guard let markup = opened else { throw TextFlaw("the text cannot be read") }
    defer { flow_markup_close(markup) }
    var reader = XMLReader(limits)
    repeat { try watch.check() } while try reader.add(markup)
    return try reader.builder.tree(isHTML: false)
  }
}

/// The encodings that a document may declare: those in which the scan before libxml2 sees the markup that libxml2 sees.
private enum EncodingNames {
  private static let known = [
    "utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859", "iso8859", "iso_8859", "latin", "windows-",
    "cp125", "x-cp125", "koi8", "shift", "sjis", "x-sjis", "cp932", "euc", "x-euc", "gb", "x-gb", "big5",
    "ks_c", "tis-620", "macintosh", "x-mac", "cp866", "ibm866",
  ]

  /// Throws for a text in another encoding, by the name that the server or else the text gives.
  static func check(_ name: String?, _ text: ByteView) throws(TextFlaw) {
    if let name { return try check(name) }
    if let first = text.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) {
      guard first == 0x3c || first == 0xef else { throw TextFlaw("the text does not begin with a tag") }
    }
    let key = "encoding"
    var rest = text.prefix { $0 != 0x3e }
    while let start = rest.firstIndex(where: { $0 | 0x20 == key.utf8.first }) {
      rest = rest[(start + 1)...]
      guard rest.starts(with: key.utf8.dropFirst(), by: { $0 | 0x20 == $1 }) else { continue }
      let value = rest.dropFirst(key.utf8.count - 1).drop { $0 <= 0x20 }
      guard value.first == 0x3d else { continue }
      let name = value.dropFirst().drop { $0 <= 0x20 || $0 == 0x22 || $0 == 0x27 }
      try check(
        String(decoding: name.prefix(40).prefix { $0 > 0x20 && !"\"'<>/;?".utf8.contains($0) }, as: UTF8.self)
      )
    }
  }

  private static func check(_ name: String) throws(TextFlaw) {
    let small = name.lowercased()
    if small.isEmpty || known.contains(where: { small.hasPrefix($0) }) { return }
    // What no converter knows, such as a word in a script, libxml2 cannot read either.
    guard let converter = iconv_open("UTF-8", small), Int(bitPattern: converter) != -1 else { return }
    iconv_close(converter)
    throw TextFlaw("the text is in the encoding “\(name)”, which is not read here; convert it to UTF-8")
  }
}

/// HTML's names of characters in XML, where feeds have them without a declaration.
private enum CharacterNames {
  /// The text with numbers in place of the names; nil where there are none.
  static func replaced(in text: ByteView) -> [UInt8]? {
    var result: [UInt8] = []
    var copied = 0
    var at = 0
    while let place = text[at...].firstIndex(where: { $0 == 0x26 || $0 == 0x3c }) {
      at = place + 1
      if text[place] == 0x3c {
        // In CDATA they mean nothing.
        guard text[place...].starts(with: "<![CDATA[".utf8) else { continue }
        at = end(ofCDATA: text, from: place)
        continue
      }
      let name = text[at...].prefix(32).prefix { isLetterOrDigit($0) }
      guard !name.isEmpty, name.endIndex < text.count, text[name.endIndex] == 0x3b else { continue }
      let word = String(decoding: name, as: UTF8.self)
      if ["amp", "lt", "gt", "quot", "apos"].contains(word) { continue }
      let number = flow_html_entity(word)
      if number == 0 { continue }
      result += text[copied..<place]
      result += "&#\(number);".utf8
      copied = name.endIndex + 1
      at = copied
    }
    return copied == 0 ? nil : result + text[copied...]
  }

  private static func end(ofCDATA text: ByteView, from start: Int) -> Int {
    var at = start
    while let place = text[at...].firstIndex(of: 0x5d) {
      if text[place...].starts(with: "]]>".utf8) { return place + 3 }
      at = place + 1
    }
    return text.count
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }
}

/// A reader of the nodes that libxml2 reports.
private struct XMLReader {
  var builder: TreeBuilder

  init(_ limits: MarkupLimits) { builder = TreeBuilder(limits) }

  /// Takes the next node; false at the end.
  mutating func add(_ markup: OpaquePointer) throws(TextFlaw) -> Bool {
    switch flow_markup_next(markup) {
    case Int32(flow_markup_end.rawValue): return false
    case Int32(flow_markup_element.rawValue): try begin(markup)
    case Int32(flow_markup_element_end.rawValue): builder.end()
    case Int32(flow_markup_text.rawValue): builder.append(text(flow_markup_value(markup)))
    case Int32(flow_markup_entity.rawValue):
      // One that the document declares: it is not expanded.
      builder.append("&\(text(flow_markup_name(markup)));")
    case Int32(flow_markup_failed.rawValue): throw failure(markup)
    default: break
    }
    try builder.checkSize()
    return true
  }

  private func failure(_ markup: OpaquePointer) -> TextFlaw {
    guard let error = flow_markup_failure(markup)?.pointee else {
      return TextFlaw("the text cannot be read")
    }
    let message = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    var flaw = TextFlaw(Self.reason(message), line: max(1, Int(error.line)))
    if error.column > 0, !message.hasPrefix("Excessive depth") { flaw.column = Int(error.column) }
    return flaw
  }

  /// The meaning of a message of libxml2.
  private static func reason(_ message: String) -> String {
    for (start, reason) in meanings where message.hasPrefix(start) {
      // It lists the bytes: 0xE9 0x3C.
      guard start == "Input is not", let bytes = message.place(of: "0x") else { return reason }
      return "\(reason): byte 0x\(message[bytes.upperBound...].prefix(2).lowercased())"
    }
    var words = message.prefix { $0 != "\n" }
    // The name of a function or of a rule.
    if let colon = words.place(of: ": "), !words[..<colon.lowerBound].contains(" ") {
      words = words[colon.upperBound...]
    }
    if words.hasSuffix(" !") { words = words.dropLast(2) }
    guard let first = words.first else { return "the text cannot be read" }
    // DOCTYPE and AttValue are names; a sentence begins with one capital letter, which is followed by small ones alone.
    let isName = words.dropFirst().prefix { $0 != " " }.contains { $0.isUppercase }
    return isName ? String(words) : first.lowercased() + words.dropFirst()
  }

  private static let meanings = [
    ("Excessive depth", "elements are nested more than 256 deep"),
    ("XML declaration", "the XML declaration is not at the beginning of the document"),
    ("PCDATA invalid", notAllowed), ("xmlParseCharRef: invalid", notAllowed),
    ("invalid character", notAllowed),
    ("Input is not", "the text is not UTF-8"),
    ("xmlParseEntityRef: no name", bareAmpersand), ("EntityRef: expecting", bareAmpersand),
  ]
  private static let notAllowed = "there is a control character, which XML does not allow"
  private static let bareAmpersand = "there is a bare &, which XML writes as &amp;"

  private mutating func begin(_ markup: OpaquePointer) throws(TextFlaw) {
    var node = MarkupTree.Node(isElement: true, parent: 0)
    node.name = text(flow_markup_name(markup))
    node.prefix = text(flow_markup_prefix(markup))
    node.namespace = text(flow_markup_namespace(markup))
    let isEmpty = flow_markup_is_empty(markup) != 0
    while flow_markup_next_attribute(markup) != 0 {
      if flow_markup_is_declaration(markup) != 0 { continue }
      node.attributes.append(
        MarkupTree.Attribute(
          name: text(flow_markup_name(markup)), prefix: text(flow_markup_prefix(markup)),
          namespace: text(flow_markup_namespace(markup)), value: text(flow_markup_value(markup))))
    }
    flow_markup_leave_attributes(markup)
    try builder.begin(node)
    if isEmpty { builder.end() }
  }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
