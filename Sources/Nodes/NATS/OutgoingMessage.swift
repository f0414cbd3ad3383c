import Engine
import JSON
import NATS

/// A message to publish, as it is stored in the outbox.
struct OutgoingMessage: Remembered, Sendable {
  let subject: String
  var headers: [(name: String, value: String)] = []
  /// The data; nil for the event as JSON.
  var text: String?
  var event: Event?

  init(subject: String, event: Event?) { (self.subject, self.event) = (subject, event) }

  init?(remembered value: Value) {
    guard let subject = value.member("subject")?.string else { return nil }
    self.subject = subject
    value.member("headers")?.forEachMember { name, value in
      if let name = name.string { headers.append((name, value.string ?? "")) }
    }
    text = value.member("data")?.string
    event = value.member("event").flatMap { Event(remembered: $0) }
  }

  var remembered: Value {
    var members: [(String, Value)] = [("subject", .string(subject))]
    if !headers.isEmpty { members.append(("headers", .record(headers.map { ($0, .string($1)) }))) }
    if let text { members.append(("data", .string(text))) }
    if let event { members.append(("event", event.remembered)) }
    return .record(members)
  }

  var bytes: [UInt8] { text.map { Array($0.utf8) } ?? event?.value.json ?? [] }

  /// The headers as they are sent, with the id by which a stream detects repeats.
  func headers(id: String) -> NATSHeaders {
    var all = NATSHeaders()
    all.add("Nats-Msg-Id", id)
    for (name, value) in headers { all.add(name, value) }
    return all
  }
}
