import Expectations
import Testing

@testable import Fetch

@Suite struct CachePolicyTests {
  let rule = CacheRule(maximumAge: .seconds(100), staleAge: .seconds(1000), variesBy: ["Accept"])

  static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  func cached(
    at checked: Double, etag: String? = nil, modified: String? = nil, date: String? = CachePolicyTests.date
  ) -> CacheEntry {
    let fields = [
      etag.map { ("ETag", $0) }, modified.map { ("Last-Modified", $0) }, date.map { ("Date", $0) },
    ].compactMap { $0 }
    return CacheEntry(checked: checked, headers: Headers(fields))
  }

  @Test("what is young is used, what is old is asked about, and what cannot be asked about is fetched")
  func decisions() {
    func decide(_ cached: CacheEntry?, refresh: Bool = false) -> CachePolicy.Decision {
      CachePolicy.decide(cached, rule, refresh: refresh, at: 1000)
    }
    expect(decide(nil), equals: .fetch)
    expect(decide(cached(at: 901)), equals: .use)
    expect(decide(cached(at: 900)), equals: .fetch)
    expect(decide(cached(at: 900, etag: "a")), equals: .revalidate)
    let second = "Sun, 06 Nov 1994 08:49:36 GMT"
    expect(decide(cached(at: 900, modified: second)), equals: .revalidate)
    // It may have changed again within that second.
    expect(decide(cached(at: 900, modified: Self.date)), equals: .fetch)
    expect(decide(cached(at: 900, modified: second, date: nil)), equals: .fetch)
    expect(decide(cached(at: 900, modified: "yesterday")), equals: .fetch)
    expect(decide(cached(at: 901, etag: "a"), refresh: true), equals: .fetch)
    // Of a clock that was set back.
    expect(decide(cached(at: 1004)), equals: .use)
    expect(decide(cached(at: 2000, etag: "a")), equals: .revalidate)
  }

  @Test(
    "an entry of another clock is never younger than it is",
    arguments: [-3600, 3600, -86_400, 86_400, -31_622_400, 31_622_400] as [Double])
  func clockSteps(step: Double) {
    let now = 1_800_000_000.0
    let stored = cached(at: now + step, etag: "a")
    expect(CachePolicy.decide(stored, rule, refresh: false, at: now), equals: .revalidate)
    // Once revalidated by the right clock, it is young.
    expect(CachePolicy.decide(cached(at: now), rule, refresh: false, at: now + 99), equals: .use)
  }

  @Test("an entry from before a takeover is revalidated or fetched, however young, and never served stale")
  func takenOver() throws {
    var rule = rule
    rule.since = 950
    func decide(_ cached: CacheEntry) -> CachePolicy.Decision {
      CachePolicy.decide(cached, rule, refresh: false, at: 1000)
    }
    expect(decide(cached(at: 949)), equals: .fetch)
    expect(decide(cached(at: 949, etag: "a")), equals: .revalidate)
    expect(decide(cached(at: 950)), equals: .use)
    let error = FetchError(.status(500), try request("https://a.org/"), "")
    #expect(!CachePolicy.mayServeStale(cached(at: 949), rule, for: error, at: 1000))
    #expect(CachePolicy.mayServeStale(cached(at: 950), rule, for: error, at: 1200))
  }

  @Test("it is asked with all that the server gave")
  func conditions() {
    let second = "Sun, 06 Nov 1994 08:49:36 GMT"
    let headers = CachePolicy.conditions(cached(at: 0, etag: "\"a\"", modified: second))
    expect(headers, equals: [Header("If-None-Match", "\"a\""), Header("If-Modified-Since", second)])
    let weak = CachePolicy.conditions(cached(at: 0, etag: "\"a\"", modified: Self.date))
    expect(weak, equals: [Header("If-None-Match", "\"a\"")])
  }

  @Test("a stale response is served if the server has a problem, not if it reports a change")
  func standIns() throws {
    let trouble: [FetchError.Kind] = [
      .unreachable, .timeout(.whole), .interrupted, .truncated, .notJSON, .budget, .store, .tooLarge,
      .status(429),
      .status(500), .status(523),
    ]
    let others: [FetchError.Kind] = [
      .encryption, .redirect, .request, .cancelled, .status(400), .status(401), .status(403),
      .status(404),
      .status(410),
    ]
    for kind in trouble + others {
      let error = FetchError(kind, try request("https://a.org/"), "")
      func mayServeStale(at now: Double) -> Bool {
        CachePolicy.mayServeStale(cached(at: 0), rule, for: error, at: now)
      }
      expect(mayServeStale(at: 1000), equals: trouble.contains(kind), "\(kind)")
      #expect(!mayServeStale(at: 1001))
    }
  }

  @Test("only what is read is kept")
  func applies() throws {
    func applies(_ method: Request.Method, repeatable: Bool = false) throws -> Bool {
      let request = try request("https://a.org/") {
        ($0.method, $0.isRepeatable, $0.cache) = (method, repeatable, rule)
      }
      return CachePolicy.applies(to: request) != nil
    }
    #expect(try applies(.get))
    #expect(try applies(.post, repeatable: true))
    for method in [Request.Method.head, .post, .put, .patch, .delete] { #expect(try !applies(method)) }
    expectNil(CachePolicy.applies(to: try request("https://a.org/")))
  }

  @Test("all that an answer depends on makes another name, and nothing else does")
  func keys() throws {
    func key(_ url: String = "https://a.org/?q=1", _ change: (inout Request) -> Void = { _ in }) throws
      -> [UInt8]
    {
      CachePolicy.key(of: try request(url, change), rule)
    }
    let plain = try key()
    expect(plain.count, equals: 32)
    try expect(key { $0.headers = [Header("User-Agent", "b")] }, equals: plain)
    try expect(key { $0.refresh = true }, equals: plain)
    let others = [
      try key("https://a.org/?q=2"), try key("https://a.org/?q=1&api_key=a"),
      try key("https://a.org/?q=1&api_key=b"),
      try key { $0.headers = [Header("accept", "b")] },
      try key { $0.headers = [Header("Authorization", "b")] },
      try key { $0.method = .post }, try key { ($0.method, $0.body) = (.post, [1]) },
      try key { $0.expectation = .anything },
    ]
    expect(Set(others + [plain]).count, equals: others.count + 1)
  }
}

@Suite struct CacheEntryTests {
  @Test("it comes back as it was kept, without cookies, and its secrets do not lie there")
  func kept() throws {
    let redaction = Redaction(["hunter2"])
    let headers = Headers([("ETag", "\"a:b\""), ("Link", "</?key=hunter2>; rel=next"), ("X-Empty", "")])
    var answer = CacheEntry(status: 200, checked: 7, headers: headers, body: Array("[\"hunter2\"]".utf8))
    let cached = try #require(answer.encoded(redaction))
    #expect(!cached.headers.contains(subsequence: "hunter2"))
    #expect(!cached.body.contains(subsequence: "hunter2"))
    expect(CacheEntry(cached, redaction), equals: answer)
    answer.headers.add("Set-Cookie", "session=1")
    expect(answer.encoded(redaction), equals: cached)
  }
}
