import Language
import Reactive

/// The spread of the first polls of sources that start together, so that their beats do not fall on one instant.
///
/// A few are polled at once, as those of one pipeline are; each of the others later, within the period of its schedule
/// and a minute. However many there are, they lie about evenly, and in each run otherwise: where runs are cut short
/// again and again, all get their turn.
final class PollSpread: Sendable {
  private static let atOnce = 16
  private static let longest = Duration.seconds(60)
  /// Sources that start later than this after the one before do not start together with it.
  private static let pause = Duration.seconds(1)
  /// The fraction of the golden ratio: its multiples, without what is before the point, are evenly spread.
  private static let step = 0.618_033_988_749_895

  private let state = Locked((count: 0, last: Instant()))
  private let start: Double
  private let longest = Locked(PollSpread.longest)

  /// `start` is between 0 and 1.
  init(from start: Double = .random(in: 0..<1)) { self.start = start }

  /// Has all be polled by then, as in a run that ends.
  func limit(to longest: Duration) { self.longest.withLock { $0 = min($0, longest) } }

  /// How much later than at once a source is polled first.
  func delay(of schedule: Schedule, at now: Instant) -> Duration {
    guard case .every(let period) = schedule.rhythm, schedule.atStart else { return .zero }
    let count = state.withLock { state in
      state = (now - state.last > Self.pause ? 1 : state.count + 1, now)
      return state.count
    }
    if count <= Self.atOnce { return .zero }
    let place = start + Double(count - Self.atOnce) * Self.step
    return min(period, longest.withLock { $0 }) * (place - place.rounded(.down))
  }
}
