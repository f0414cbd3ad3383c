import Delivery
import Engine
import JSON
import Language
import NATS
import Reactive
import Store
import System

/// `nats` as a sink: publishes a message for each event, to a JetStream stream or to a core subject.
package let natsSink = NodeSpec(
  "nats", "publish each event on a NATS subject, acknowledged by a stream",
  reference: .init(PackageResources.nats_sink_md),
  options: AnyOption.list(
    NATSSinkOptions.subject, NATSSinkOptions.headers, NATSSinkOptions.acknowledge,
    NATSSinkOptions.concurrency,
    NATSSinkOptions.queue, NATSSinkOptions.attempts,
    DeliveryOptions.backoff, NATSSinkOptions.timeout)
    + Payload.list + NATSOptions.list,
  shorthand: "subject", hasDurableState: true,
  check: { options, checker in
    NATSOptions.check(options, checker)
    Payload.check(options, checker)
    if let subject = options[NATSSinkOptions.subject].constant, let flaw = NATSSubject.flaw(in: subject) {
      checker.report(
        "\(quoted(subject)) is not a subject to publish on: \(flaw)",
        at: options.place(of: NATSSinkOptions.subject), hint: #"as in orders.\(.id)"#)
    }
    for header in options[NATSSinkOptions.headers] {
      if let flaw = NATSHeaders.flaw(name: header.name, value: header.value.constant ?? "") {
        checker.report("\(quoted(header.name)): \(flaw)", at: options.place(of: NATSSinkOptions.headers))
      }
    }
  },
  .sink { options, context in try NATSSink(options, context) })

private enum NATSSinkOptions {
  static let subject = Option.required(
    "subject", .template, "the subject; expressions are allowed", example: #"'orders.\(.id)'"#)
  static let headers = Option(
    "headers", .mapping(of: .template), default: "{}", "headers of the message, as templates",
    example: #"{ Type: '\(.type)' }"#)
  static let acknowledge = Option(
    "acknowledge", .boolean, default: "true", "whether a stream has to acknowledge each message")
  static let concurrency = Option(
    "concurrency", .integer(1...65536), default: "1024", formerly: "window",
    "how many messages may be unacknowledged at once; with 1, they stay in order whatever happens")
  static let queue = DeliveryOptions.queue(default: 4096)
  static let attempts = DeliveryOptions.attempts(default: 10)
  static let timeout = Option("timeout", .duration, default: "2s", "the time limit of an acknowledgement")
}

private final class NATSSink: DeliverySink {
  private let context: SinkContext
  private let subject: Evaluation
  /// The subject, where it does not depend on the event.
  private let constant: String?
  private let mayBeSystem: Bool
  private let headers: [(name: String, value: Evaluation)]
  private let payload: Payload
  let queue: DeliveryQueue
  /// How many messages the turn has stored.
  private var stored = 0
  /// From this many outputs a turn counts as bulk and does not end its epoch.
  private static let bulk = 256

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    let subject = options[NATSSinkOptions.subject]
    self.subject = context.evaluation(subject)
    constant = subject.constant
    // A template is a JSON text with expressions.
    mayBeSystem = (constant ?? String(subject.expression.text.drop { $0 == "\"" })).hasPrefix("$")
    headers = options[NATSSinkOptions.headers].map { ($0.name, context.evaluation($0.value)) }
    payload = Payload(options, context)
    let transport = try NATSDelivery.transport(
      NATSOptions.settings(options, node: context.name),
      isAcknowledged: options[NATSSinkOptions.acknowledge], timeout: options[NATSSinkOptions.timeout], context
    ) { OutgoingMessage(stored: $0) }
    var settings = DeliverySettings(
      concurrency: options[NATSSinkOptions.concurrency], queue: options[NATSSinkOptions.queue],
      attempts: options[NATSSinkOptions.attempts], backoff: options[DeliveryOptions.backoff])
    settings.holdsBack = true
    queue = DeliveryQueue(settings, context, transport)
  }

  func take(_ event: Event) throws {
    if context.isDryRun { return show(try message(for: event, id: "dry-run")) }
    try queue.add { id in try message(for: event, id: id) }
    stored += 1
  }

  /// The message for an event; an error of the event where it cannot be one.
  private func message(for event: Event, id: String) throws -> OutgoingMessage {
    let text = try constant ?? event.text(subject)
    if constant == nil {
      if let flaw = NATSSubject.flaw(in: text) { throw Sentence("the subject \(quoted(text)): \(flaw)") }
      if text.hasPrefix("$"), !mayBeSystem {
        throw Sentence("the subject \(quoted(text)) begins with $, which data must not choose")
      }
    }
    var headers = NATSHeaders()
    for (name, value) in self.headers {
      let value = try event.text(value)
      if let flaw = NATSHeaders.flaw(name: name, value: value) {
        throw Sentence("the header \(name): \(flaw)")
      }
      headers.add(name, value)
    }
    if payload.envelope != nil { headers.add("Content-Type", "application/cloudevents+json") }
    return OutgoingMessage(subject: text, headers: headers, data: try data(event, id: id), event: event)
  }

  /// The data of the message; nil for the event as JSON.
  private func data(_ event: Event, id: String) throws -> [UInt8]? {
    let text = try payload.text(event)
    if text == nil, payload.envelope == nil { return nil }
    return try payload.envelope.bytes(text, of: event, id: id)
  }

  private func show(_ message: OutgoingMessage) {
    var arguments = ["nats", "pub", "--force-stdin"]
    for header in message.headers.all { arguments += ["-H", "\(header.name):\(header.value)"] }
    queue.dryRun.add(arguments + [message.subject], input: message.data)
  }

  func endTurn() throws {
    // Single messages do not wait until a long epoch ends.
    if stored > 0, stored < Self.bulk, let outbox = context.outbox, outbox.isInRepeatableEpoch,
      !outbox.isRegenerating
    {
      outbox.endEpoch()
    }
    stored = 0
    try queue.endTurn()
  }
}
