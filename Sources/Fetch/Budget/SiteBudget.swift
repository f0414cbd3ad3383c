import Reactive

/// How many requests a site takes in which time: any number of limits, all of which must be kept.
///
///     SiteBudget([.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))])
public struct SiteBudget: Sendable, Equatable {
  public struct Window: Sendable, Equatable, Hashable {
    public var limit: Int
    public var period: Duration

    /// At most `limit` requests in any stretch of that length.
    public init(_ limit: Int, per period: Duration) {
      self.limit = limit
      self.period = period
    }
  }

  public var windows: [Window]
  /// The period that the site's `X-RateLimit-Limit` and `X-RateLimit-Remaining` speak of; nil where they are not
  /// listened to.
  ///
  /// A limit heard of takes the place of the window of that period.
  public var learnedPeriod: Duration?

  public init(_ windows: [Window] = [], learnedPeriod: Duration? = nil) {
    self.windows = windows
    self.learnedPeriod = learnedPeriod
  }

  /// No limit at all.
  public static let unlimited = SiteBudget()
}

/// What a site says of a budget: in headers, or where it has an endpoint for that.
public struct BudgetReport: Sendable, Equatable {
  public var limit: Int
  public var remaining: Int
  public var period: Duration
  /// In how long the next request can be paid, where none can now.
  public var nextIn: Duration?

  public init(limit: Int, remaining: Int, period: Duration, nextIn: Duration? = nil) {
    // A site may say anything; so large a number is as good as none.
    self.limit = min(max(1, limit), 1_000_000_000)
    self.remaining = min(max(0, remaining), self.limit)
    self.period = period
    self.nextIn = nextIn
  }

  /// From `X-RateLimit-Limit` and `X-RateLimit-Remaining`; nil where they are not both numbers.
  init?(_ headers: Headers, period: Duration) {
    guard let limit = headers["x-ratelimit-limit"].flatMap({ Int($0) }), limit > 0,
      let remaining = headers["x-ratelimit-remaining"].flatMap({ Int($0) })
    else { return nil }
    self.init(limit: limit, remaining: remaining, period: period)
  }
}
