import JSON

/// The head of a request or response as the proxy passes it on: its lines as they came, without what concerns only this
/// connection.
struct ProxyHead {
  /// The words of the first line.
  let words: [String]
  private let first: [UInt8]
  private let fields: [(name: String, line: [UInt8])]

  /// Nil while its end has not arrived, and for what is no head; `rest` is what comes behind it.
  init?(_ bytes: [UInt8], rest: inout [UInt8]) {
    guard let end = Self.end(of: bytes) else { return nil }
    var lines = bytes[..<end].split(separator: 0x0a).map {
      $0.last == 0x0d ? Array($0.dropLast()) : Array($0)
    }
    lines.removeAll(where: \.isEmpty)
    guard let first = lines.first else { return nil }
    words = first.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard words.count >= 2 else { return nil }
    self.first = first
    fields = lines.dropFirst().map { line in
      (String(decoding: line.prefix { $0 != 0x3a }, as: UTF8.self).lowercased(), line)
    }
    rest = Array(bytes[end...])
  }

  private static func end(of bytes: [UInt8]) -> Int? {
    var index = 0
    while let next = bytes[index...].firstIndex(of: 0x0a) {
      index = next + 1
      let after = bytes[index...].prefix(2)
      if after.first == 0x0a { return index + 1 }
      if after.elementsEqual([0x0d, 0x0a]) { return index + 2 }
    }
    return nil
  }

  subscript(_ name: String) -> String? {
    fields.first { $0.name == name }.map { field in
      let value = field.line.drop { $0 != 0x3a }.dropFirst()
      return String(decoding: value.drop { $0 == 0x20 }, as: UTF8.self)
    }
  }

  /// The bytes of it for a connection that ends with the exchange, with another first line if there is one.
  func closing(_ first: String? = nil) -> [UInt8] {
    var bytes = first.map { Array($0.utf8) } ?? self.first
    for (name, line) in fields
    where !name.hasPrefix("proxy-") && !["connection", "keep-alive"].contains(name) {
      bytes += [0x0d, 0x0a] + line
    }
    return bytes + Array("\r\nConnection: close\r\n\r\n".utf8)
  }

  /// The host and port that a request is for: of `CONNECT host:port`, or of a whole address of http.
  var destination: (host: String, port: Int)? {
    var text = words[1][...]
    var port = 443
    if words[0] != "CONNECT" {
      guard text.hasPrefix("http://") else { return nil }
      text = text.dropFirst(7).prefix { $0 != "/" && $0 != "?" }
      port = 80
    }
    guard !text.contains("@") else { return nil }
    let end = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text[end...].lastIndex(of: ":") {
      guard let given = Int(text[colon...].dropFirst()), 1...65535 ~= given else { return nil }
      (text, port) = (text[..<colon], given)
    }
    return text.isEmpty ? nil : (text.lowercased(), port)
  }

  /// The first line for the server itself.
  var lineForServer: String {
    let rest = words[1].dropFirst(7).drop { $0 != "/" && $0 != "?" }
    return "\(words[0]) \(rest.hasPrefix("/") ? "" : "/")\(rest) HTTP/1.1"
  }
}
