import System

/// An address that a page may link to: one of its own, or one on the web by http or https.
package struct Link: Sendable, Equatable {
  package let text: String

  /// A path of this server, of segments that are escaped here, with a query.
  package init(path segments: [String], query: [(name: String, value: String)] = []) {
    var text =
      segments.isEmpty ? "/" : segments.map { "/" + percentEncoded($0, keeping: isUnreserved) }.joined()
    if !query.isEmpty {
      text +=
        "?"
        + query.map { name, value in
          percentEncoded(name, keeping: isUnreserved) + "=" + percentEncoded(value, keeping: isUnreserved)
        }.joined(separator: "&")
    }
    self.text = text
  }

  /// A place on the same page.
  package static func anchor(_ id: StaticString) -> Link { Link(text: "#\(id)") }

  private init(text: String) { self.text = text }

  /// The address that a feed contains; nil unless it is one of the web, so that no link runs a script.
  package init?(web text: String) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard rest.hasPrefix("://"), rest.count > 3, text.utf8.count <= 4096,
      text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 && $0 != "\\" })
    else { return nil }
    self.text = text
  }

  /// The host of an address of the web.
  package var host: String {
    let rest =
      text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return String(authority.split(separator: "@").last ?? authority)
  }

  /// The same path at another server, given as `http://127.0.0.1:1234`.
  package func served(by origin: String) -> Link {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return Link(text: origin + "/" + (parts.count > 3 ? parts[3] : ""))
  }
}
