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
  details: """
    The message is the event as JSON, or as given by `body` or `body_text`. Its header Nats-Msg-Id has an id that is the \
    same for each attempt and unique to the event: a stream drops repeats within its duplicate window, two minutes by default. \
    Up to `window` messages are on their way at once. They are published in order; one that has to be retried may be stored \
    behind later ones, except with window 1.

    A message that is not acknowledged is published again, after `backoff`, up to `attempts` times; a lost connection is no attempt. \
    While the stream is not available, as during an election, one message is tried four times a second, and that is none \
    either. After the last attempt the event is handled as `on_error` says. When `queue` messages are waiting, the pipeline waits.

    With state, messages are stored until they are acknowledged, and published again by the next run, with the same ids: \
    at least once, and exactly once where the stream's duplicate window covers the time between the two runs. One that \
    failed for good is kept as a dead letter: see flow state dead.

    With `acknowledge: false` messages are core NATS, at most once: present subscribers receive them, and no stream is \
    needed.

    Expressions in the subject may not give white space or wildcards, nor a subject that begins with $ unless the option does. \
    Simulated and replayed runs publish nothing without --live-sinks; --dry-run prints the messages as commands for nats pub.

    The client library libnats is loaded when needed; Debian 12 has it in the package libnats3.4.
    """,
  options: AnyOption.list(
    NATSSinkOptions.subject, NATSSinkOptions.headers, NATSSinkOptions.acknowledge, NATSSinkOptions.window,
    NATSSinkOptions.queue, NATSSinkOptions.attempts,
    NATSSinkOptions.backoff, NATSSinkOptions.timeout)
    + Payload.list + NATSOptions.list,
  shorthand: "subject", hasDurableState: true,
  examples: [
    .init("each event as JSON", #"nats: 'launches.\(.key)'"#),
    .init(
      "some members, with a header",
      #"nats: { subject: launches, body: '{id, net}', headers: { Type: '\(.type)' } }"#
    ),
    .init(
      "a text, at most once", #"nats: { subject: alarms, body_text: '\(.name) slipped', acknowledge: false }"#
    ),
    .init(
      "one at a time, in order whatever happens",
      "nats: { subject: orders, window: 1, queue: 1024, attempts: 100, backoff: 5s, timeout: 10s }"),
    .init(
      "several servers, TLS and a password",
      """
      nats: { subject: orders, servers: ['tls://a.example.org', 'tls://b.example.org'], user: flow, \
      password: '${NATS_PASSWORD:-}', tls: { ca: ca.pem, certificate: flow.pem, key: flow-key.pem } }
      """),
    .init("credentials", "nats: { subject: orders, credentials: flow.creds }"),
    .init(
      "an NKey",
      "nats: { subject: orders, nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4, seed: flow.nk }"
    ),
    .init("in an envelope", "nats: { subject: orders, envelope: cloudevents }"),
    .init("a token", "nats: { subject: orders, token: '${NATS_TOKEN:-}' }"),
  ],
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
  static let window = Option(
    "window", .integer(1...65536), default: "1024", "how many messages may be unacknowledged at once")
  static let queue = Option(
    "queue", .integer(1...1_000_000), default: "4096",
    "how many messages may be queued before the pipeline waits")
  static let attempts = Option("attempts", .integer(1...1000), default: "10", "the number of attempts")
  static let backoff = Option(
    "backoff", .duration(allowingZero: true), default: "1s",
    "the longest wait before the first retry; doubled for each further one, up to 30 seconds")
  static let timeout = Option("timeout", .duration, default: "2s", "the time limit of an acknowledgement")
}

private final class NATSSink: KeepingSink {
  private let context: SinkContext
  private let subject: Evaluation
  /// The subject, where it does not depend on the event.
  private let constant: String?
  private let mayBeSystem: Bool
  private let headers: [(name: String, value: Evaluation)]
  private let payload: Payload
  /// Nil where messages are printed or suppressed.
  private let publisher: Publisher?
  private var suppression: Suppression?
  private var dryRun = DryRun()
  private var ids: EventIDs
  private let waitsInTurn: Bool
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
    suppression = Suppression(of: .message, context)
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    waitsInTurn = context.lane.waiting == .withinTurn
    if suppression != nil || context.isDryRun {
      publisher = nil
    } else {
      let settings = Publisher.Settings(
        isAcknowledged: options[NATSSinkOptions.acknowledge], window: options[NATSSinkOptions.window],
        queue: options[NATSSinkOptions.queue], attempts: options[NATSSinkOptions.attempts],
        backoff: options[NATSSinkOptions.backoff], timeout: options[NATSSinkOptions.timeout])
      publisher = try Publisher(settings, NATSOptions.settings(options, node: context.name), context)
    }
  }

  func take(_ event: Event) throws {
    if context.isDryRun || suppression != nil {
      let message = try message(for: event, id: "dry-run")
      if context.isDryRun { return show(message) }
      if let suppressed = suppression?.next() { throw suppressed }
    }
    let id = try context.outbox?.nextID() ?? ids.next(at: context.lane.now)
    let message = try message(for: event, id: id)
    if let outbox = context.outbox {
      let stored = context.lane.world[Secrets.self]?.sealed(message.stored) ?? message.stored
      self.stored += 1
      context.trace(output: id)
      return outbox.put(stored, id: id)
    }
    try publisher?.submit(Publisher.Item(message: message, id: id))
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
    dryRun.add(arguments + [message.subject], input: message.data)
  }

  func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    // Single messages do not wait until a long epoch ends.
    if stored > 0, stored < Self.bulk, let outbox = context.outbox, outbox.isInRepeatableEpoch,
      !outbox.isRegenerating
    {
      outbox.endEpoch()
    }
    stored = 0
    try publisher?.pump()
    if waitsInTurn { try publisher?.drain(until: .distantFuture) }
  }

  func wake() throws { try publisher?.wake() }

  func finish(by deadline: Instant) throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    let rest = context.lane.world.speed.machine(for: deadline - context.lane.scheduler.now)
    try publisher?.finish(by: MonotonicClock.now + rest)
    suppression?.report()
  }

  // MARK: - The outbox

  func recover(_ entries: [OutboxEntry]) throws { try didCommit(entries) }

  func didCommit(_ entries: [OutboxEntry]) throws {
    // Suppressed ones stay there for a run that publishes them.
    guard let publisher else { return }
    let secrets = context.lane.world[Secrets.self] ?? Secrets()
    var items: [Publisher.Item] = []
    for entry in entries {
      guard let bytes = secrets.opened(entry.bytes) else {
        context.refuse(entry, "a secret in it is no longer known, or has another value")
        continue
      }
      guard let message = OutgoingMessage(stored: bytes) else {
        context.refuse(entry, "a sink of another kind that had this name has left it")
        continue
      }
      items.append(Publisher.Item(message: message, id: entry.id, entry: entry))
    }
    try publisher.submit(items)
    try publisher.pump()
  }
}
