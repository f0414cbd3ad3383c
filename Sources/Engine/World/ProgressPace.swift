/// The pace at which a source reports its progress: not in the first second, then five times a second.
///
/// By a real clock: in virtual time years pass while a person waits.
public struct ProgressPace: Sendable {
  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant

  public init() { next = start + .seconds(1) }

  /// Whether to report now.
  public mutating func isDue() -> Bool {
    let now = ContinuousClock.now
    if now < next { return false }
    next = now + .milliseconds(200)
    return true
  }
}
