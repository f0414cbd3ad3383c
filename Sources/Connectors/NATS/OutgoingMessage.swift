import Delivery
import Engine
import JSON
import NATS
import Store

/// A message to publish, as it is stored in the outbox.
///
/// A class, since it is handed from place to place on its way.
final class OutgoingMessage: DeliveryItem {
  let subject: String
  let headers: NATSHeaders
  let data: [UInt8]
  private let poll: Poll?
  /// The event's value; nil where it is the data.
  private let value: Value?

  /// A message for an event, whose data is nil for the event as JSON.
  ///
  /// It keeps a copy, not the document.
  init(subject: String, headers: NATSHeaders = NATSHeaders(), data: [UInt8]? = nil, event: Event) {
    self.subject = subject
    self.headers = headers
    self.data = data ?? event.value.json
    poll = event.poll
    value = data == nil ? nil : event.value.detach()
  }

  init?(jsonValue stored: Value) {
    guard let subject = stored.member("subject")?.string else { return nil }
    var headers = NATSHeaders()
    stored.member("headers")?.forEachMember { name, value in
      if let name = name.string { headers.add(name, value.string ?? "") }
    }
    self.subject = subject
    self.headers = headers
    let event = Event(member: stored.member("event"))
    poll = event?.poll
    if let text = stored.member("data")?.string {
      (data, value) = (Array(text.utf8), event?.value)
    } else {
      (data, value) = (event?.value.json ?? [], nil)
    }
  }

  var place: String? { subject }

  /// The event that the message was made from.
  var event: Event? {
    guard let poll, let value = value ?? (try? Value.parse(data)) else { return nil }
    return Event(value, poll)
  }

  var jsonValue: Value {
    var members: [(String, Value)] = [("subject", .string(subject))]
    if !headers.isEmpty {
      members.append(("headers", .record(headers.all.map { ($0.name, .string($0.value)) })))
    }
    if value != nil { members.append(("data", .string(String(decoding: data, as: UTF8.self)))) }
    if let event { members.append(("event", event.jsonValue)) }
    return .record(members)
  }
}
