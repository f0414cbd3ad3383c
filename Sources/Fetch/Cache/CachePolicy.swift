/// The rules of the cache, without the file that it is kept in.
enum CachePolicy {
  enum Decision: Equatable {
    /// What is there is young enough.
    case use
    /// Ask whether it has changed.
    case revalidate
    case fetch
  }

  static func decide(_ cached: KnownAnswer?, _ rule: CacheRule, refresh: Bool, at now: Double) -> Decision {
    guard let cached, !refresh else { return .fetch }
    if cached.age(at: now) < rule.maximumAge.inSeconds { return .use }
    return cached.hasValidator ? .revalidate : .fetch
  }

  /// The headers that ask whether it has changed.
  static func conditions(_ cached: KnownAnswer) -> [Header] {
    [
      cached.headers["etag"].map { Header("If-None-Match", $0) },
      cached.headers["last-modified"].map { Header("If-Modified-Since", $0) },
    ].compactMap { $0 }
  }

  /// Whether it may stand in for what cannot be had.
  static func mayStandIn(_ cached: KnownAnswer, _ rule: CacheRule, for error: FetchError, at now: Double)
    -> Bool
  {
    error.maySettleForStale && cached.age(at: now) <= rule.staleAge.inSeconds
  }

  /// Whether a request's answer is kept and looked up at all.
  static func applies(to request: Request) -> CacheRule? {
    let isReading = request.method == .get || request.method == .post && request.isRepeatable
    return isReading ? request.cache : nil
  }

  /// The name of an entry: a hash of all that the answer depends on, from which nothing can be read.
  static func key(of request: Request, _ rule: CacheRule) -> [UInt8] {
    let names = Set(rule.variesBy.map { $0.lowercased() })
    let headers = request.headers.filter { $0.isSecret || names.contains($0.name.lowercased()) }
      .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    let expectation = request.expectation == .json ? "json" : "bytes"
    let head = [request.method.rawValue, request.address.text, expectation] + headers
    // Each part with its length, so that no two lists of parts are the same text.
    let text = head.map { "\($0.utf8.count):\($0)" }.joined()
    return SHA256.digest(Array(text.utf8) + request.body)
  }
}
