import System

/// The address of a request: a valid http or https URL whose description redacts its secrets.
///
///     var address = try Address("https://api.nasa.gov/planetary/")
///     address = address.appending(path: "apod").setting("api_key", to: key, isSecret: true)
///     print(address)  // https://api.nasa.gov/planetary/apod?api_key=***
public struct Address: Hashable, Sendable, CustomStringConvertible {
  public enum Scheme: String, Hashable, Sendable {
    case http, https

    var port: Int { self == .http ? 80 : 443 }
  }

  public let scheme: Scheme
  /// In lower case; an IPv6 address in brackets.
  public let host: String
  /// Nil for the scheme's default.
  public let port: Int?
  /// Percent-encoded, from its first `/`.
  public internal(set) var path: String
  public internal(set) var query: [QueryItem]

  /// The owner of a budget: the host, with the port if it is not the default.
  public var site: String { port.map { "\(host):\($0)" } ?? host }

  /// The URL as it is sent, secrets in clear.
  public var text: String { text { $0.text } }

  /// The URL with `***` for its secrets.
  public var description: String { text { $0.description } }

  private func text(_ write: (QueryItem) -> String) -> String {
    let end = query.isEmpty ? "" : "?" + query.map(write).joined(separator: "&")
    return "\(scheme.rawValue)://\(site)\(path)\(end)"
  }

  /// The address with one more path component, joined by one slash.
  public func appending(path part: String) -> Address {
    var copy = self
    let start = path.hasSuffix("/") ? String(path.dropLast()) : path
    copy.path = start + (part.hasPrefix("/") ? "" : "/") + percentEncoded(part, keeping: isPathByte)
    return copy
  }

  /// The address with a query item in place of those of its name; nil removes them.
  public func setting(_ name: String, to value: String?, isSecret: Bool = false) -> Address {
    var copy = self
    let item = value.map { QueryItem(name, $0, isSecret: isSecret) }
    let encoded = percentEncoded(name, keeping: isPlainByte)
    let place = query.firstIndex { $0.name == encoded }
    copy.query.removeAll { $0.name == encoded }
    if let item { copy.query.insert(item, at: min(place ?? copy.query.count, copy.query.count)) }
    return copy
  }

  /// The address with a query item as a secret, whatever its name is.
  package func hiding(_ item: QueryItem) -> Address {
    var copy = self
    copy.query = query.map {
      $0 == item ? QueryItem(encodedName: $0.name, value: $0.value, isSecret: true) : $0
    }
    return copy
  }

  /// The same path and query on another server by plain HTTP, a simulated one say.
  public func served(by host: String, port: Int) -> Address {
    Address(scheme: .http, host: host, port: port, path: path, query: query)
  }

  /// Whether both have the same scheme, host and port.
  func sharesOrigin(with other: Address) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }
}

/// A query item of an address.
public struct QueryItem: Hashable, Sendable, CustomStringConvertible {
  /// Percent-encoded.
  public let name: String
  /// Percent-encoded; nil without a `=`.
  public let value: String?
  public let isSecret: Bool

  public init(_ name: String, _ value: String, isSecret: Bool = false) {
    self.name = percentEncoded(name, keeping: isPlainByte)
    self.value = percentEncoded(value, keeping: isPlainByte)
    self.isSecret = isSecret || Self.isSecretName(self.name)
  }

  init(encodedName name: String, value: String?, isSecret: Bool = false) {
    self.name = name
    self.value = value
    self.isSecret = isSecret || Self.isSecretName(name)
  }

  /// In clear.
  var text: String { value.map { "\(name)=\($0)" } ?? name }

  public var description: String { isSecret && value != nil ? "\(name)=***" : text }

  /// Names of items that are always secret.
  private static let secretNames: Set = [
    "apikey", "key", "token", "accesstoken", "authtoken", "auth", "secret", "clientsecret", "password",
    "passwd", "sig", "signature", "appid",
  ]

  static func isSecretName(_ name: String) -> Bool {
    secretNames.contains(name.lowercased().filter { $0 != "_" && $0 != "-" })
  }
}

/// Whether a byte needs no encoding in a query item.
func isPlainByte(_ byte: UInt8) -> Bool {
  isUnreserved(byte) || ",:/".utf8.contains(byte)
}

/// Whether a byte needs no encoding in a path; `%` stays, so that nothing is encoded twice.
func isPathByte(_ byte: UInt8) -> Bool {
  isUnreserved(byte) || "%!$&'()*+,;=:@/".utf8.contains(byte)
}
