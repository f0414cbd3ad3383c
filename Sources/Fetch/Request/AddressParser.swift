import System

// The parser of addresses. Its errors are sentences without secrets.

extension Address {
  /// Parses an absolute URL.
  ///
  /// The fragment after `#` is dropped.
  public init(_ text: String) throws(Sentence) {
    let text = trimmed(text)
    guard !text.isEmpty else {
      throw Sentence("the address is empty; write one like https://example.org/items")
    }
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw Sentence("the address contains a line break or another control character")
    }
    guard let colon = text.place(of: "://"), hasScheme(text) else {
      throw Sentence("the address does not begin with https:// or http://")
    }
    let schemeText = String(text[..<colon.lowerBound])
    guard let scheme = Scheme(rawValue: schemeText.lowercased()) else {
      throw Sentence("the address begins with \(quoted(schemeText)); only https and http can be fetched")
    }
    let rest = text[colon.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let (host, port) = try Address.authority(rest[..<end])
    self.init(
      scheme: scheme, host: host, port: port == scheme.port ? nil : port, path: "/", query: [])
    setEnd(rest[end...])
  }

  /// Resolves a link in a response from this address, absolute or relative.
  ///
  /// Query items that are secret here are secret there.
  public func following(_ link: String) throws(Sentence) -> Address {
    let link = trimmed(link)
    var result: Address
    if link.hasPrefix("//") {
      result = try Address("\(scheme.rawValue):\(link)")
    } else if hasScheme(link) {
      result = try Address(link)
    } else {
      result = try Address("\(scheme.rawValue)://\(site)/")
      let isRooted = link.hasPrefix("/")
      let isQueryOnly = link.hasPrefix("?") || link.hasPrefix("#") || link.isEmpty
      let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
      result.setEnd((isRooted ? link : isQueryOnly ? path + link : folder + link)[...])
      result.path = withoutDots(result.path)
    }
    let secrets = query.filter(\.isSecret)
    result.query = result.query.map { item in
      let isSecret = secrets.contains { $0.name == item.name || $0.value == item.value }
      return QueryItem(encodedName: item.name, value: item.value, isSecret: item.isSecret || isSecret)
    }
    return result
  }

  /// The text of a link in a response from this address, absolute or relative, with the link's own fragment
  /// (RFC 3986, 5.2.2).
  ///
  /// It is what a reader would open, and nothing that is sent: a link to a place in the response itself has the query of
  /// this address, but for its secrets.
  public func resolving(_ link: String) throws(Sentence) -> String {
    let link = trimmed(link)
    var target = try following(link)
    target.path = withoutDots(target.path)
    if link.isEmpty || link.hasPrefix("#") { target.query = query.filter { !$0.isSecret } }
    guard let mark = link.firstIndex(of: "#") else { return target.text }
    let fragment = String(link[link.index(after: mark)...])
    return target.text + "#" + percentEncoded(fragment, keeping: isQueryByte)
  }

  /// Sets the path and the query from the end of a URL.
  private mutating func setEnd(_ text: Substring) {
    let text = text.prefix { $0 != "#" }
    let mark = text.firstIndex(of: "?") ?? text.endIndex
    let path = percentEncoded(String(text[..<mark]), keeping: isPathByte)
    self.path = path.hasPrefix("/") ? path : "/" + path
    query = text[mark...].dropFirst().split(separator: "&").map { part in
      let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let encoded = pieces.map { percentEncoded(String($0), keeping: isQueryByte) }
      return QueryItem(encodedName: encoded.first ?? "", value: encoded.count > 1 ? encoded[1] : nil)
    }
  }

  private static func authority(_ text: Substring) throws(Sentence) -> (host: String, port: Int?) {
    guard !text.contains("@") else {
      throw Sentence(
        "the address contains a user name or password, which could not be redacted; send them in a header")
    }
    var host = text
    var port: Int?
    // Colons inside brackets belong to an IPv6 address.
    let tail = text.lastIndex(of: "]").map { text[$0...] } ?? text
    if let colon = tail.lastIndex(of: ":") {
      let digits = text[text.index(after: colon)...]
      guard let number = Int(digits), (1...65535).contains(number), digits.allSatisfy(\.isASCII) else {
        throw Sentence(
          "the port after the host must be a number from 1 to 65535")
      }
      port = number
      host = text[..<colon]
    }
    guard !host.isEmpty else { throw Sentence("the address has no host after ://") }
    let inner = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : nil
    let isGood =
      inner.map { $0.contains(":") && $0.utf8.allSatisfy(isAddressByte) }
      ?? host.utf8.allSatisfy(isHostByte)
    guard isGood else {
      throw Sentence(
        "\(quoted(String(host))) is not a valid host; a host consists of letters, digits, dots and hyphens")
    }
    return (host.lowercased(), port)
  }
}

private func trimmed(_ text: String) -> String {
  String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
}

/// Whether a byte of a parsed query needs no encoding.
private func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == 0x3f }

private func isHostByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2d, 0x2e, 0x5f: true
  default: false
  }
}

private func isAddressByte(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x3A, 0x41...0x46, 0x61...0x66, 0x2e: true
  default: false
  }
}
