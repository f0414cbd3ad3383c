import JSON
import Engine
import Language
import Reactive
import System

// Moments: times of day as instants, in nanoseconds since 1970.

extension Instant {
  /// The seconds since 1970 that an instant reaches, either way: the years 1678 to 2261.
  package static let reach = 9.2e9

  /// A wall-clock time to the millisecond, or where that is beyond `reach`, the last instant before: far away.
  ///
  /// Rounded, because an alarm that fires a microsecond early would have to be set again.
  package init(timeOfDay seconds: Double) {
    let milliseconds = (min(max(-Self.reach, seconds), Self.reach) * 1000).rounded()
    self.init(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  /// The time in seconds since 1970, computed from whole milliseconds to be the nearest number.
  package var timeOfDay: Double { Double(nanoseconds / 1_000_000) / 1000 }

  /// The time in ISO 8601.
  package var text: Value { .string(timestamp(timeOfDay)) }
}

extension Value {
  /// The time that a value represents, in seconds since 1970 or ISO 8601; nil for null.
  package func moment() throws -> Instant? { try timeOfDay().map { Instant(timeOfDay: $0) } }

  /// The same in seconds since 1970, of the years 0 to 9999.
  package func timeOfDay() throws -> Double? {
    if kind == .null { return nil }
    if let seconds = double ?? withText(parseTimestamp) ?? nil {
      if timestampRange.contains(seconds) { return seconds }
      throw Sentence(
        "not a time: \(description.prefix(60)) seconds since 1970 is not of the years 0 to 9999; divide milliseconds by 1000"
      )
    }
    throw Sentence(
      "not a time: \(description.prefix(60)); a time is a number of seconds since 1970 or ISO 8601")
  }
}

extension Downstream {
  /// How long to rely on the lane's clock: the wall clock may be set, or the machine suspended.
  private static let trust = Duration.seconds(600)

  /// The time of day of this turn, to the millisecond.
  package var moment: Instant { Instant(timeOfDay: timeOfDay) }

  /// Sets the alarm to a wall-clock time, or earlier; nil clears it.
  package func setAlarm(atMoment moment: Instant?) {
    // The last moment stands for all that are beyond it, which no clock reaches.
    guard let moment, moment.timeOfDay < Instant.reach else { return clearAlarm() }
    let time = instant(ofTimeOfDay: moment.timeOfDay)
    setAlarm(at: isTimeSteady ? time : min(time, now + Self.trust))
  }
}
