import Engine
import Language

/// How often sinks try what they do for each event, and how much of it at a time.
enum ErrandOptions {
  static let concurrency = Option(
    "concurrency", .integer(1...64), default: "1", "how many may run at once; with one, events stay in order")
  static let attempts = Option("attempts", .integer(1...100), default: "3", "how often it is tried")
  static let backoff = Option(
    "backoff", .duration(allowingZero: true), default: "1s",
    "how long to wait before the second attempt, at most; then twice as long each time, up to a minute")
  static let queue = Option(
    "queue", .integer(1...65536), default: "64", "how many events may wait before the pipeline waits")

  static let list = AnyOption.list(concurrency, attempts, backoff, queue)

  static func manner(_ options: Options) -> ErrandManner {
    ErrandManner(
      concurrency: options[concurrency], queue: options[queue], attempts: options[attempts],
      backoff: options[backoff])
  }
}

/// How errands are run.
struct ErrandManner {
  var concurrency = 1
  var queue = 64
  var attempts = 3
  var backoff = Duration.seconds(1)
}
