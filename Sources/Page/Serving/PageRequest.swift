import System

/// A request to a page.
package struct PageRequest: Sendable {
  package var method: String
  /// The decoded path.
  package var path: String
  package var query: [(name: String, value: String)]
  /// By lower-case names; of equal ones the first.
  package var headers: [String: String]
  package var body: [UInt8]

  package init(
    method: String = "GET", path: String, query: [(name: String, value: String)] = [],
    headers: [String: String] = [:], body: [UInt8] = []
  ) {
    (self.method, self.path, self.query, self.headers, self.body) = (method, path, query, headers, body)
  }

  var isRead: Bool { method == "GET" || method == "HEAD" }

  /// The value of a cookie.
  func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0].drop(while: { $0 == " " }) == name { return String(pair[1]) }
    }
    return nil
  }

  /// A field of the form that the body contains.
  func field(_ name: String) -> String? {
    for part in String(decoding: body, as: UTF8.self).split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, pair[0] == name { return percentDecoded(pair[1].replacing("+", by: " ")) }
    }
    return nil
  }
}

/// An answer of a page.
package struct PageAnswer: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// A document whose beginning is sent while the rest is made.
    case parts(PageFrame.Parts)
    /// Events, for as long as the tab stays.
    case stream(any PageFeed)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body

  init(
    _ status: Int, _ type: String, _ bytes: [UInt8], _ headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers
    body = .bytes(bytes)
  }

  init(_ html: HTML) { self.init(200, html) }

  init(_ status: Int, _ html: HTML) { self.init(status, "text/html; charset=utf-8", html.bytes) }

  init(_ parts: PageFrame.Parts) {
    status = 200
    headers = [("Content-Type", "text/html; charset=utf-8")]
    body = .parts(parts)
  }

  init(_ feed: any PageFeed) {
    status = 200
    headers = [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")]
    body = .stream(feed)
  }

  /// To another page of this server.
  static func redirect(to link: Link, _ headers: [(name: String, value: String)] = []) -> PageAnswer {
    PageAnswer(303, "text/plain", [], [("Location", link.text)] + headers)
  }
}
