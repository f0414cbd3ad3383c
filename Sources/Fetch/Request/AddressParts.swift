extension Address {
  /// An address made of texts that stand as they are and of data between them, the first and the last being texts.
  ///
  ///     try Address(texts: ["https://example.org/items/", "?by=", ""], data: ["a/b", "me & you"])
  ///     // https://example.org/items/a%2Fb?by=me%20%26%20you
  ///
  /// Data make a part of the path or of the query, and nothing else: they are percent-encoded, cannot be a step to
  /// another folder, and are not in the host.
  public init(texts: [String], data: [String]) throws(AddressFlaw) {
    guard let first = texts.first, texts.count == data.count + 1 else {
      throw AddressFlaw("the address has \(texts.count) parts, and there are data for \(data.count)")
    }
    if !data.isEmpty, !Address.endsHost(first) {
      throw AddressFlaw("data would choose the host of the address")
    }
    var text = first
    for (datum, next) in zip(data, texts.dropFirst()) {
      let isPath = !text.contains { "?#".contains($0) }
      let isAlone = text.hasSuffix("/") && next.first.map { "/?#".contains($0) } ?? true
      if isPath, isAlone, datum.isEmpty {
        throw AddressFlaw("a part of the address's path is empty, which would name something else")
      }
      text += percentEncoded(datum, keeping: isUnreserved) + next
    }
    try self.init(text)
    let parts = path.split(separator: "/").map { percentDecoded(String($0)) }
    if !data.isEmpty, let step = parts.first(where: { $0 == "." || $0 == ".." }) {
      throw AddressFlaw("the address's path has the part \(quoted(step)), which would name something else")
    }
  }

  /// Whether what follows a text cannot be in the host any more.
  private static func endsHost(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    return text[start...].contains { "/?#".contains($0) }
  }
}
