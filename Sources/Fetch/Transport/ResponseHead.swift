/// The head of an answer, from the lines that libcurl hands over one by one.
struct ResponseHead {
  private(set) var headers = Headers()
  /// As in `1.1`.
  private(set) var version: String?
  /// All bytes so far.
  private(set) var size = 0

  mutating func take(_ line: UnsafeRawBufferPointer) {
    size += line.count
    let text = String(decoding: line, as: UTF8.self)
    // Each answer begins anew: those of a proxy and those that only say “go on” come before the real one.
    if text.hasPrefix("HTTP/") {
      headers = Headers()
      version = text.dropFirst(5).split(separator: " ").first.map(String.init)
      return
    }
    guard let colon = text.utf8.firstIndex(of: 0x3a) else { return }
    let value = text[text.index(after: colon)...]
    headers.add(String(text[..<colon]), trimmedHeader(value))
  }

  private func trimmedHeader(_ value: Substring) -> String {
    let bytes = value.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return String(decoding: Array(bytes), as: UTF8.self)
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
}
