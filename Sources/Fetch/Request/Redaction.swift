import System

/// The redaction of one request's secrets: they are shown as `***`, and never written to a disk.
struct Redaction: Sendable, Equatable {
  /// Shorter secrets are not redacted: replacing each “a” would garble the text and reveal the letter.
  static let shortest = 4
  /// Not a byte of UTF-8, so that a placeholder in a stored body differs from its text.
  private static let mark: UInt8 = 0xff

  /// Each secret as it is, and as a URL or JSON writes it; the longest first, because one may contain another.
  private let texts: [[UInt8]]

  init(_ secrets: [String] = []) {
    var all: Set<[UInt8]> = []
    for secret in secrets {
      for form in secretForms(secret) where form.unicodeScalars.count >= Redaction.shortest {
        all.insert(Array(form.utf8))
      }
    }
    // Stored placeholders are indices, so the same secrets must always have the same order.
    texts = all.sorted { $0.count != $1.count ? $0.count > $1.count : $0.lexicographicallyPrecedes($1) }
  }

  /// The text with `***` for every secret, and for a beginning of one at its end.
  ///
  /// Redact before shortening a text: half a secret is not recognised.
  func masked(_ text: String) -> String {
    if texts.isEmpty { return text }
    let mask = Array("***".utf8)
    var bytes = Array(text.utf8)
    bytes = replaced(bytes) { _ in mask } ?? bytes
    let cut = texts.reduce(0) { max($0, beginning(of: $1, endingIn: bytes)) }
    return String(decoding: cut == 0 ? bytes : bytes.dropLast(cut) + mask, as: UTF8.self)
  }

  /// The length of a secret's beginning at the end of some bytes; 0 if it is too short to matter.
  private func beginning(of secret: [UInt8], endingIn bytes: [UInt8]) -> Int {
    let longest = min(secret.count - 1, bytes.count)
    guard longest >= Redaction.shortest else { return 0 }
    return stride(from: longest, through: Redaction.shortest, by: -1)
      .first { bytes.suffix($0).elementsEqual(secret.prefix($0)) } ?? 0
  }

  /// The bytes with a placeholder for every secret, for storage; nil if they contain the placeholder's byte.
  func stripped(_ bytes: [UInt8]) -> [UInt8]? {
    if texts.isEmpty { return bytes }
    guard texts.count < 0xff, !bytes.contains(Redaction.mark) else { return nil }
    return replaced(bytes) { [Redaction.mark, UInt8(truncatingIfNeeded: $0)] } ?? bytes
  }

  /// The bytes that `stripped` was given; nil for placeholders of other secrets.
  func restored(_ bytes: [UInt8]) -> [UInt8]? {
    guard !texts.isEmpty, bytes.contains(Redaction.mark) else { return bytes }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == Redaction.mark else {
        result.append(byte)
        continue
      }
      guard let number = rest.popFirst(), Int(number) < texts.count else { return nil }
      result += texts[Int(number)]
    }
    return result
  }

  /// Nil if the bytes contain no secret.
  private func replaced(_ bytes: [UInt8], by mark: (Int) -> [UInt8]) -> [UInt8]? {
    var starts = [Bool](repeating: false, count: 256)
    for text in texts { if let first = text.first { starts[Int(first)] = true } }
    var result: [UInt8] = []
    var copied = 0
    var index = 0
    while index < bytes.count {
      guard starts[Int(bytes[index])],
        let number = texts.firstIndex(where: { bytes[index...].starts(with: $0) })
      else {
        index += 1
        continue
      }
      result += bytes[copied..<index]
      result += mark(number)
      index += texts[number].count
      copied = index
    }
    if copied == 0 { return nil }
    return result + bytes[copied...]
  }
}
