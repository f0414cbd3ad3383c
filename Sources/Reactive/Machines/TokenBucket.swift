/// A token bucket, the state machine of `rateLimit`: permissions at a steady rate, with a reserve for bursts.
@usableFromInline package struct TokenBucket: Sendable {
  private let interval: Int64
  /// How far ahead of now the horizon may be: the time in which the reserve fills up.
  private let reserve: Duration
  /// When the bucket would have been empty, had it always been drawn on as now (the "theoretical arrival time").
  @usableFromInline package private(set) var horizon: Instant?

  /// `count` permissions each `period`, at most `burst` of them saved up.
  ///
  /// Full, or as another was with that horizon.
  @usableFromInline package init(_ count: Int, per period: Duration, burst: Int = 1, horizon: Instant? = nil)
  {
    self.horizon = horizon
    // Rounded up, for rounded down one more would fit into a period.
    let even = period.nanoseconds.quotientAndRemainder(dividingBy: Int64(max(1, count)))
    interval = max(1, even.quotient + (even.remainder > 0 ? 1 : 0))
    let (whole, overflow) = interval.multipliedReportingOverflow(by: Int64(max(1, burst) - 1))
    reserve = .nanoseconds(overflow ? .max : whole)
  }

  /// When the next permission can be had: `now`, or later.
  @usableFromInline package func available(at now: Instant) -> Instant {
    guard let horizon else { return now }
    return max(now, horizon - reserve)
  }

  /// Takes a permission, if one can be had now.
  @usableFromInline package mutating func take(at now: Instant) -> Bool {
    if available(at: now) > now { return false }
    horizon = max(horizon ?? now, now) + .nanoseconds(interval)
    return true
  }
}
