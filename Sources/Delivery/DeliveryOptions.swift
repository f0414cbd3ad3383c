import Language
import Reactive

/// How a queue runs its items.
package struct DeliverySettings {
  var concurrency: Int
  /// How many items may wait, besides those that run.
  var queue: Int
  var attempts: Int
  var backoff: Duration
  var longestBackoff: Duration
  /// Whether a failure, or an answer that does not come, holds up what comes behind it, also where several are under way:
  /// then only those may overtake it.
  package var holdsBack = false

  package init(
    concurrency: Int = 1, queue: Int = 64, attempts: Int = 1, backoff: Duration = .seconds(1),
    longestBackoff: Duration = .seconds(60)
  ) {
    self.concurrency = concurrency
    self.queue = queue
    self.attempts = attempts
    (self.backoff, self.longestBackoff) = (backoff, longestBackoff)
  }
}

/// The options that sinks with a delivery queue share.
package enum DeliveryOptions {
  package static let concurrency = Option(
    "concurrency", .integer(1...64), default: "1", "how many run at once; with 1, events stay in order")
  package static let attempts = attempts(default: 3)
  package static let backoff = Option(
    "backoff", .duration(allowingZero: true), default: "1s",
    "the longest wait before the first retry; doubled for each further one, up to a minute")
  package static let queue = queue(default: 64)

  package static func attempts(default count: Int) -> Option<Int> {
    Option("attempts", .integer(1...1000), default: "\(count)", "the number of attempts")
  }

  package static func queue(default count: Int) -> Option<Int> {
    Option(
      "queue", .integer(1...1_000_000), default: "\(count)",
      "how many events may be queued before the pipeline waits")
  }

  package static let list = AnyOption.list(concurrency, attempts, backoff, queue)

  package static func settings(
    _ options: Options, concurrency: Option<Int> = DeliveryOptions.concurrency
  ) -> DeliverySettings {
    DeliverySettings(
      concurrency: options[concurrency], queue: options[queue], attempts: options[attempts],
      backoff: options[backoff])
  }
}
