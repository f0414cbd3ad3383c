import Language
import System

/// The address of a server that a node keeps a connection to: `redis://user:password@host:6379/2`.
package struct ServerAddress: Sendable, CustomStringConvertible {
  /// How addresses of a protocol begin, without TLS and with it, and their ports.
  package struct Scheme: Sendable {
    package let (plain, secure): (String, String)
    package let (port, securePort): (Int, Int)

    package init(_ plain: String, _ port: Int, secure: String, _ securePort: Int) {
      (self.plain, self.secure, self.port, self.securePort) = (plain, secure, port, securePort)
    }
  }

  package var isSecure: Bool
  package var host: String
  package var port: Int
  package var user: String?
  package var password: String?
  /// The part behind the host, without its slash.
  package var path = ""
  package let scheme: Scheme

  /// The address without a login.
  package var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(isSecure ? scheme.secure : scheme.plain)://\(name):\(port)\(path.isEmpty ? "" : "/\(path)")"
  }

  /// Nil where the text is no such address.
  package init?(_ text: String, _ scheme: Scheme) {
    self.scheme = scheme
    let parts = text.place(of: "://").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
    let name = parts.map { String($0.0) } ?? scheme.plain
    guard [scheme.plain, scheme.secure].contains(name) else { return nil }
    isSecure = name == scheme.secure
    var rest = parts?.1 ?? text[...]
    if let at = rest.lastIndex(of: "@") {
      let login = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = login[0].isEmpty ? nil : percentDecoded(String(login[0]))
      password = login.count > 1 ? percentDecoded(String(login[1])) : nil
      if user == nil, password?.isEmpty ?? true { return nil }
      rest = rest[rest.index(after: at)...]
    }
    if let slash = rest.firstIndex(of: "/") {
      path = String(rest[rest.index(after: slash)...])
      rest = rest[..<slash]
    }
    port = isSecure ? scheme.securePort : scheme.port
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = String(rest[..<end].dropFirst())
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }.lowercased()
      rest = rest.dropFirst(host.count)
    }
    if host.isEmpty || host.contains(where: { " ,?#".contains($0) }) { return nil }
    if rest.isEmpty { return }
    guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
    port = Int(number)
  }

  /// The password as it is written, percent-encoded perhaps, in whatever stands where an address should.
  fileprivate static func writtenPassword(in text: String) -> String? {
    let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? text[...]
    guard let login = rest.lastIndex(of: "@").map({ rest[..<$0] }), let colon = login.firstIndex(of: ":")
    else {
      return nil
    }
    let password = login[login.index(after: colon)...]
    return password.isEmpty ? nil : String(password)
  }
}

extension OptionType where Value == ServerAddress {
  /// The address of a server; a password in it is redacted in all output.
  ///
  /// `flaw` says what else is wrong with one.
  package static func server(
    _ scheme: ServerAddress.Scheme, of kind: String,
    flaw: @escaping @Sendable (ServerAddress) -> String? = { _ in nil }
  ) -> OptionType {
    let text = OptionType<String>.text
    return OptionType(
      "server", sample: "\(scheme.plain)://127.0.0.1:\(scheme.port)", schema: .record([("type", "string")])
    ) { node, checker in
      guard let written = text.decode(node, checker) else { return nil }
      if let secret = ServerAddress.writtenPassword(in: written) { checker.secrets.insert(secret) }
      let hint =
        "as in \(scheme.plain)://host, \(scheme.plain)://host:\(scheme.port) or \(scheme.secure)://host"
      guard let address = ServerAddress(written, scheme) else {
        checker.report("this is not the address of \(kind)", at: node.place, hint: hint)
        return nil
      }
      if let password = address.password { checker.secrets.insert(password) }
      if let flaw = flaw(address) {
        checker.report("this is not the address of \(kind): \(flaw)", at: node.place, hint: hint)
        return nil
      }
      return address
    }
  }
}

/// The options of a login that may stand in the address of the server too.
package enum ServerLogin {
  /// Reports what cannot be.
  package static func check(
    _ options: Options, server: Option<ServerAddress>, user: Option<String?>, password: Option<String?>,
    needsUser: Bool, _ checker: Checker
  ) {
    TLSOptions.check(options, checker)
    let address = options[server]
    if address.user != nil, options.isGiven(user) {
      checker.report("the user is in the address of the server too", at: options.place(of: user))
    }
    if needsUser, options.isGiven(password), !options.isGiven(user) {
      checker.report("a password needs a user", at: options.place(of: password), hint: "add user: NAME")
    }
    if options.isGiven(TLSOptions.tls), !address.isSecure {
      checker.report(
        "tls has no effect: the address begins with \(address.scheme.plain)://",
        at: options.place(of: TLSOptions.tls),
        hint: "write \(address.scheme.secure)://, which has port \(address.scheme.securePort)")
    }
  }
}
