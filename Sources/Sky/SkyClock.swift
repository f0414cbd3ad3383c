/// A clock of the sky: it begins at some time and runs faster than ours, or slower.
public struct SkyClock: Sendable {
  private let start: SkyTime
  private let speed: Double
  private let elapsed: @Sendable () -> Duration

  /// - Parameters:
  ///   - speed: how many seconds of the sky pass in one of ours
  ///   - elapsed: how much of our time has passed since the start; it never goes back
  public init(start: SkyTime, speed: Double, elapsed: @escaping @Sendable () -> Duration) {
    (self.start, self.speed, self.elapsed) = (start, speed, elapsed)
  }

  /// The sky's time.
  public var now: SkyTime {
    let (seconds, attoseconds) = elapsed().components
    let passed = (Double(seconds) + Double(attoseconds) * 1e-18) * speed
    // A hundred years are as far as the calendar of a demo goes.
    return SkyTime(milliseconds: start.milliseconds + Int64(min(max(0, passed), 100 * 365 * 86400) * 1000))
  }
}
