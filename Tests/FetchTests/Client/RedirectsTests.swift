import Expectations
import Testing

@testable import Fetch

@Suite struct RedirectsTests {
  func next(
    _ status: Int = 301, to location: String?, from url: String = "https://a.org/x?q=1", hops: Int = 0,
    _ change: (inout Request) -> Void = { _ in }
  ) throws -> Request {
    try Redirects.next(of: try request(url, change), status, location: location, hops: hops)
  }

  @Test("to the slash at the end, the query goes along, said or not")
  func slash() throws {
    try expect(next(to: "/x/?q=1").address.text, equals: "https://a.org/x/?q=1")
    try expect(next(to: "/x/").address.text, equals: "https://a.org/x/?q=1")
    try expect(next(to: "https://a.org/x/").address.text, equals: "https://a.org/x/?q=1")
    try expect(
      next(to: "https://a.org/x/", from: "http://a.org/x?q=1").address.text, equals: "https://a.org/x/?q=1")
    try expect(next(to: "/x/?r=2").address.text, equals: "https://a.org/x/?r=2")
  }

  @Test("another host gets neither the query nor a secret header")
  func elsewhere() throws {
    let moved = try next(to: "https://b.org/y") {
      $0.headers = [Header("Authorization", "Token hunter2"), Header("Accept", "a")]
    }
    expect(moved.address.text, equals: "https://b.org/y")
    expect(moved.headers, equals: [Header("Accept", "a")])
  }

  @Test(
    "where it does not lead",
    arguments: [
      (
        "http://a.org/x",
        "301 Moved Permanently from https to http (http://a.org/x), which is not encrypted"
      ),
      (
        "file:///etc/passwd",
        "301 Moved Permanently to an invalid address: the address begins with “file”; only https and http can be fetched"
      ),
      (
        "ftp://a.org/",
        "301 Moved Permanently to an invalid address: the address begins with “ftp”; only https and http can be fetched"
      ),
      ("", "301 Moved Permanently without a target"),
    ])
  func refused(_ location: String, _ words: String) throws {
    let failed = failure { _ = try next(to: location) }
    expect(failed?.kind, equals: .redirect)
    expect(failed?.message, equals: words)
    expect(failed?.mayPass, equals: false)
  }

  @Test("it does not go in circles")
  func circles() throws {
    try expect(next(to: "/y", hops: 7).address.path, equals: "/y")
    expect(
      failure { _ = try next(to: "/y", hops: 8) }?.message,
      equals: "301 Moved Permanently after 8 redirects, which probably form a loop")
  }

  @Test("what is sent is sent again by 307 and 308, dropped by 303, and refused by what says neither")
  func methods() throws {
    let post: (inout Request) -> Void = { ($0.method, $0.body) = (.post, [1]) }
    for status in [307, 308] {
      let moved = try next(status, to: "/y", post)
      expect(moved.method, equals: .post)
      expect(moved.body, equals: [1])
    }
    let other = try next(303, to: "/y", post)
    expect(other.method, equals: .get)
    expect(other.body, equals: [])
    try expect(next(303, to: "/y", { $0.method = .head }).method, equals: .head)
    for status in [301, 302] {
      expect(
        failure { _ = try next(status, to: "/y", post) }?.message.contains("for a POST; use the address"),
        equals: true)
    }
  }

  @Test("no header of the user follows to another origin, unless its host is allowed; that of the body does")
  func headersElsewhere() throws {
    var request = Request(try Address("https://a.org/x"))
    request.headers = [
      Header("X-Auth", "abcdef"), Header("X-Client", "flow"), Header("Content-Type", "text/plain"),
    ]
    let own = try request.following("/y")
    expect(own.headers.count, equals: 3)
    for link in ["https://b.org/", "https://a.org:8443/", "http://a.org/"] {
      try expect(request.following(link).headers.map(\.name), equals: ["Content-Type"], "\(link)")
    }
    request.allowedHosts = ["b.org"]
    try expect(request.following("https://b.org/").headers.count, equals: 3)
    try expect(request.following("http://b.org/").headers.map(\.name), equals: ["Content-Type"])
  }
}
