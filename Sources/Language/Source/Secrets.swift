/// The secrets: texts that are redacted in all output.
///
///     var secrets = Secrets()
///     secrets.insert("hunter2-xyz")
///     secrets.masked("key hunter2-xyz")  // key ***
public struct Secrets: Sendable {
  /// Shorter ones are not redacted: hiding each “a” would hide everything and betray the letter.
  public static let shortest = 4

  private var texts: [String] = []

  var all: [String] { texts }

  public init() {}

  public mutating func insert(_ text: String) {
    guard text.unicodeScalars.count >= Secrets.shortest, !texts.contains(text) else { return }
    texts.append(text)
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
    if texts.isEmpty { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let secret = texts.first(where: { bytes[index...].starts(with: $0.utf8) }) {
        result += mask(secret)
        index += secret.utf8.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
