import Reactive

/// The request budget of a site: any number of limits in time windows, all of which hold.
///
///     SiteBudget([.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))])
public struct SiteBudget: Sendable, Equatable {
  public struct Window: Sendable, Equatable, Hashable {
    public var limit: Int
    public var period: Duration

    /// At most `limit` requests in any interval of that length.
    public init(_ limit: Int, per period: Duration) {
      self.limit = limit
      self.period = period
    }
  }

  public var windows: [Window]
  /// The period of the site's `X-RateLimit-Limit` and `X-RateLimit-Remaining`; nil to ignore these headers.
  ///
  /// A reported limit replaces the window of that period.
  public var learnedPeriod: Duration?

  public init(_ windows: [Window] = [], learnedPeriod: Duration? = nil) {
    self.windows = windows
    self.learnedPeriod = learnedPeriod
  }

  /// No limits.
  public static let unlimited = SiteBudget()
}

/// A site's own report on its budget, from headers or from an endpoint for that.
public struct BudgetReport: Sendable, Equatable {
  public var limit: Int
  public var remaining: Int
  public var period: Duration
  /// The time until the next request, if none is left now.
  public var nextIn: Duration?

  public init(limit: Int, remaining: Int, period: Duration, nextIn: Duration? = nil) {
    // A site may report any number; one so large is no limit.
    self.limit = min(max(1, limit), 1_000_000_000)
    self.remaining = min(max(0, remaining), self.limit)
    self.period = period
    self.nextIn = nextIn
  }

  /// From `X-RateLimit-Limit` and `X-RateLimit-Remaining`; nil unless both are numbers.
  init?(_ headers: Headers, period: Duration) {
    guard let limit = headers["x-ratelimit-limit"].flatMap({ Int($0) }), limit > 0,
      let remaining = headers["x-ratelimit-remaining"].flatMap({ Int($0) })
    else { return nil }
    self.init(limit: limit, remaining: remaining, period: period)
  }
}
