import Expectations
import JSON
import Testing

@testable import Page

/// What keeps other sites and other machines out; one test for each promise of SECURITY.md.
@Suite("Security of pages")
struct PageGuardTests {
  private let page = PageFixture()

  private func status(
    _ request: PageRequest, at address: PageAddress = .standard, token: String? = nil, names: Set<String> = []
  ) -> Int {
    page.router(at: address, token: token, names: names).answer(request).status
  }

  @Test(
    "a host name that is not ours gets 421",
    arguments: [
      ("127.0.0.1:8787", 200), ("localhost", 200), ("LOCALHOST:1234", 200), ("[::1]:8787", 200),
      ("my.host", 200),
      ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("evil.example:8787", 421), ("", 421),
      ("10.0.0.1", 421), ("localhost.evil.example", 421), ("[::2]", 421), ("127.0.0.1:80:90", 421),
    ])
  func hosts(_ host: String, _ expected: Int) {
    expect(status(PageRequest(path: "/", headers: ["host": host]), names: ["My.Host"]), equals: expected)
  }

  @Test("without a Host there is no answer either")
  func noHost() { expect(status(PageRequest(path: "/")), equals: 421) }

  @Test("on all addresses numeric hosts are ours, names are not")
  func everywhere() {
    let all = PageAddress.tcp(host: "0.0.0.0", port: 8787)
    for (host, expected) in [
      ("10.1.2.3:8787", 401), ("[fe80::1]", 401), ("evil.example", 421), ("10.1.2", 421),
    ] {
      expect(
        status(PageRequest(path: "/", headers: ["host": host]), at: all, token: "secret"), equals: expected)
    }
  }

  @Test("every answer forbids scripts and frames of others, guessing of types, and referrers")
  func headers() {
    for path in ["/", "/v/p/s", "/nothing", "/v/p/s.json"] {
      for host in ["localhost", "evil.example"] {
        let answer = page.router().answer(PageRequest(path: path, headers: ["host": host]))
        let policy = answer.header("Content-Security-Policy") ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"))
        #expect(
          policy.hasSuffix("frame-ancestors 'none'") && !policy.contains("unsafe")
            && !policy.contains("https:"))
        expect(answer.header("X-Content-Type-Options"), equals: "nosniff")
        expect(answer.header("Referrer-Policy"), equals: "no-referrer")
        expect(answer.header("X-Frame-Options"), equals: "DENY")
        expect(answer.header("Cross-Origin-Resource-Policy"), equals: "same-origin")
      }
    }
  }

  @Test("pictures of other hosts are in the policy only where they are allowed")
  func picturePolicy() {
    let answer = page.router(hasPictures: true).answer(PageRequest(path: "/", headers: ["host": "localhost"]))
    expect(answer.header("Content-Security-Policy")?.contains("img-src 'self' https: http:;"), equals: true)
  }

  @Test("GET changes nothing: what POST does, it does not")
  func reading() {
    for method in ["GET", "HEAD"] {
      let request = PageRequest(
        method: method, path: "/settings", query: [("units", "imperial")], headers: ["host": "localhost"])
      let answer = page.router().answer(request)
      #expect(answer.status == 404 && answer.header("Set-Cookie") == nil)
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
      expect(status(PageRequest(method: method, path: "/", headers: ["host": "localhost"])), equals: 405)
    }
  }

  @Test(
    "POST is for forms of this page",
    arguments: [
      (["sec-fetch-site": "same-origin"], 303), (["sec-fetch-site": "none"], 303),
      (["sec-fetch-site": "cross-site"], 403), (["sec-fetch-site": "same-site"], 403), ([:], 303),
      (["origin": "http://localhost"], 303), (["origin": "http://evil.example"], 403),
      (["origin": "null"], 403),
      (["origin": "http://localhost:9"], 403),
    ] as [([String: String], Int)])
  func posts(_ headers: [String: String], _ expected: Int) {
    let request = PageRequest(
      method: "POST", path: "/settings", headers: headers.merging(["host": "localhost"]) { $1 },
      body: Array("units=metric".utf8))
    expect(status(request), equals: expected)
  }

  @Test("an address that others can reach needs the token, which a cookie keeps")
  func token() throws {
    let address = PageAddress.tcp(host: "192.0.2.1", port: 80)
    let router = page.router(at: address, token: "secret")
    func answer(_ query: [(String, String)], _ headers: [String: String] = [:]) -> PageAnswer {
      router.answer(
        PageRequest(
          path: "/v/p/s", query: query.map { (name: $0.0, value: $0.1) },
          headers: headers.merging(["host": "192.0.2.1"]) { $1 }))
    }
    expect(answer([]).status, equals: 401)
    expect(answer([("token", "guess!")]).status, equals: 401)
    expect(answer([], ["cookie": "flow_token=secre"]).status, equals: 401)
    let first = answer([("token", "secret")])
    #expect(first.status == 303 && first.header("Location") == "/")
    let cookie = try #require(first.header("Set-Cookie"))
    expect(cookie, equals: "flow_token=secret; Path=/; HttpOnly; SameSite=Strict")
    expect(answer([], ["cookie": "x=y; flow_token=secret"]).status, equals: 200)
    #expect(!answer([]).text.contains("secret"))
  }

  @Test("the loopback and a socket of this user need none")
  func loopback() {
    let request = PageRequest(path: "/", headers: ["host": "localhost"])
    for address in [PageAddress.standard, .tcp(host: "::1", port: 1), .unix(path: "/run/p")] {
      expect(status(request, at: address, token: "secret"), equals: 200)
    }
  }

  @Test(
    "no path leads out of the page",
    arguments: [
      "/assets/../../etc/passwd", "/../etc/passwd", "/assets//etc/passwd", "/v/../assets", "/v/p/s/..", "//",
      "/v",
      "/assets/", "/assets/page.js", "/live/p", "/v/p/s/", "", "/v/p/s/\u{0}",
      "/assets/..%2f..%2fetc%2fpasswd",
    ])
  func traversal(_ path: String) {
    expect(status(PageRequest(path: path, headers: ["host": "localhost"])), equals: 404)
  }

  @Test(
    "addresses of a page as they are given",
    arguments: [
      ("127.0.0.1:0", .tcp(host: "127.0.0.1", port: 0)), ("8080", .tcp(host: "127.0.0.1", port: 8080)),
      (":8080", .tcp(host: "127.0.0.1", port: 8080)), ("localhost:1", .tcp(host: "127.0.0.1", port: 1)),
      ("[::1]:5", .tcp(host: "::1", port: 5)), ("0.0.0.0", .tcp(host: "0.0.0.0", port: 8787)),
      ("unix:/run/p.sock", .unix(path: "/run/p.sock")), ("unix:", nil), ("", nil), ("::1:5", nil),
      ("127.0.0.1:99999", nil), ("127.0.0.1:x", nil), ("[::1:5", nil),
    ] as [(String, PageAddress?)])
  func addresses(_ text: String, _ address: PageAddress?) { expect(PageAddress(text), equals: address) }
}
