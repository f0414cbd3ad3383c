import System

/// A header of a request.
public struct Header: Hashable, Sendable, CustomStringConvertible {
  public let name: String
  public let value: String
  /// Whether the value is shown as `***`; always true for headers that are known to carry secrets.
  public let isSecret: Bool

  public init(_ name: String, _ value: String, isSecret: Bool = false) {
    self.name = name
    self.value = value
    let compact = name.lowercased().filter { $0 != "-" && $0 != "_" }
    self.isSecret =
      isSecret || ["authorization", "proxyauthorization", "cookie"].contains(compact)
      || ["apikey", "token", "key", "secret", "password"].contains(where: compact.hasSuffix)
  }

  public var description: String { "\(name): \(isSecret ? "***" : value)" }

  /// Why the header is invalid, as a sentence; nil if it is valid.
  var invalidReason: String? {
    let isName = !name.isEmpty && name.utf8.allSatisfy { isNameByte($0) }
    if !isName { return "\(quoted(name)) is not a valid header name" }
    let breaks = value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
    return breaks
      ? "the value of the header \(name) contains a line break or another control character" : nil
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// The headers of a response in their order; names are case-insensitive.
public struct Headers: Equatable, Sendable {
  public private(set) var fields: [(name: String, value: String)] = []

  public init(_ fields: [(String, String)] = []) {
    for (name, value) in fields { add(name, value) }
  }

  mutating func add(_ name: String, _ value: String) {
    fields.append((name.lowercased(), value))
  }

  /// The first value of that name.
  public subscript(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name == name }?.value
  }

  /// The `Last-Modified` that is a validator: older than the response by a second (RFC 9110, 8.8.2.2).
  ///
  /// A resource may change again within the second of its date, and a later condition would not see it.
  public var strongLastModified: String? {
    guard let text = self["last-modified"], let modified = parseHTTPDate(text),
      let date = self["date"].flatMap(parseHTTPDate), modified + 1 <= date
    else { return nil }
    return text
  }

  public static func == (left: Headers, right: Headers) -> Bool {
    left.fields.elementsEqual(right.fields) { $0 == $1 }
  }
}
