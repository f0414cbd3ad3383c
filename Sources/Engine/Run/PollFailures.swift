import Language
import Reactive

/// The log of a source's failed polls: the first few of a streak each, then one line now and then, then its end.
///
/// The lines come after a minute and after twice as long each time, an hour at most, so that an API that is away for a
/// month fills no log. Touched on the source's scheduler alone.
final class PollFailures: Sendable {
  private static let reportedEach = 3
  private static let pauses = (first: Duration.seconds(60), longest: Duration.seconds(3600))

  private struct Streak {
    let since: String
    var count = 0
    var unreported = 0
    var pause = PollFailures.pauses.first
    var nextReport: Instant
  }

  private let log: NodeLog
  private let state = LaneLocal<Streak?>(nil)

  init(_ log: NodeLog) { self.log = log }

  /// Notes a failed poll, by the monotonic clock and the time of day.
  func note(_ error: any Error, at now: Instant, timeOfDay: Double) {
    var streak =
      state.value ?? Streak(since: timestamp(timeOfDay), nextReport: now + PollFailures.pauses.first)
    streak.count += 1
    if streak.count <= PollFailures.reportedEach {
      log.report(error)
    } else {
      streak.unreported += 1
      if now >= streak.nextReport {
        log.error("\(streak.unreported) more polls failed, \(streak.count) since \(streak.since): \(error)")
        streak.unreported = 0
        streak.pause = min(streak.pause * 2, PollFailures.pauses.longest)
        streak.nextReport = now + streak.pause
      }
    }
    state.value = streak
  }

  /// Notes a poll that went well.
  func noteSuccess() {
    guard let streak = state.value else { return }
    state.value = nil
    if streak.count > PollFailures.reportedEach {
      log.notice("polls succeed again, after \(streak.count) failures since \(streak.since)")
    }
  }
}
