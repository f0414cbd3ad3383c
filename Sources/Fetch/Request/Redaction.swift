/// The secrets of one request: shown as `***`, and kept out of what is written to a disk.
struct Veil: Sendable, Equatable {
  /// Shorter ones are not looked for: hiding each “a” would hide everything and betray the letter.
  static let shortest = 4
  /// Never part of UTF-8, so that a mark in a stored body is told from its text.
  private static let mark: UInt8 = 0xff

  /// As they are and as a URL or JSON writes them; the longest first, so that of one within another no rest is left.
  private let texts: [[UInt8]]

  init(_ secrets: [String] = []) {
    var all: Set<[UInt8]> = []
    for secret in secrets {
      let escaped = secret.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
      let encoded = percentEncoded(secret, keeping: isPlainByte)
      for form in [secret, encoded, percentDecoded(secret), escaped]
      where form.unicodeScalars.count >= Veil.shortest {
        all.insert(Array(form.utf8))
      }
    }
    // In an order that the same secrets always have, since stored marks are numbers in it.
    texts = all.sorted { $0.count != $1.count ? $0.count > $1.count : $0.lexicographicallyPrecedes($1) }
  }

  /// The text with `***` for every secret, and for the beginning of one that it breaks off in.
  ///
  /// To be done before a text is shortened, since of half a secret nothing is known.
  func masked(_ text: String) -> String {
    if texts.isEmpty { return text }
    let mask = Array("***".utf8)
    var bytes = Array(text.utf8)
    bytes = replaced(bytes) { _ in mask } ?? bytes
    let cut = texts.reduce(0) { max($0, beginning(of: $1, endingIn: bytes)) }
    return String(decoding: cut == 0 ? bytes : bytes.dropLast(cut) + mask, as: UTF8.self)
  }

  /// How many bytes at the end of some are the beginning of a secret; 0 for too few to matter.
  private func beginning(of secret: [UInt8], endingIn bytes: [UInt8]) -> Int {
    let longest = min(secret.count - 1, bytes.count)
    guard longest >= Veil.shortest else { return 0 }
    return stride(from: longest, through: Veil.shortest, by: -1)
      .first { bytes.suffix($0).elementsEqual(secret.prefix($0)) } ?? 0
  }

  /// The bytes with a mark for every secret, for keeping; nil where they cannot be told from marks.
  func hidden(_ bytes: [UInt8]) -> [UInt8]? {
    if texts.isEmpty { return bytes }
    guard texts.count < 0xff, !bytes.contains(Veil.mark) else { return nil }
    return replaced(bytes) { [Veil.mark, UInt8(truncatingIfNeeded: $0)] } ?? bytes
  }

  /// What `hidden` was given; nil where it was hidden by another veil.
  func revealed(_ bytes: [UInt8]) -> [UInt8]? {
    guard !texts.isEmpty, bytes.contains(Veil.mark) else { return bytes }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == Veil.mark else {
        result.append(byte)
        continue
      }
      guard let number = rest.popFirst(), Int(number) < texts.count else { return nil }
      result += texts[Int(number)]
    }
    return result
  }

  /// Nil where no secret is in it.
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
