/// The settings of a connection to a NATS server: which servers, and how to log in.
package struct NATSSettings: Sendable {
  /// Addresses, as `nats://host:4222` or `tls://host:4222`; the client uses whichever answers.
  package var servers: [String]
  /// The name under which the server lists the connection.
  package var name: String
  package var user: String?
  package var password: String?
  package var token: String?
  /// The path of a file with a JWT and its seed.
  package var credentials: String?
  /// A public NKey, and the path of the file with its seed.
  package var key: String?
  package var seed: String?
  /// Nil for no TLS beyond what the server demands.
  package var tls: TLS?

  /// The settings of TLS: paths of PEM files.
  package struct TLS: Sendable {
    /// Authorities besides the system's; nil for the system's alone.
    package var authorities: String?
    package var certificate: String?
    package var key: String?
    package var skipsVerification: Bool

    package init(
      authorities: String? = nil, certificate: String? = nil, key: String? = nil,
      skipsVerification: Bool = false
    ) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
      self.skipsVerification = skipsVerification
    }
  }

  package init(servers: [String], name: String) {
    self.servers = servers
    self.name = name
  }

  /// The servers for messages: without user names and passwords.
  package var shownServers: String { servers.map(NATSAddress.shown).joined(separator: ", ") }
}

/// The parts of a server's address.
package enum NATSAddress {
  /// Why a text is not an address; nil where it is one.
  package static func flaw(in text: String) -> String? {
    if let mark = text.place(of: "://"), !["nats", "tls"].contains(text[..<mark.lowerBound]) {
      return "the scheme is nats or tls"
    }
    let host = Self.host(of: text)
    if host.isEmpty || host.hasPrefix(":") { return "it has no host" }
    if host.contains(where: { $0 == " " || $0 == "/" || $0 == "," }) { return "it is a host and a port only" }
    guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return nil }
    let port = host[host.index(after: colon)...]
    return UInt16(port).map { $0 > 0 } == true ? nil : "\(port) is not a port"
  }

  /// The secret in an address, as in `nats://user:secret@host` and `nats://token@host`.
  package static func secret(in text: String) -> String? {
    guard let login = login(of: text) else { return nil }
    return login.firstIndex(of: ":").map { String(login[login.index(after: $0)...]) } ?? String(login)
  }

  package static func isSecure(_ text: String) -> Bool { text.hasPrefix("tls://") }

  /// The address without user name and password.
  package static func shown(_ text: String) -> String {
    (isSecure(text) ? "tls://" : "nats://") + host(of: text)
  }

  private static func login(of text: String) -> Substring? {
    let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? text[...]
    return rest.lastIndex(of: "@").map { rest[..<$0] }
  }

  private static func host(of text: String) -> String {
    let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? text[...]
    return String(rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
  }
}

/// The rules for subjects.
package enum NATSSubject {
  /// Why a text is not a subject; nil where it is one.
  package static func flaw(in text: String, allowsWildcards: Bool = false) -> String? {
    if text.isEmpty { return "it is empty" }
    var lastWasDot: UInt8 = 1
    for byte in text.utf8 {
      if byte <= 0x20 || byte == 0x7f { return "it contains white space" }
      if byte == UInt8(ascii: "."), lastWasDot == 1 { return "a part between two dots is empty" }
      if !allowsWildcards, byte == UInt8(ascii: "*") || byte == UInt8(ascii: ">") {
        return "it contains a wildcard"
      }
      lastWasDot = byte == UInt8(ascii: ".") ? 1 : 0
    }
    return lastWasDot == 1 ? "it ends with a dot" : nil
  }
}
