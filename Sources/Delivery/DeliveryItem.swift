import Fetch
import Engine
import Language
import Reactive
import Store

/// An item of a delivery queue, done outside the process for one event, as it is stored in the outbox: a command, a request, a download.
package protocol DeliveryItem: StorableValue, Sendable {
  var event: Event? { get }
  /// Items with the same key never run at the same time; nil where that does not matter.
  var key: String? { get }
  /// The topic, subject or key where it goes, as messages name it; nil where they name it themselves.
  var place: String? { get }
}

extension DeliveryItem {
  package var key: String? { nil }
  package var place: String? { nil }
}

/// Runs the items of a delivery queue: as child processes, or over the network.
package protocol DeliveryTransport {
  associatedtype Item: DeliveryItem

  /// The kind of thing that it delivers.
  var delivers: Deliverable { get }
  /// Whether, in virtual time, retries wait by the machine's clock, within the turn of the first attempt.
  var retriesInRealTime: Bool { get }

  /// Begins one attempt; disposing the subscription cancels it.
  ///
  /// `end` is called from any thread, with nil for success and with `.cancelled` for an attempt that a cancellation
  /// ended; only the first call counts.
  func begin(_ item: Item, id: String, _ end: @escaping DeliveryEnd) -> Subscription

  /// Ends what a killed run has left at work for these items, which are about to begin again.
  func endLeftovers(of ids: [String])

  /// Shows, on the lane, what attempts that have ended printed.
  func showOutput() throws

  /// The pipeline ends: what cannot begin now is left to the next run.
  func beginEnd()

  /// Everything has ended that was begun, or was cancelled.
  func end()

  /// The message for an item that the end of the pipeline cut short, where no state keeps it.
  func cutShortMessage(_ item: Item, attempts: Int) -> String

  /// The message for items that the end of the pipeline left to the next run.
  func leftMessage(_ count: Int) -> String
}

package typealias DeliveryEnd = @Sendable (DeliveryFailure?) -> Void

extension DeliveryTransport {
  package func endLeftovers(of ids: [String]) {}

  package func showOutput() throws {}

  package func beginEnd() {}

  package func end() {}

  package func cutShortMessage(_ item: Item, attempts: Int) -> String {
    "interrupted: the pipeline ended"
  }

  package func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one was interrupted; the next run resumes it"
      : "\(count) were interrupted; the next run resumes them"
  }
}

/// Why an attempt, or a whole item, failed.
package struct DeliveryFailure: Error, CustomStringConvertible {
  package var description: String
  /// Whether another attempt may succeed.
  package var mayPass: Bool
  /// The earliest time of another attempt, in seconds since 1970.
  package var retryAt: Double?
  /// Whether it counts as an attempt: a request that found its budget spent was never made.
  package var isAttempt = true
  var isCancellation = false

  package init(_ description: String, mayPass: Bool) {
    self.description = description
    self.mayPass = mayPass
  }

  package init(_ error: FetchError) {
    description = "\(error)"
    retryAt = error.retryAt
    mayPass = error.mayPassLater
    isAttempt = error.kind != .budget
  }

  /// Why a mail was not accepted: unlike HTTP, a reply of 400 and more may pass, and one of 500 and more does not.
  package static func mail(_ error: FetchError?) -> DeliveryFailure? {
    guard let error else { return nil }
    var failure = DeliveryFailure(error)
    if let reply = error.status { failure.mayPass = reply < 500 }
    return failure
  }

  package static let cancelled = {
    var failure = DeliveryFailure("cancelled", mayPass: true)
    failure.isCancellation = true
    return failure
  }()
}

extension SinkContext {
  /// Makes an entry of an earlier run a dead letter, which is reported.
  package func refuse(_ entry: OutboxEntry, _ reason: String) {
    outbox?.giveUp(entry, reason: reason)
    meter.countGivenUp()
    errors.report(DeliveryFailure("an entry is a dead letter now: \(reason)", mayPass: false), nil)
  }
}

/// How a queue runs its items.
package struct DeliverySettings {
  var concurrency: Int
  /// How many items may wait, besides those that run.
  var queue: Int
  var attempts: Int
  var backoff: Duration

  package init(
    concurrency: Int = 1, queue: Int = 64, attempts: Int = 1, backoff: Duration = .seconds(1)
  ) {
    self.concurrency = concurrency
    self.queue = queue
    self.attempts = attempts
    self.backoff = backoff
  }
}

/// The options that sinks with a delivery queue share.
package enum DeliveryOptions {
  package static let concurrency = Option(
    "concurrency", .integer(1...64), default: "1", "how many run at once; with 1, events stay in order")
  package static let attempts = Option("attempts", .integer(1...100), default: "3", "the number of attempts")
  package static let backoff = Option(
    "backoff", .duration(allowingZero: true), default: "1s",
    "the longest wait before the first retry; doubled for each further one, up to a minute")
  package static let queue = Option(
    "queue", .integer(1...65536), default: "64", "how many events may be queued before the pipeline waits")

  package static let list = AnyOption.list(concurrency, attempts, backoff, queue)

  package static func settings(
    _ options: Options, concurrency: Option<Int> = DeliveryOptions.concurrency
  ) -> DeliverySettings {
    DeliverySettings(
      concurrency: options[concurrency], queue: options[queue], attempts: options[attempts],
      backoff: options[backoff])
  }
}

/// Gives each event that a sink delivers an id of its own, by which a receiver detects repeats.
///
/// `<pipeline>/<sink>/<turn>-<index>`. The turn is its time in milliseconds, so that another run makes other ids.
package struct EventIDs {
  private let prefix: String
  private var turn: Int64 = 0
  private var index = 0

  package init(pipeline: String, sink: String) { prefix = "\(pipeline)/\(sink)/" }

  /// The next id, in a turn that began at a time of day.
  package mutating func next(at now: Double) -> String {
    let milliseconds = Int64(min(max(0, now * 1000), 9e15))
    // A wall clock may be set back, and turns may be shorter than a millisecond.
    if milliseconds > turn {
      turn = milliseconds
      index = 0
    }
    defer { index += 1 }
    return "\(prefix)\(turn)-\(index)"
  }
}
