import System

/// Where a page is served: an address and port, or the path of a socket.
public enum PageAddress: Sendable, Equatable {
  case tcp(host: String, port: Int)
  case unix(path: String)

  /// The default: on this machine only.
  public static let standard = PageAddress.tcp(host: "127.0.0.1", port: 8787)

  /// `127.0.0.1:8787`, `[::1]:8787`, `:0`, `8787`, `unix:PATH`; nil for anything else.
  public init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty else { return nil }
      self = .unix(path: path)
      return
    }
    let colon = text.lastIndex(of: ":")
    let isBracketed = text.hasPrefix("[")
    if isBracketed, text.last == "]" {
      self = .tcp(host: String(text.dropFirst().dropLast()), port: 8787)
      return
    }
    if colon == nil, let port = Int(text), (0...65535).contains(port) {
      self = .tcp(host: "127.0.0.1", port: port)
      return
    }
    guard let colon else {
      if text.isEmpty { return nil }
      self = .tcp(host: text, port: 8787)
      return
    }
    guard let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port) else { return nil }
    var host = String(text[..<colon])
    if isBracketed {
      guard host.last == "]" else { return nil }
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    if host == "localhost" || host.isEmpty { host = "127.0.0.1" }
    self = .tcp(host: host, port: port)
  }

  /// Whether only this machine, or this user, can reach it.
  public var isLoopback: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _): host == "::1" || host.hasPrefix("127.")
    }
  }

  /// The addresses to open in a browser; where it is all addresses of this machine, those of its network.
  public func urls(token: String?) -> [String] {
    guard case .tcp(let host, let port) = self else {
      if case .unix(let path) = self { return ["unix:\(path)"] }
      return []
    }
    let query = token.map { "?token=\($0)" } ?? ""
    var hosts = [host]
    if host == "0.0.0.0" || host == "::" {
      hosts = hostAddresses(version6: host == "::")
      if hosts.isEmpty { hosts = ["127.0.0.1"] }
    }
    return hosts.map { "http://\($0.contains(":") ? "[\($0)]" : $0):\(port)/\(query)" }
  }
}
