import System

/// Texts that nothing printed may show: values of the environment and what `secret` options have, wherever they appear,
/// also as a URL, or JSON writes them.
///
///     var secrets = Secrets()
///     secrets.insert("hunter2-xyz")
///     secrets.masked("key hunter2-xyz")  // key ***
public struct Secrets: Sendable {
  /// Shorter ones are not redacted: hiding each “a” would hide everything and betray the letter.
  public static let shortest = 4

  private var texts: [String] = []

  /// As they were inserted, without their other forms.
  public private(set) var all: [String] = []

  /// Whether a value of the environment is to be hidden: all are, but for those that say where and who the user is, and
  /// words and short numbers that would hide ordinary text.
  static func isSecret(_ value: String, of name: String) -> Bool {
    let isPublic = publicNames.contains(name) || name.hasPrefix("XDG_") || name.hasPrefix("LC_")
    if isPublic || value.unicodeScalars.count < shortest { return false }
    switch coreMeaning(value) {
    case .string: return true
    case .integer, .number: return value.utf8.count >= 6
    case .null, .boolean: return false
    }
  }

  /// The parts of a value of the environment that are hidden; of an address its password, and what is behind its host.
  static func secretParts(of value: String, named name: String) -> [String] {
    guard let start = value.place(of: "://")?.upperBound else {
      return isSecret(value, of: name) ? [value] : []
    }
    let host = value[start...].prefix { !"/?#".contains($0) }
    var parts = [String(value[host.endIndex...])]
    if let end = host.lastIndex(of: "@"), let colon = host[..<end].firstIndex(of: ":") {
      parts.append(String(host[host.index(after: colon)..<end]))
    }
    return parts.filter { isSecret($0, of: name) }
  }

  private static let publicNames: Set = [
    "HOME", "HOSTNAME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
  ]

  public init() {}

  public mutating func insert(_ text: String) {
    guard text.unicodeScalars.count >= Secrets.shortest, !all.contains(text) else { return }
    all.append(text)
    for form in secretForms(text)
    where form.unicodeScalars.count >= Secrets.shortest && !texts.contains(form) {
      texts.append(form)
    }
    // The longest first, so that a secret within another leaves no rest of the longer one.
    texts.sort { $0.utf8.count > $1.utf8.count }
  }

  /// Adds the text of a scalar, wherever it came from.
  public mutating func insert(_ scalar: Scalar) { insert(scalar.text) }

  /// The text with every secret replaced by `***`.
  public func masked(_ text: String) -> String {
    replaced(text) { _ in Array("***".utf8) }
  }

  /// The text with every secret replaced by as many asterisks as it has characters, so that columns stay.
  func maskedInPlace(_ text: String) -> String {
    replaced(text) { secret in secret.unicodeScalars.map { _ in UInt8(ascii: "*") } }
  }

  private func replaced(_ text: String, by mask: (String) -> [UInt8]) -> String {
    texts.isEmpty ? text : String(decoding: replaced(Array(text.utf8), by: mask), as: UTF8.self)
  }

  private func replaced(_ bytes: [UInt8], by mask: (String) -> [UInt8]) -> [UInt8] {
    var begins = [Bool](repeating: false, count: 256)
    for text in texts { text.utf8.first.map { begins[Int($0)] = true } }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let start = rest.firstIndex(where: { begins[Int($0)] }) {
      result += rest[..<start]
      rest = rest[start...]
      if let secret = texts.first(where: { rest.starts(with: $0.utf8) }) {
        result += mask(secret)
        rest = rest.dropFirst(secret.utf8.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }
}

// MARK: - Storage

extension Secrets {
  /// Begins the mark of a secret in stored text: no byte of UTF-8, so that no data can look like one.
  private static let mark: UInt8 = 0xff
  private static let digits = 8

  /// Text for storage, with a mark for every secret.
  public func sealed(_ text: [UInt8]) -> [UInt8] {
    texts.isEmpty ? text : replaced(text, by: Secrets.mark(of:))
  }

  /// The text that `sealed` was given; nil where it had a secret that is not known now, or has another value.
  public func opened(_ text: [UInt8]) -> [UInt8]? {
    guard text.contains(Secrets.mark) else { return text }
    var result: [UInt8] = []
    var rest = text[...]
    while let byte = rest.first {
      if byte == Secrets.mark {
        let found = rest.prefix(1 + Secrets.digits)
        guard let secret = texts.first(where: { Secrets.mark(of: $0).elementsEqual(found) }) else {
          return nil
        }
        result += secret.utf8
        rest = rest.dropFirst(found.count)
      } else {
        result.append(byte)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// Sealed text for people, who see `***`.
  public static func shown(sealed text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text[...]
    while let end = rest.firstIndex(of: mark) {
      let code = rest[end...].dropFirst().prefix(digits)
      let isMark = code.count == digits && code.allSatisfy(isDigit)
      result += rest[..<end] + (isMark ? Array("***".utf8) : [mark])
      rest = rest[end...].dropFirst(isMark ? 1 + digits : 1)
    }
    return result + rest
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// The mark of a secret: 32 bits of a hash, so that it is known again in whatever order secrets are read, and cannot
  /// be computed back.
  private static func mark(of secret: String) -> [UInt8] {
    let hash = StableHash(secret.utf8).value
    let folded = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    let text = String(folded, radix: 16)
    return [mark] + Array((String(repeating: "0", count: digits - text.utf8.count) + text).utf8)
  }
}
