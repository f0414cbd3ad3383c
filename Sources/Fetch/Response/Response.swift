import JSON

/// What came of a request: a value, and how far it can be relied on.
public struct Answer: Sendable {
  public enum Freshness: String, Sendable {
    /// It came just now, or a while ago and is as young as the request asked for.
    case fresh
    /// It is from the cache, and the server has just said that nothing has changed.
    case revalidated
    /// It is from the cache, and nothing newer can be had: see `staleBecause`.
    case stale
  }

  public var status: Int
  public var headers: Headers
  /// The JSON; null where the request took anything.
  public var value: Value
  /// The body, where the request took anything.
  public var bytes: [UInt8]
  public var freshness: Freshness
  /// For how many seconds nobody has looked whether it is still so.
  public var age: Double
  /// Whether it was in the cache.
  public var isFromCache: Bool
  /// Why nothing newer can be had, of a stale answer.
  public var staleBecause: FetchError?
  /// Where it came from in the end, redirects followed.
  public var address: Address
  /// How often the server was asked.
  public var tries: Int
}

/// What somebody who waits for an answer may be told meanwhile.
public enum FetchNotice: Sendable, Equatable, CustomStringConvertible {
  /// The budget of a site is spent; it goes on at `until` (seconds since 1970), in so long.
  case waitingForBudget(site: String, until: Double, wait: Duration)
  /// It failed and is tried again after a wait.
  case retrying(FetchError, wait: Duration)
  /// What is kept between fetches cannot be read or written; it goes on without.
  case notKept(String)

  public var description: String {
    switch self {
    case .waitingForBudget(let site, _, let wait): "\(site): next call in \(spoken(wait))"
    case .retrying(let error, let wait): "\(error); next try in \(spoken(wait))"
    case .notKept(let reason): "going on without what is kept between fetches: \(reason)"
    }
  }
}
