import JSON

/// When a source is polled.
public struct Schedule: Sendable {
  public enum Rhythm: Sendable {
    /// At the start, and never again.
    case once
    case every(Duration)
    case cron(Cron, any ZoneRules)
  }

  public var rhythm: Rhythm
  /// Whether the first poll is at once.
  public var atStart: Bool
  /// Each poll is put off by a random time up to this.
  public var jitter: Duration

  public init(_ rhythm: Rhythm, atStart: Bool, jitter: Duration = .zero) {
    self.rhythm = rhythm
    self.atStart = atStart
    self.jitter = jitter
  }

  public static let once = Schedule(.once, atStart: true)

  /// How long after the previous beat (a time of day) the next one is; nil when there is none.
  func delay(after beat: Double) -> Duration? {
    switch rhythm {
    case .once: return nil
    case .every(let period): return period
    case .cron(let cron, let zone):
      guard let next = cron.next(after: Int(beat.rounded(.down)), in: zone) else { return nil }
      return .nanoseconds(Int64((Double(next) - beat) * 1e9))
    }
  }

  /// By how much a poll is put off behind its beat.
  func spread(_ random: () -> Double) -> Duration { jitter == .zero ? .zero : jitter * random() }
}
