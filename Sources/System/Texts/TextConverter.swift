import Glibc

/// A converter of texts to UTF-8, piece by piece, from an encoding by a name that iconv knows.
///
/// A label of the web means what browsers read: ISO-8859-1 and ASCII are windows-1252, which contains them.
package final class TextConverter {
  /// Nil for windows-1252, of which each byte is a character.
  private let converter: iconv_t?
  /// The encoding, where the web has a label for it.
  private let label: EncodingLabel?

  /// Nil for an unknown encoding.
  package init?(from name: String) {
    label = EncodingLabel(name)
    if label?.converter == EncodingLabel.western.converter {
      converter = nil
      return
    }
    // A slash would begin options, one of which drops characters.
    guard !name.isEmpty, !name.contains("/"), !name.utf8.contains(0),
      // The order of bytes is that of the text's mark.
      let opened = iconv_open("UTF-8", name.lowercased() == "utf-16" ? name : label?.converter ?? name),
      opened != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    converter = opened
  }

  deinit {
    if let converter { iconv_close(converter) }
  }

  package static func isKnown(_ name: String) -> Bool { TextConverter(from: name) != nil }

  /// Whether a name means windows-1252.
  package static func isWestern(_ name: String) -> Bool { EncodingLabel(name) == .western }

  /// Names for messages: those that pages, tables and feeds have.
  package static let usualNames =
    ["utf-8", "utf-16", "utf-16le", "utf-16be", "us-ascii"]
    + (1...16).filter { $0 != 12 }.map { "iso-8859-\($0)" } + (1250...1258).map { "windows-\($0)" }
    + [
      "koi8-r", "koi8-u", "cp437", "cp850", "cp852", "cp866", "macintosh", "shift_jis", "euc-jp",
      "iso-2022-jp",
      "gbk", "gb18030", "big5", "euc-kr", "tis-620",
    ]

  /// Appends the text of some bytes, and returns how many of them it took.
  ///
  /// It takes fewer where a byte has no meaning, and where a character ends in the next piece.
  package func convert(
    _ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]
  ) -> (count: Int, isWrong: Bool) {
    guard let converter else {
      Self.appendWestern(bytes, to: &result)
      return (bytes.count, false)
    }
    // iconv does not change its input, although its declaration allows it.
    var at = UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.baseAddress))?
      .assumingMemoryBound(to: CChar.self)
    var left = bytes.count
    while left > 0 {
      let failure = Self.step(of: converter, into: &result) { iconv(converter, &at, &left, &$0, &$1) }
      guard let failure, failure != E2BIG else { continue }
      let count = bytes.count - left
      if failure == EILSEQ, label?.hasControls == true, case let byte = bytes[count], byte & 0xe0 == 0x80 {
        result += [0xc2, byte]
        at? += 1
        left -= 1
        continue
      }
      return (count, failure != EINVAL)
    }
    return (bytes.count, false)
  }

  /// Appends what some encodings hold back until they know what follows.
  package func finish(into result: inout [UInt8]) {
    guard let converter else { return }
    _ = Self.step(of: converter, into: &result) { iconv(converter, nil, nil, &$0, &$1) }
  }

  /// Appends a whole text, with U+FFFD in place of each part that has no meaning, as in browsers; returns where these are.
  package func convertAll(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) -> [Int] {
    var bad: [Int] = []
    var at = 0
    while true {
      at += convert(UnsafeBufferPointer(rebasing: bytes[at...]), into: &result).count
      if at >= bytes.count { break }
      bad.append(at)
      result += Array("\u{fffd}".utf8)
      // A letter of ASCII is never part of what is wrong.
      let isPair = label?.isLead(bytes[at]) == true && at + 1 < bytes.count && bytes[at + 1] >= 0x80
      at = min(bytes.count, at + (isPair || label?.isWide == true ? 2 : 1))
    }
    finish(into: &result)
    return bad
  }

  /// One call of iconv, whose output is appended; its error, if there is one.
  private static func step(
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

  // MARK: - Windows-1252

  /// The characters of windows-1252 from 0x80 to 0x9f; five have no meaning, and stay as they are.
  private static let westernCharacters: [UInt16] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
    0x17d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
  ]

  /// The text in UTF-8, from windows-1252.
  package static func western(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    appendWestern(text, to: &result)
    return result
  }

  private static func appendWestern(_ text: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    result.reserveCapacity(result.count + text.count + text.count / 8)
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
  }
}

/// A source of bytes in an encoding, as UTF-8.
///
/// A byte order mark counts more than the name; without either the bytes pass as they are. A byte that has no meaning becomes 0xff, which is none in UTF-8, so that
/// the reader reports it where it stands.
package final class ConvertedSource: ByteSource {
  private static let meaningless: UInt8 = 0xff

  private let source: any ByteSource
  private let name: String?
  private var converter: TextConverter?
  private var hasBegun = false
  /// Bytes read and not converted, and converted ones that have not been handed on.
  private var waiting: [UInt8] = []
  private var ready: [UInt8] = []
  private var handed = 0
  private var isOver = false

  package init(_ source: any ByteSource, from name: String?) {
    self.source = source
    self.name = name
  }

  package var isCutShort: Bool { source.isCutShort }

  /// Whether the text is another than the source's, as far as its first bytes have been read.
  package var isConverting: Bool { converter != nil }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if hasBegun, converter == nil, handed == ready.count { return try source.read(into: buffer) }
    while handed == ready.count {
      ready.removeAll(keepingCapacity: true)
      handed = 0
      if isOver { return 0 }
      try fill(atMost: max(buffer.count, 16))
    }
    let count = min(buffer.count, ready.count - handed)
    ready.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[handed..<handed + count]))
    }
    handed += count
    return count
  }

  private func fill(atMost size: Int) throws(FileFailure) {
    var piece = [UInt8](repeating: 0, count: size)
    let count = try piece.withUnsafeMutableBytes { room in
      Result { () throws(FileFailure) in try source.read(into: room) }
    }.get()
    waiting += piece.prefix(count)
    isOver = count == 0
    // A mark has up to three bytes; what is none may be all that comes for a while.
    let mayBeMark = waiting.first.map { [0xef, 0xfe, 0xff].contains($0) } ?? true
    if !hasBegun, waiting.count >= 3 || isOver || !mayBeMark { begin() }
    guard hasBegun else { return }
    convert()
    if isOver {
      if !waiting.isEmpty { ready.append(Self.meaningless) }
      converter?.finish(into: &ready)
    }
  }

  private func begin() {
    hasBegun = true
    if waiting.starts(with: [0xef, 0xbb, 0xbf]) { return }
    let isWide = waiting.starts(with: [0xff, 0xfe]) || waiting.starts(with: [0xfe, 0xff])
    if let encoding = isWide ? "utf-16" : name { converter = TextConverter(from: encoding) }
  }

  private func convert() {
    guard let converter else {
      ready += waiting
      return waiting.removeAll(keepingCapacity: true)
    }
    var start = 0
    waiting.withUnsafeBufferPointer { bytes in
      while start < bytes.count {
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        let (count, isWrong) = converter.convert(rest, into: &ready)
        start += count
        guard isWrong else { break }
        ready.append(Self.meaningless)
        start += 1
      }
    }
    waiting.removeFirst(start)
  }
}
