import Store

/// The rules of the HTTP cache: what is served from it, revalidated or fetched, and under which key.
enum CachePolicy {
  enum Decision: Equatable {
    /// The entry is young enough.
    case use
    /// Ask the server whether the entry has changed.
    case revalidate
    case fetch
  }

  static func decide(_ cached: CacheEntry?, _ rule: CacheRule, refresh: Bool, at now: Double) -> Decision {
    guard let cached, !refresh else { return .fetch }
    if cached.checked >= rule.since, cached.age(at: now) < rule.maximumAge.inSeconds { return .use }
    return cached.hasValidator ? .revalidate : .fetch
  }

  /// The headers of a conditional request.
  static func conditions(_ cached: CacheEntry) -> [Header] {
    [
      cached.headers["etag"].map { Header("If-None-Match", $0) },
      cached.lastModified.map { Header("If-Modified-Since", $0) },
    ].compactMap { $0 }
  }

  /// Whether the entry may be served stale after an error.
  static func mayServeStale(_ cached: CacheEntry, _ rule: CacheRule, for error: FetchError, at now: Double)
    -> Bool
  {
    rule.staleAge > .zero && error.allowsStale && cached.checked >= rule.since
      && cached.age(at: now) <= rule.staleAge.inSeconds
  }

  /// The rule for a request; nil if it is not cached.
  static func applies(to request: Request) -> CacheRule? {
    let isReading = request.method == .get || request.method == .post && request.isRepeatable
    return isReading ? request.cache : nil
  }

  /// The key of an entry: a hash of all that the response depends on, secrets included.
  static func key(of request: Request, _ rule: CacheRule) -> [UInt8] {
    let names = Set(rule.variesBy.map { $0.lowercased() })
    let headers = request.headers.filter { $0.isSecret || names.contains($0.name.lowercased()) }
      .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    let expectation = request.expectation == .json ? "json" : "bytes"
    let page = request.page.map { ["\($0)"] } ?? []
    let head =
      [request.method.rawValue, request.address.text, expectation] + headers + request.knownSecrets.sorted()
      + page
    // With their lengths, so that different lists never give the same text.
    let text = head.map { "\($0.utf8.count):\($0)" }.joined()
    return SHA256.digest(Array(text.utf8) + request.body)
  }
}

/// A decoded entry of the cache: a stored response with its headers parsed and its secrets restored.
struct CacheEntry: Sendable, Equatable {
  var status = 200
  /// When it was received or last revalidated, in seconds since 1970.
  var checked: Double
  var headers = Headers()
  var body: [UInt8] = []

  var hasValidator: Bool { headers["etag"] != nil || lastModified != nil }

  /// The time of its last change, where the content cannot have changed again within that second (RFC 9110, 8.8.2.2).
  var lastModified: String? { headers.strongLastModified }

  /// An entry from the future, from before a clock was set back, counts as infinitely old.
  func age(at now: Double) -> Double { checked > now + 5 ? .infinity : max(0, now - checked) }
}

extension CacheEntry {
  /// Decodes a stored response; nil if it was stored with other secrets.
  init?(_ cached: CachedResponse, _ redaction: Redaction) {
    guard let head = redaction.restored(cached.headers), let body = redaction.restored(cached.body) else {
      return nil
    }
    self.init(status: cached.status, checked: cached.checked, body: body)
    for line in head.split(separator: 0x0a) {
      let parts = line.split(separator: 0x3a, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      headers.add(String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
  }

  /// Encodes it without secrets; nil if they could not be restored.
  func encoded(_ redaction: Redaction) -> CachedResponse? {
    let lines = headers.fields.filter { $0.name != "set-cookie" }.map { "\($0.name):\($0.value)\n" }
    guard let head = redaction.stripped(Array(lines.joined().utf8)), let body = redaction.stripped(body)
    else { return nil }
    return CachedResponse(status: status, checked: checked, headers: head, body: body)
  }
}
