/// The speed of time on a scheduler: at 3600, an hour passes in a second.
///
/// ```
/// let lane = SerialScheduler(name: "lane", speed: Speed(3600))
/// let ticking = Observable.interval(.seconds(6 * 3600), on: lane).subscribe(next: { print($0) })  // every six seconds
/// ```
/// Schedulers that are handed the same one show the same time.
public struct Speed: Sendable {
  /// As fast as the machine's own clock.
  public static let real = Speed()

  /// How much of its time passes in one of the machine's.
  public let factor: Double
  private let start: Instant

  private init() {
    factor = 1
    start = Instant()
  }

  /// Starts at machine time and runs `factor` times as fast.
  public init(_ factor: Double) {
    self.factor = factor.isFinite && factor > 0 ? factor : 1
    start = MonotonicClock.now
  }

  /// The time of its clocks.
  public var now: Instant {
    let machine = MonotonicClock.now
    return factor == 1 ? machine : start + (machine - start) * factor
  }

  /// Converts a duration of the machine's clock to its own time.
  public func shown(for time: Duration) -> Duration { factor == 1 ? time : time * factor }

  /// Converts a duration of this clock to machine time.
  public func machine(for time: Duration) -> Duration { factor == 1 ? time : time / factor }

  /// When the machine's clock shows that this clock shows `instant`, or shortly after.
  func machineTime(of instant: Instant) -> Instant {
    factor == 1 || instant == .distantFuture ? instant : start + (instant - start) / factor + .nanoseconds(1)
  }
}

extension Duration {
  fileprivate static func * (duration: Duration, factor: Double) -> Duration {
    .nanoseconds(Int64(clamping: Double(duration.nanoseconds) * factor))
  }

  fileprivate static func / (duration: Duration, divisor: Double) -> Duration { duration * (1 / divisor) }
}

extension Int64 {
  /// The nearest whole number that fits.
  fileprivate init(clamping number: Double) {
    self = Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
  }
}
