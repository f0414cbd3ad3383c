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
  /// The same item without the document that its event was read in, to wait without state.
  var detached: Self { get }
}

extension DeliveryItem {
  package var detached: Self { self }
  package var key: String? { nil }
  package var place: String? { nil }
}

/// An item with the event as it came.
package protocol EventItem: DeliveryItem {
  var event: Event? { get set }
}

extension EventItem {
  package var detached: Self {
    var item = self
    item.event = event?.detached
    return item
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
  /// Whether the receiver is not available, and may be within seconds: it is probed until then.
  package var isUnavailable = false
  /// When the transport itself tries again, which it has logged, in seconds since 1970.
  var nextTry: Double?
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

  /// The same, of an item whose messages begin like this.
  func at(_ place: String) -> DeliveryFailure {
    var failure = self
    failure.description = place + description
    return failure
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
