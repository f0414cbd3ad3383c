import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// `mqtt` as a sink: publishes a message for each event.
package let mqttSink = NodeSpec(
  "mqtt", "publish each event on an MQTT topic, and announce it to Home Assistant",
  details: """
    The message is the event as JSON, or as given by `body` or `body_text`. With `qos` 1 and 2 it is published again, after \
    `backoff`, up to `attempts` times, until the server acknowledges it within `timeout`; with 0 it is only sent. A lost \
    connection is no attempt, unless it ends without a single answer: the messages wait. A message that the server refuses, as where the user may not publish on the topic \
    (servers of MQTT 5 say so, others do not), is handled as `on_error` says. When `queue` messages are waiting, the pipeline waits.

    With state, messages are stored until they are acknowledged, and published again by the next run: at least once, also \
    with `qos` 2. One that failed for good is kept as a dead letter: see flow state dead.

    `retain` has the server keep the last message of each topic for new subscribers. `status` names a topic that is online while \
    the sink is connected, and offline otherwise, which the server itself sees to (the last will); both are retained.

    `discovery` announces the topic to Home Assistant as an entity, of the device that is the pipeline. `component` is the kind \
    of entity; with `value`, the state is that member of a JSON message, and all members are attributes. An `event` takes \
    messages with a member event_type. `retain` has the state outlast a restart of Home Assistant. `status` is its \
    availability, also between runs with --once, and \(MQTTDiscovery.statusRule) by default. Where its sources have \
    schedules, the retained topic TOPIC/fresh is one too: offline after three periods without a good poll, online with the \
    next. An entity \
    that is no longer wanted goes away with an empty retained message on its topic, which the log names at the start.

    Expressions in the topic may not give wildcards, nor a topic that begins with $ unless the option does. Simulated and \
    replayed runs publish nothing without --live-sinks; --dry-run prints the messages as commands for mosquitto_pub.

    \(MQTTOptions.details)
    """,
  options: AnyOption.list(
    MQTTSinkOptions.topic, MQTTSinkOptions.qos, MQTTSinkOptions.retain, MQTTSinkOptions.status,
    MQTTSinkOptions.discovery, MQTTSinkOptions.timeout)
    + Payload.list + MQTTOptions.list + DeliveryOptions.list,
  shorthand: "topic", hasDurableState: true,
  examples: [
    .init("each event as JSON", #"mqtt: 'launches/\(.key)'"#),
    .init(
      "a text, at most once",
      #"mqtt: { topic: alarms, body_text: '\(.name) slipped', qos: 0, client: flow-alarms }"#
    ),
    .init(
      "the next launch for Home Assistant, with its name as an attribute",
      "mqtt: { topic: flow/next, body: '{net, name}', retain: true, server: 'mqtt://homeassistant.local', user: flow, password: '${MQTT_PASSWORD:-}', discovery: { component: sensor, name: Next launch, class: timestamp, value: net } }"
    ),
    .init(
      "changes for its automations",
      "mqtt: { topic: flow/changes, body: '{event_type: .type, name: .after.name}', discovery: { component: event, types: [added, changed, removed], icon: 'mdi:rocket-launch' } }"
    ),
    .init("in an envelope", "mqtt: { topic: launches, envelope: cloudevents }"),
    .init(
      "four at once, with TLS",
      "mqtt: { topic: orders, concurrency: 4, queue: 1024, attempts: 20, backoff: 5s, timeout: 30s, status: orders/status, server: 'mqtts://broker.example.org', tls: { ca: ca.pem } }"
    ),
  ],
  check: { options, checker in
    MQTTOptions.check(options, checker)
    Payload.check(options, checker)
    let topic = options[MQTTSinkOptions.topic]
    if let constant = topic.constant, let flaw = MQTTTopic.flaw(in: constant) {
      checker.report(
        "\(quoted(constant)) is not a topic to publish on: \(flaw)",
        at: options.place(of: MQTTSinkOptions.topic), hint: #"as in launches/\(.id)"#)
    }
    guard let discovery = options[MQTTSinkOptions.discovery] else { return }
    MQTTDiscovery.check(discovery, checker)
    if topic.constant == nil {
      checker.report(
        "an entity has one topic, without expressions", at: options.place(of: MQTTSinkOptions.topic),
        hint: "write a sink for each: { topic: rooms/kitchen, when: .room == \"kitchen\", discovery: … }")
    }
    if options[Payload.bodyText] != nil, discovery[MQTTDiscovery.value] != nil {
      checker.report(
        "value is a member of a JSON message, and body_text makes a text", at: discovery.place,
        hint: "use body, or leave value out")
    }
    let isState = discovery[MQTTDiscovery.value] != nil || options[Payload.bodyText] != nil
    if discovery[MQTTDiscovery.component] == .binarySensor, !isState {
      checker.report(
        "a binary sensor is ON or OFF, and this is JSON", at: discovery.place,
        hint:
          #"add value, the member that is true or false, or body_text: '\(if .open then "ON" else "OFF" end)'"#
      )
    }
    if let status = options[MQTTSinkOptions.status], topic.constant == status {
      checker.report(
        "the status needs a topic of its own", at: options.place(of: MQTTSinkOptions.status))
    }
    if discovery[MQTTDiscovery.component] == .event, !options.isGiven(Payload.body) {
      checker.report(
        "Home Assistant takes events as objects with event_type", at: discovery.place,
        hint: "add body: '{event_type: .type, name: .after.name}'")
    }
  },
  .sink { options, context in try MQTTSink(options, context) })

private enum MQTTSinkOptions {
  static let topic = Option.required(
    "topic", .template, "the topic; expressions are allowed", example: #"'launches/\(.id)'"#)
  static let qos = Option(
    "qos", .integer(0...2), default: "1",
    "how messages are delivered: at most once (0), at least once (1), or once (2)")
  static let retain = Option(
    "retain", .boolean, default: "false", "whether the server keeps the last message for new subscribers")
  static let status = Option.optional(
    "status", .mqttTopic(allowsWildcards: false), "a topic that is online or offline", example: "flow/status")
  static let discovery = Option.optional(
    "discovery", .group("discovery", MQTTDiscovery.list),
    "how Home Assistant sees the topic: `component` (sensor, binary_sensor or event), `name`, `class`, `value`, `unit`, `icon`, `types` of events, `prefix`",
    example: "{ component: sensor, class: timestamp }")
  static let timeout = Option("timeout", .duration, default: "10s", "the time limit of an acknowledgement")
}

private final class MQTTSink: DeliverySink {
  private let context: SinkContext
  private let topic: Evaluation
  private let mayBeSystem: Bool
  private let payload: Payload
  private let flags: [String]
  let queue: DeliveryQueue

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    let topic = options[MQTTSinkOptions.topic]
    self.topic = context.evaluation(topic)
    // A template is a JSON text with expressions.
    mayBeSystem = (topic.constant ?? String(topic.expression.text.drop { $0 == "\"" })).hasPrefix("$")
    payload = Payload(options, context)
    let (quality, isRetained) = (options[MQTTSinkOptions.qos], options[MQTTSinkOptions.retain])
    var settings = MQTTOptions.settings(options)
    flags =
      ["-h", settings.server.host, "-p", "\(settings.server.port)", "-q", "\(quality)"]
      + (isRetained ? ["-r"] : [])
    settings.client = options[MQTTOptions.client] ?? ""
    var announcement: MQTTMessage?
    var freshness: (topic: String, state: @Sendable () -> (isFresh: Bool?, until: Double))?
    settings.status = options[MQTTSinkOptions.status]
    if let constant = topic.constant, let discovery = options[MQTTSinkOptions.discovery] {
      let status = settings.status ?? MQTTDiscovery.statusTopic(of: constant)
      settings.status = status
      announcement = MQTTDiscovery.announcement(
        discovery, topic: constant, status: status, isPolled: context.freshness != nil,
        pipeline: context.pipeline, sink: context.name)
      freshness = context.freshness.map { (MQTTDiscovery.freshTopic(of: constant), $0) }
    }
    let greetings = MQTTGreetings(
      settings, payload.envelope, quality: quality, isRetained: isRetained, announcement: announcement,
      freshness: freshness,
      context)
    let transport = try LinkedTransport(
      .init(server: "\(settings.server)", timeout: options[MQTTSinkOptions.timeout]), context,
      load: { try MQTTConnection.load() }, read: { MQTTItem(stored: $0) }
    ) { stop, meanwhile in
      try MQTTDelivery(greetings, stop, meanwhile)
    }
    if freshness != nil { context.lane.lists.watch { [wakeUp = transport.wakeUp] in wakeUp.ring() } }
    queue = DeliveryQueue(DeliveryOptions.settings(options), context, transport)
  }

  func take(_ event: Event) throws {
    let topic = try event.text(topic)
    if let flaw = MQTTTopic.flaw(in: topic) { throw Sentence("the topic \(quoted(topic)): \(flaw)") }
    if topic.hasPrefix("$"), !mayBeSystem {
      throw Sentence("the topic \(quoted(topic)) begins with $, which data must not choose")
    }
    let item = MQTTItem(topic: topic, data: try payload.text(event), event: event)
    if context.isDryRun {
      return queue.dryRun.add(
        ["mosquitto_pub", "-s"] + flags + ["-t", topic],
        input: try payload.envelope.bytes(item.data, of: event, id: "dry-run"))
    }
    try queue.add(item)
  }
}
