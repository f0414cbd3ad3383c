/// A point on a scheduler's clock, in nanoseconds since a start that only that scheduler knows.
public struct Instant: Hashable, Comparable, Sendable {
  /// How many nanoseconds after the start.
  public var nanoseconds: Int64

  /// Makes an instant so long after the start.
  public init(nanoseconds: Int64 = 0) {
    self.nanoseconds = nanoseconds
  }

  /// Never reached.
  public static var distantFuture: Instant { Instant(nanoseconds: .max) }

  /// Whether one comes before the other.
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Moves by a duration, stopping at the ends of what can be counted (292 years).
  public static func + (instant: Instant, duration: Duration) -> Instant {
    let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// Moves back by a duration.
  public static func - (instant: Instant, duration: Duration) -> Instant { instant + (.zero - duration) }

  /// How long it is from one to the other.
  public static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }
}

extension Duration {
  /// The whole nanoseconds, at most what 64 bits hold.
  package var nanoseconds: Int64 {
    // Up to nine seconds: the others take divisions of 128 bits.
    if let few = Int64(exactly: attoseconds) { return few / 1_000_000_000 }
    // Asked first, because a duration may have more seconds than its components can say.
    if self >= .nanoseconds(Int64.max) { return .max }
    if self <= .nanoseconds(Int64.min) { return .min }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

extension Instant: InstantProtocol {
  /// The instant that much later.
  public func advanced(by duration: Duration) -> Instant { self + duration }

  /// How long it is until another.
  public func duration(to other: Instant) -> Duration { other - self }
}
