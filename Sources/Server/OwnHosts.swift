/// The host names that a server answers for.
///
/// A page of another name that resolves to this machine (DNS rebinding) has its requests refused by them.
package struct OwnHosts: Sendable {
  private let names: Set<String>
  /// Whether it listens on all addresses of the machine.
  private let isEverywhere: Bool

  /// - Parameters:
  ///   - address: The numeric address at which the server listens; nil for a path.
  ///   - names: Names beside those of the loopback.
  package init(listeningAt address: String?, names: some Sequence<String> = []) {
    var names = Set(names.map { $0.lowercased() })
    names.formUnion(["localhost", "127.0.0.1", "[::1]"])
    if let address { names.insert(address.contains(":") ? "[\(address)]" : address) }
    self.names = names
    isEverywhere = address == "0.0.0.0" || address == "::"
  }

  /// Whether a `Host` names this server, with any port: there may be a tunnel in between.
  package func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    var name = Substring(host)
    if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) {
      name = host[..<colon]
    }
    if names.contains(String(name)) { return true }
    // A numeric address cannot be rebound; it is one of ours if we listen on all of them.
    guard isEverywhere else { return false }
    let isV6 = name.hasPrefix("[") && name.hasSuffix("]")
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return isV6 || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
