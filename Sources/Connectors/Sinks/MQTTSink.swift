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
  reference: .init(PackageResources.mqtt_sink_md, sharing: ["mqtt": MQTTOptions.details]),
  options: AnyOption.list(
    MQTTSinkOptions.topic, MQTTSinkOptions.qos, MQTTSinkOptions.retain, MQTTSinkOptions.status,
    MQTTSinkOptions.discovery, MQTTSinkOptions.timeout)
    + Payload.list + MQTTOptions.list + DeliveryOptions.list,
  shorthand: "topic", hasDurableState: true,
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
