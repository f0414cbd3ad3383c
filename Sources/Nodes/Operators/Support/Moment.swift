import JSON
import Engine
import Language
import Reactive

// Moments: times of day as instants, in nanoseconds since 1970.

extension Instant {
  /// A time of day to the millisecond; nil outside the years 1679 to 2261.
  ///
  /// Rounded, because an alarm that rings a microsecond early would be set again.
  init?(timeOfDay seconds: Double) {
    let milliseconds = (seconds * 1000).rounded()
    guard abs(milliseconds) < 9.2e12 else { return nil }
    self.init(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  /// The time in seconds since 1970, from whole milliseconds, so that it is the nearest number.
  var timeOfDay: Double { Double(nanoseconds / 1_000_000) / 1000 }

  /// The time in ISO 8601.
  var text: Value { .string(timestamp(timeOfDay)) }
}

extension Value {
  /// The moment that a value names, in seconds since 1970 or in ISO 8601; nil for null.
  func moment() throws -> Instant? {
    if kind == .null { return nil }
    if let seconds = double ?? string.flatMap(parseTimestamp), let moment = Instant(timeOfDay: seconds) {
      return moment
    }
    throw StepError("this is no time: \(description.prefix(60)); a time is seconds since 1970, or ISO 8601")
  }
}

extension Downstream {
  /// How long the lane's clock is relied on before the wall clock is read again: that may be set, or the machine sleep.
  private static let trust = Duration.seconds(600)

  /// The time of day of this turn, to the millisecond.
  var moment: Instant { Instant(timeOfDay: timeOfDay) ?? Instant() }

  /// Sets the alarm to a moment of the wall clock or a time before it; nil clears it.
  func setAlarm(atMoment moment: Instant?) {
    guard let moment else { return clearAlarm() }
    setAlarm(at: min(instant(ofTimeOfDay: moment.timeOfDay), now + Self.trust))
  }
}
