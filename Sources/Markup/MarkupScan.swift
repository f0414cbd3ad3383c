import JSON
import System

/// A scan of an XML document before libxml2 reads it, for what would cost libxml2 time without bound.
///
/// libxml2 compares each attribute of an element with all before it, and gives the default attributes of a document type to
/// every element. The scan finds tags by its rules, or counts more attributes than it.
struct MarkupScan {
  /// The most bytes that a document type may have between its brackets.
  private static let subsetLimit = 1 << 16

  private let text: ByteView
  private let limit: Int
  private var at = 0
  /// Whether there is a document type.
  private(set) var hasDocumentType = false
  /// The declarations of attributes in it.
  private(set) var attributeLists: [Range<Int>] = []

  init(_ text: ByteView, _ limits: MarkupLimits) throws(TextFlaw) {
    self.text = text
    limit = limits.attributes
    while let open = text[at...].firstIndex(of: 0x3c) {
      at = open + 1
      if follows("!--") {
        skip("!--", to: "-->")
      } else if let byte = next, isNameStart(byte) {
        try scanTag(from: open)
      } else if follows("![CDATA[") {
        skip("![CDATA[", to: "]]>")
      } else if follows("?") {
        skip("?", to: "?>")
      } else if follows("!DOCTYPE") {
        try scanDocumentType()
      }
    }
  }

  /// The text without its declarations of attributes; nil where there are none.
  var withoutAttributeLists: [UInt8]? {
    if attributeLists.isEmpty { return nil }
    var text = Array(text)
    for range in attributeLists { for index in range where text[index] != 0x0a { text[index] = 0x20 } }
    return text
  }

  private var next: UInt8? { at < text.count ? text[at] : nil }

  private func follows(_ word: StaticString) -> Bool {
    text[at...].starts(with: bytes(word))
  }

  /// Moves behind a mark, which ends with a bracket, after what opens here; or to the end.
  private mutating func skip(_ opening: StaticString, to mark: StaticString) {
    let start = at + opening.utf8CodeUnitCount
    at = start
    while let end = text[at...].firstIndex(of: 0x3e) {
      at = end + 1
      if text[start..<at].suffix(mark.utf8CodeUnitCount).elementsEqual(bytes(mark)) { return }
    }
    at = text.count
  }

  private mutating func skip(_ holds: (UInt8) -> Bool) { while let byte = next, holds(byte) { at += 1 } }

  /// Moves behind the quote that closes the one here.
  private mutating func skipQuoted() {
    let quote = text[at]
    at += 1
    skip { $0 != quote }
    at = min(at + 1, text.count)
  }

  /// Moves to the bracket that closes a declaration.
  private mutating func skipToBracket() {
    while let byte = next, byte != 0x3e { if byte == 0x22 || byte == 0x27 { skipQuoted() } else { at += 1 } }
  }

  private func flaw(_ reason: String, _ place: Int) -> TextFlaw {
    TextFlaw(reason, line: text[..<place].reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) })
  }

  private mutating func scanTag(from open: Int) throws(TextFlaw) {
    skip(isName)
    var count = 0
    while let byte = next, byte != 0x3e {
      if isBlank(byte) || byte == 0x2f {
        at += 1
        continue
      }
      count += 1
      if count > limit { throw flaw("an element has more than \(limit) attributes", open) }
      guard isNameStart(byte) else {
        skip { !isBlank($0) && $0 != 0x3e }
        continue
      }
      skip(isName)
      skip(isBlank)
      guard next == 0x3d else { continue }
      at += 1
      skip(isBlank)
      if next == 0x22 || next == 0x27 { skipQuoted() } else { skip { !isBlank($0) && $0 != 0x3e } }
    }
  }

  /// Notes declarations of attributes, and refuses entities that could contain some.
  private mutating func scanDocumentType() throws(TextFlaw) {
    hasDocumentType = true
    var subset: Int?
    while let byte = next {
      switch byte {
      case 0x22, 0x27:
        skipQuoted()
        continue
      case 0x5b: subset = subset ?? at
      case 0x5d: subset = nil
      case 0x3e where subset == nil: return
      case 0x3c: if try scanDeclaration() { continue }
      default: break
      }
      at += 1
      if let subset, at - subset > Self.subsetLimit {
        throw flaw("the document type is longer than \(Self.subsetLimit) bytes", subset)
      }
    }
  }

  /// Moves behind a comment, an instruction or a declaration of attributes; false for anything else.
  private mutating func scanDeclaration() throws(TextFlaw) -> Bool {
    let start = at
    if follows("<!--") {
      skip("<!--", to: "-->")
    } else if follows("<?") {
      skip("<?", to: "?>")
    } else if follows("<!ATTLIST") {
      skipToBracket()
      at = min(at + 1, text.count)
      attributeLists.append(start..<at)
    } else if follows("<!ENTITY") {
      at += 8
      skip(isBlank)
      guard next == 0x25 else { return true }
      at += 1
      skip(isBlank)
      skip { !isBlank($0) && $0 != 0x22 && $0 != 0x27 }
      skip(isBlank)
      if next == 0x22 || next == 0x27 {
        throw flaw("the document type declares a parameter entity, which is not read", start)
      }
      return true
    } else {
      return false
    }
    return true
  }
}

private func bytes(_ word: StaticString) -> ByteView {
  ByteView(start: word.utf8Start, count: word.utf8CodeUnitCount)
}

private func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

private func isNameStart(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x41...0x5a, 0x61...0x7a, 0x5f, 0x3a, 0x2e: true
  default: byte >= 0x80
  }
}

private func isName(_ byte: UInt8) -> Bool {
  isNameStart(byte) || (0x30...0x39).contains(byte) || byte == 0x2d
}
