import JSON
import Engine
import Language

/// What a request has of its event, as it waits in the outbox.
///
/// Not what all requests of the sink have, its address and its keys: those are the pipeline's, and may be secret.
struct KeptRequest: Errand {
  /// What stands between the texts of the address.
  var data: [String] = []
  /// The headers that are made of data.
  var headers: [String: String] = [:]
  /// Nil for the event.
  var body: String?
  var event: Engine.Event?

  init(event: Engine.Event?) { self.event = event }

  init?(remembered value: Value) {
    guard let items = value.member("data")?.items else { return nil }
    data = items.compactMap(\.string)
    value.member("headers")?.forEachMember { name, value in
      if let name = name.string { headers[name] = value.string }
    }
    body = value.member("body")?.string
    event = value.member("event").flatMap { Event(remembered: $0) }
  }

  var remembered: Value {
    var members: [(String, Value)] = [("data", .array(data.map { .string($0) }))]
    if !headers.isEmpty {
      let sorted = headers.sorted { $0.key < $1.key }
      members.append(("headers", .record(sorted.map { ($0.key, .string($0.value)) })))
    }
    if let body { members.append(("body", .string(body))) }
    if let event { members.append(("event", event.remembered)) }
    return .record(members)
  }
}
