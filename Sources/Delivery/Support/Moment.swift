import JSON
import Engine
import Language
import Reactive
import System

// Moments: times of day as instants, in nanoseconds since 1970.

extension Instant {
  /// A wall-clock time to the millisecond; nil outside the years 1679 to 2261.
  ///
  /// Rounded, because an alarm that fires a microsecond early would have to be set again.
  package init?(timeOfDay seconds: Double) {
    let milliseconds = (seconds * 1000).rounded()
    guard abs(milliseconds) < 9.2e12 else { return nil }
    self.init(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  /// The time in seconds since 1970, computed from whole milliseconds to be the nearest number.
  package var timeOfDay: Double { Double(nanoseconds / 1_000_000) / 1000 }

  /// The time in ISO 8601.
  package var text: Value { .string(timestamp(timeOfDay)) }
}

extension Value {
  /// The time that a value represents, in seconds since 1970 or ISO 8601; nil for null.
  package func moment() throws -> Instant? {
    if kind == .null { return nil }
    if let seconds = double ?? withText(parseTimestamp) ?? nil, let moment = Instant(timeOfDay: seconds) {
      return moment
    }
    throw Sentence(
      "not a time: \(description.prefix(60)); a time is a number of seconds since 1970 or ISO 8601")
  }
}

extension Downstream {
  /// How long to rely on the lane's clock: the wall clock may be set, or the machine suspended.
  private static let trust = Duration.seconds(600)

  /// The time of day of this turn, to the millisecond.
  package var moment: Instant { Instant(timeOfDay: timeOfDay) ?? Instant() }

  /// Sets the alarm to a wall-clock time, or earlier; nil clears it.
  package func setAlarm(atMoment moment: Instant?) {
    guard let moment else { return clearAlarm() }
    setAlarm(at: min(instant(ofTimeOfDay: moment.timeOfDay), now + Self.trust))
  }
}
