import Language
import System
import JSON
import Reactive

/// A time as a lane has it: of day, and by its own clock.
struct LaneTime: Sendable {
  var now: Double
  var instant: Instant

  init(now: Double, instant: Instant) {
    self.now = now
    self.instant = instant
  }

  init?(text: String?) {
    guard let text, let value = try? Value.parse(text), let now = value.member("now")?.double,
      let instant = value.member("instant").flatMap({ Instant(remembered: $0) })
    else { return nil }
    self.init(now: now, instant: instant)
  }

  var text: String {
    Value.record([("now", .number(now)), ("instant", instant.remembered)]).description
  }
}
