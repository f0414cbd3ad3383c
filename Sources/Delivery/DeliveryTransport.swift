import Reactive
import Store
import System

/// Runs the items of a delivery queue: as child processes, over the network, or over a connection.
package protocol DeliveryTransport {
  /// The kind of thing that it delivers.
  var delivers: Deliverable { get }
  /// Whether, in virtual time, retries wait by the machine's clock, within the turn of the first attempt.
  var retriesInRealTime: Bool { get }
  /// Whether the receiver recognises an item that comes again by its id: then the outbox hears how far everything is
  /// done, and not of each item.
  var recognisesRepeats: Bool { get }
  /// How many items are better begun together; the queue waits for no more of them than the turn has.
  var batch: Int { get }

  /// An item as it was stored in the outbox; nil for what another kind of sink has left there.
  func item(stored bytes: [UInt8]) -> (any DeliveryItem)?

  /// Whether nothing can be delivered any more in this run: the rest is left to the next one.
  var isOver: Bool { get }

  /// Begins attempts, in this order; disposing the subscription cancels what has not ended.
  ///
  /// Each is answered from any thread, with nil for success and `.cancelled` where a cancellation ended it; only
  /// the first answer counts.
  func begin(_ attempts: [DeliveryAttempt], _ answers: DeliveryAnswers) -> Subscription

  /// Ends what a killed run has left at work for these items, which are about to begin again.
  func endLeftovers(of ids: [String])

  /// Takes over, on the lane, what attempts that have ended left besides their answers, and may throw an error of the
  /// transport itself.
  func takeOutput(of ended: [UInt64]) throws

  /// The pipeline ends: what cannot begin now is left to the next run.
  func beginEnd()

  /// Everything has ended that was begun, or was cancelled.
  func end()

  /// The message for an item that the end of the pipeline cut short, where no state keeps it.
  func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String

  /// The message for items that the end of the pipeline left to the next run.
  func leftMessage(_ count: Int) -> String
}

extension DeliveryTransport {
  package var recognisesRepeats: Bool { false }

  package var batch: Int { 1 }

  package var isOver: Bool { false }

  package func endLeftovers(of ids: [String]) {}

  package func takeOutput(of ended: [UInt64]) throws {}

  package func beginEnd() {}

  package func end() {}

  package func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String {
    "interrupted: the pipeline ended"
  }

  package func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one was interrupted; the next run resumes it"
      : "\(count) were interrupted; the next run resumes them"
  }
}

/// An attempt at an item of a delivery queue.
package final class DeliveryAttempt: Sendable {
  /// Names it in its answer.
  package let number: UInt64
  /// The order in which items came.
  package let order: UInt64
  package let id: String
  package let item: any DeliveryItem
  /// Its place in the outbox, where the pipeline has state.
  package let place: OutputPlace?

  init(number: UInt64, order: UInt64, id: String, item: any DeliveryItem, place: OutputPlace? = nil) {
    (self.number, self.order, self.id, self.item, self.place) = (number, order, id, item, place)
  }
}

/// The error for an item that is not of its transport's kind.
package struct StrangeItem: LinkError, CustomStringConvertible {
  package var mayPass: Bool { false }
  package let description = "a sink of another kind that had this name has left it"
  package init() {}
}

/// A transport whose items have nothing to do with each other: each begins, and ends, by itself.
package protocol SingleTransport: DeliveryTransport {
  associatedtype Item: DeliveryItem

  /// Begins one attempt; disposing the subscription cancels it.
  func begin(_ item: Item, id: String, _ end: @escaping DeliveryEnd) -> Subscription
}

package typealias DeliveryEnd = @Sendable (DeliveryFailure?) -> Void

extension SingleTransport {
  package func item(stored bytes: [UInt8]) -> (any DeliveryItem)? { Item(stored: bytes) }

  package func begin(_ attempts: [DeliveryAttempt], _ answers: DeliveryAnswers) -> Subscription {
    let all = attempts.compactMap { attempt -> Subscription? in
      guard let item = attempt.item as? Item else {
        answers.put([(attempt.number, DeliveryFailure("\(StrangeItem())", mayPass: false))])
        return nil
      }
      return begin(item, id: attempt.id) { answers.put([(attempt.number, $0)]) }
    }
    if all.count == 1 { return all[0] }
    let batch = Subscription()
    batch.onDispose { for attempt in all { attempt.dispose() } }
    return batch
  }
}

/// The answers to attempts, from any thread, until the lane takes them.
package final class DeliveryAnswers: Sendable {
  package typealias Answer = (number: UInt64, failure: DeliveryFailure?)

  private let answers = ConditionLock<[Answer]>([])
  private let ring: @Sendable () -> Void

  /// Makes a list that rings where something comes into the empty one.
  package init(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

  package func put(_ new: [Answer]) {
    if new.isEmpty { return }
    let isFirst = answers.change { answers in
      defer { answers += new }
      return answers.isEmpty
    }
    if isFirst { ring() }
  }

  /// All answers since the last call.
  package func take() -> [Answer] {
    answers.change { answers in
      defer { answers = [] }
      return answers
    }
  }

  /// Waits for an answer.
  package func wait(until deadline: Instant) {
    _ = answers.wait(until: deadline) { $0.isEmpty ? nil : true }
  }
}
