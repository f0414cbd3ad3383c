import Fetch
import JSON
import Reactive
import System

/// The waits of a page: for what it must show, within the order's patience and the limit of the whole request.
struct PageWaiting {
  /// How long nothing may happen in a page that has come to rest.
  static let restTime = Duration.milliseconds(500)
  /// The interval between two looks at a page.
  private static let interval = Duration.milliseconds(100)

  let page: PageSession
  /// The end of the request.
  let end: Instant

  /// The end of a wait that begins now.
  var deadline: Instant { min(end, MonotonicClock.now + page.order.patience) }

  var isAtRest: Bool { page.inFlight.isEmpty && MonotonicClock.now >= page.quietSince + Self.restTime }

  /// Lets the page go on for some time.
  func rest(_ time: Duration) throws(TransferError) {
    let until = min(end, MonotonicClock.now + time)
    while MonotonicClock.now < until { try page.pump(until: until) }
  }

  /// The value of a script's expression during a wait: an answer to its last question still counts.
  func evaluate(_ expression: String, until deadline: Instant) throws(TransferError) -> Value {
    try page.evaluate(expression, until: min(end, deadline + .seconds(2)))
  }

  /// Waits until the condition is true; the error says what was waited for, and what page it is.
  func wait(
    for what: @autoclosure () -> String, until deadline: Instant,
    _ condition: () throws(TransferError) -> Bool
  ) throws(TransferError) {
    let time = deadline - MonotonicClock.now
    while try !condition() {
      let now = MonotonicClock.now
      if now >= deadline {
        throw TransferError(.failed, "waited \(spoken(time)) for \(what())\(state)")
      }
      try rest(min(Self.interval, deadline - now))
    }
  }

  /// Waits until the page is at rest, or the time is over; whether it is.
  func settle(until deadline: Instant) throws(TransferError) -> Bool {
    while !isAtRest {
      if MonotonicClock.now >= deadline { return false }
      try rest(min(Self.interval, deadline - MonotonicClock.now))
    }
    return true
  }

  /// The state of the page, for errors: its title, or that it does not answer.
  var state: String {
    guard let title = try? page.evaluate("document.title", until: MonotonicClock.now + .seconds(5)) else {
      return "; the page does not answer: its script may be in an endless loop"
    }
    return title.string.flatMap { $0.isEmpty ? nil : "; the page's title is “\(excerpt($0, limit: 80))”" }
      ?? "; the page has no title"
  }
}
