import System
import Engine
import Fetch
import JSON
import Language

/// CloudEvents 1.0: the envelope of an event, with an id that is the same for a repeat.
///
///     {"specversion":"1.0","id":"slips/hook/1-7","source":"/flow/slips/upcoming","type":"org.flow.changed",
///      "subject":"a","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json","data":{…}}
///
/// The source and the id together identify an event, as the specification demands.
package struct CloudEvents: Sendable {
  package enum Format: String, CaseIterable, Sendable { case cloudevents }

  package static let envelope = Option.optional(
    "envelope", OptionType<Format>.choice(),
    "an envelope around each event: CloudEvents 1.0 in JSON, whose type is org.flow.changed and the like for changes, otherwise org.flow.event",
    example: "cloudevents")

  private let pipeline: String

  package init(_ context: SinkContext) { pipeline = context.pipeline }

  package func value(_ event: Event, data: Value, id: String) -> Value {
    func part(_ text: String) -> String { percentEncoded(text, keeping: isUnreserved) }
    // What `changes` sends, whatever the data is.
    let type = event.value.member("type")?.string.flatMap { Self.types.contains($0) ? $0 : nil }
    let subject = type.flatMap { _ in event.value.member("key") }
    var members: [(String, Value)] = [
      ("specversion", "1.0"), ("id", .string(id)),
      ("source", .string("/flow/\(part(pipeline))/\(part(event.poll.source))")),
      ("type", .string("org.flow.\(type ?? "event")")),
    ]
    if let subject {
      let text = subject.string ?? subject.description
      if !text.isEmpty { members.append(("subject", .string(text))) }
    }
    members += [
      ("time", .string(timestamp(event.poll.at))), ("datacontenttype", "application/json"), ("data", data),
    ]
    return .record(members)
  }

  private static let types: Set = ["added", "changed", "removed"]
}
