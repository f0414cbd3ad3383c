import JSON
import Pipeline
import Reactive

// Times of day that can be calculated with: instants counted in nanoseconds since 1970.

extension Instant {
  /// A time of day to the millisecond; nil outside the years 1679 to 2261.
  ///
  /// Rounded, because an alarm may ring a microsecond early, and would be set again for nothing.
  init?(timeOfDay seconds: Double) {
    let milliseconds = (seconds * 1000).rounded()
    guard abs(milliseconds) < 9.2e12 else { return nil }
    self.init(nanoseconds: Int64(milliseconds) * 1_000_000)
  }

  /// In seconds since 1970; of whole milliseconds, so that it comes out as the nearest number there is.
  var timeOfDay: Double { Double(nanoseconds / 1_000_000) / 1000 }

  /// In ISO 8601.
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
  /// A wall clock may be set and a machine may sleep, which the lane's clock does not see: so it is looked at again
  /// after that long.
  private static let trust = Duration.seconds(600)

  /// The time of day of this turn, to the millisecond.
  var moment: Instant { Instant(timeOfDay: timeOfDay) ?? Instant() }

  /// Has `wake` called when a wall clock shows that moment, or before; never for nil.
  func setAlarm(atMoment moment: Instant?) {
    guard let moment else { return clearAlarm() }
    setAlarm(at: min(instant(ofTimeOfDay: moment.timeOfDay), now + Self.trust))
  }
}
