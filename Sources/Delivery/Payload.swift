import Engine
import JSON
import Language
import System

/// The payload of what a sink sends for an event: the options `body`, `body_text` and `envelope`.
package struct Payload {
  package static let body = Option.optional(
    "body", .expression, "what is sent, as JSON (default: the event)", example: "'{id, net}'")
  package static let bodyText = Option.optional(
    "body_text", .template, "what is sent, as plain text", example: #"'\(.name) slipped'"#)

  package static let list = AnyOption.list(body, bodyText, CloudEvents.envelope)

  package static func check(_ options: Options, _ checker: Checker) {
    let (hasBody, hasText) = (options.isGiven(body), options.isGiven(bodyText))
    if hasText, hasBody {
      checker.report("body and body_text exclude each other", at: options.place(of: bodyText))
    }
    if hasText, options.isGiven(CloudEvents.envelope) {
      checker.report(
        "body_text and envelope exclude each other: an envelope holds JSON",
        at: options.place(of: CloudEvents.envelope), hint: "use body")
    }
  }

  private let body: Evaluation?
  private let bodyText: Evaluation?
  package let envelope: CloudEvents?

  package init(_ options: Options, _ context: SinkContext) {
    body = options[Payload.body].map { context.evaluation($0) }
    bodyText = options[Payload.bodyText].map { context.evaluation($0) }
    envelope = options[CloudEvents.envelope].map { _ in CloudEvents(context) }
  }

  /// Whether it is plain text.
  package var isText: Bool { bodyText != nil }

  /// The type of its content.
  package var contentType: String {
    if envelope != nil { return "application/cloudevents+json" }
    return isText ? "text/plain; charset=utf-8" : "application/json"
  }

  /// The text of the payload for an event; nil for the event as JSON.
  package func text(_ event: Event) throws -> String? {
    if let bodyText { return try event.text(bodyText) }
    guard let body else { return nil }
    guard let value = try body.first(event) else { throw Sentence("the expression in body has no output") }
    return value.description
  }
}

extension CloudEvents? {
  /// The bytes to send: a text, or the event as JSON, in the envelope where there is one.
  package func bytes(_ text: String?, of event: Event?, id: String) throws -> [UInt8] {
    let bytes = text.map { Array($0.utf8) } ?? event?.value.json ?? []
    guard let self, let event, !bytes.isEmpty else { return bytes }
    return self.value(event, data: text == nil ? event.value : try Value.parse(bytes), id: id).json
  }
}
