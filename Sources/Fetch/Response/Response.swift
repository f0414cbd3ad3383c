import System
import JSON

/// The response to a request: the value, and how fresh it is.
public struct Response: Sendable {
  public enum Freshness: String, Sendable {
    /// From the server, or from the cache and as young as the request asked for.
    case fresh
    /// From the cache, just confirmed by the server.
    case revalidated
    /// From the cache, because the server gave nothing newer: see `staleBecause`.
    case stale
  }

  public var status: Int
  public var headers: Headers
  /// The JSON; null for a request that expects any bytes.
  public var value: Value
  /// The body, for a request that expects any bytes.
  public var bytes: [UInt8]
  public var freshness: Freshness
  /// The seconds since it was received or last revalidated.
  public var age: Double
  /// Whether it came from the cache.
  public var isFromCache: Bool
  /// The error that made a stale response necessary.
  public var staleBecause: FetchError?
  /// The final address, after redirects.
  public var address: Address
  /// The number of attempts.
  public var tries: Int
  /// Stores it in place of the entry that the cache has; nil where it is not cached, or is stored already.
  public var keep: (@Sendable () -> Void)?
  /// The use that a page has made of the network, for the log.
  public var remark: String?
  /// The picture of a page.
  public var picture: KeptPicture?
}

/// A notice about a fetch under way: why it takes time.
public enum FetchNotice: Sendable, Equatable, CustomStringConvertible {
  /// The budget of a site is spent; the fetch continues at `until` (seconds since 1970), after `wait`.
  case waitingForBudget(site: String, until: Double, wait: Duration)
  /// The same, because the site has asked for the wait.
  case waitingAsAsked(site: String, until: Double, wait: Duration)
  /// An attempt failed; the next one follows after `wait`.
  case retrying(FetchError, wait: Duration)
  /// The cache or the budgets cannot be read or written; the fetch continues without them.
  case notStored(String)

  public var description: String {
    switch self {
    case .waitingForBudget(let site, _, let wait): "\(site): next call in \(spoken(wait))"
    case .waitingAsAsked(let site, _, let wait):
      "\(site) asked to wait \(spoken(wait)) (Retry-After); --refresh retries now"
    case .retrying(let error, let wait): "\(error); next attempt in \(spoken(wait))"
    case .notStored(let reason): "continuing without cache and budgets: \(reason)"
    }
  }
}
