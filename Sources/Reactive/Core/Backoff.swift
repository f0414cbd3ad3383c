/// A retry back-off: waits that grow up to a cap, with jitter so that clients do not retry in step.
///
/// ```
/// let patience = Backoff(initial: .seconds(1), factor: 2, cap: .seconds(60), attempts: 8)
/// ```
public struct Backoff: Sendable {
  /// The wait before the first retry.
  public var initial: Duration
  /// The factor of each further wait.
  public var factor: Double
  /// The longest wait.
  public var cap: Duration
  /// The random part of a wait: 0 none, 1 all of it (anything from nothing to the full wait).
  public var jitter: Double
  /// How many retries in a row; nil for as long as it takes.
  public var attempts: Int?
  /// The wait an error itself asks for (a `Retry-After`, say): neither jitter nor the cap changes it.
  public var requested: @Sendable (any Error) -> Duration?
  /// The random source: a number from 0 up to 1.
  public var random: @Sendable () -> Double

  /// Makes one; each parameter is the property of its name.
  public init(
    initial: Duration = .seconds(1), factor: Double = 2, cap: Duration = .seconds(60), jitter: Double = 1,
    attempts: Int? = nil,
    requested: @escaping @Sendable (any Error) -> Duration? = { _ in nil },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.initial = initial
    self.factor = factor
    self.cap = cap
    self.jitter = jitter
    self.attempts = attempts
    self.requested = requested
    self.random = random
  }

  /// The wait before retry number `retry` (from zero), or nil when there have been enough.
  public func delay(beforeRetry retry: Int, after error: any Error) -> Duration? {
    if let attempts, retry >= attempts { return nil }
    if let asked = requested(error) { return max(.zero, asked) }
    return longestDelay(beforeRetry: retry) * (1 - min(1, max(0, jitter)) * random())
  }

  /// The longest wait before a retry: what chance shortens.
  public func longestDelay(beforeRetry retry: Int) -> Duration {
    var wait = initial
    for _ in 0..<max(0, retry) {
      if wait <= .zero || wait >= cap { break }
      // Compared before multiplying: the product may be more than a duration can hold.
      wait = wait / cap * factor < 1 ? wait * factor : cap
    }
    return max(.zero, min(cap, wait))
  }
}
