import System
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

  /// By how much a poll is put off behind its beat.
  package func spread(_ random: () -> Double) -> Duration { jitter == .zero ? .zero : jitter * random() }
}
