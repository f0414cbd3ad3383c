import Delivery
import Engine
import JSON
import Language
import Reactive
import Store

/// A message to publish for an event, as it is stored in the outbox.
struct MQTTItem: DeliveryItem, JSONRecord {
  let topic: String
  /// Nil for the event as JSON.
  var data: String?
  var event: Event?

  static let form = RecordForm<Self>(
    Self.init(topic:data:event:), Field("topic", \.topic), Field("data", \.data), Field("event", \.event))

  var bytes: [UInt8] { data.map { Array($0.utf8) } ?? event?.value.json ?? [] }
}

/// Publishes the messages of a sink.
struct MQTTTransport: DeliveryTransport {
  let delivers = Deliverable.message
  /// A server is in the real world, in which virtual time does not pass.
  let retriesInRealTime = true
  /// Nil where nothing is published.
  let publisher: MQTTPublisher?

  func begin(_ item: MQTTItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    let attempt = Subscription()
    guard let publisher else {
      end(DeliveryFailure("not published", mayPass: false))
      return attempt
    }
    let number = publisher.publish(MQTTPublisher.Message(item.topic, item.bytes), end)
    attempt.onDispose {
      publisher.cancel(number)
      end(.cancelled)
    }
    return attempt
  }

  func cutShortMessage(_ item: MQTTItem, attempts: Int) -> String {
    "\(item.topic): not published: the pipeline ended"
  }

  func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one message was not acknowledged; the next run publishes it again"
      : "\(count) messages were not acknowledged; the next run publishes them again"
  }
}
