import System

extension Address {
  /// Builds an address from literal texts and the data between them, as a template does.
  ///
  ///     try Address(texts: ["https://example.org/items/", "?by=", ""], data: ["a/b", "me & you"])
  ///     // https://example.org/items/a%2Fb?by=me%20%26%20you
  ///
  /// Data can only be part of a path component or of the query: they are percent-encoded, and can neither change the
  /// folder (`..`) nor the host.
  public init(texts: [String], data: [String]) throws(Sentence) {
    guard let first = texts.first, texts.count == data.count + 1 else {
      throw Sentence("the address has \(texts.count) parts, but there is data for \(data.count)")
    }
    if !data.isEmpty, !Address.endsHost(first) {
      throw Sentence("data would choose the host of the address")
    }
    var text = first
    for (datum, next) in zip(data, texts.dropFirst()) {
      let isPath = !text.contains { "?#".contains($0) }
      let isAlone = text.hasSuffix("/") && next.first.map { "/?#".contains($0) } ?? true
      if isPath, isAlone, datum.isEmpty {
        throw Sentence("a segment of the path is empty, which would change the address")
      }
      text += percentEncoded(datum, keeping: isUnreserved) + next
    }
    try self.init(text)
    let parts = path.split(separator: "/").map { percentDecoded(String($0)) }
    if !data.isEmpty, let step = parts.first(where: { $0 == "." || $0 == ".." }) {
      throw Sentence("the path contains the segment \(quoted(step)), which would change the address")
    }
  }

  /// Whether what follows a text cannot be in the host any more.
  public static func endsHost(_ text: String) -> Bool {
    guard let start = text.place(of: "://")?.upperBound else { return false }
    return text[start...].contains { "/?#".contains($0) }
  }
}
