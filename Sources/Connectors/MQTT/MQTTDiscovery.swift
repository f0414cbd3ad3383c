import JSON
import Language

/// The announcement of a topic to Home Assistant, by its MQTT discovery: the option `discovery` of the sink `mqtt`.
///
/// The entities of all sinks of a pipeline belong to one device.
enum MQTTDiscovery {
  enum Component: String, CaseIterable, Sendable {
    case sensor
    case binarySensor = "binary_sensor"
    case event
  }

  static let component = Option.required(
    "component", OptionType<Component>.choice(), "the kind of entity", example: "sensor")
  static let name = Option.optional(
    "name", .text, "its name (default: that of the sink)", example: "Next launch")
  static let deviceClass = Option.optional(
    "class", .text, "its device class, which gives it unit, form and icon", example: "timestamp")
  static let value = Option.optional(
    "value", .text, "the member of a JSON message that is the state; members of members behind a dot",
    example: "net")
  static let unit = Option.optional("unit", .text, "the unit of its state", example: "km")
  static let icon = Option.optional("icon", .text, "its icon", example: "mdi:rocket-launch")
  static let types = Option(
    "types", .list(of: .text), default: "[]", "the types of an event entity", example: "[added, changed]")
  static let prefix = Option(
    "prefix", .mqttTopic(allowsWildcards: false), default: "homeassistant",
    "the topic below which Home Assistant looks for announcements")

  static let list = AnyOption.list(component, name, deviceClass, value, unit, icon, types, prefix)

  static let statusRule = "TOPIC/status"

  static func statusTopic(of topic: String) -> String { "\(topic)/status" }

  /// The topic that is offline while what the entity shows is too old.
  static func freshTopic(of topic: String) -> String { "\(topic)/fresh" }

  static func check(_ options: Options, _ checker: Checker) {
    let isEvent = options[component] == .event
    if isEvent != !options[types].isEmpty {
      checker.report(
        isEvent ? "an event entity needs its types" : "types are those of an event entity", at: options.place,
        hint: isEvent ? "as in types: [added, changed, removed]" : nil)
    }
    if options[component] != .sensor, options.isGiven(unit) {
      checker.report("only a sensor has a unit", at: options.place)
    }
    if isEvent, options.isGiven(value) {
      checker.report("value has no effect: the state of an event is its event_type", at: options.place)
    }
    let signs = #"{}%"'\"#
    if let value = options[value],
      value.split(separator: ".", omittingEmptySubsequences: false).contains(where: \.isEmpty)
        || value.contains(where: { signs.contains($0) })
    {
      checker.report("value is the name of a member, as in net or status.name", at: options.place)
    }
  }

  /// The message by which Home Assistant makes the entity.
  static func announcement(
    _ options: Options, topic: String, status: String, isPolled: Bool, pipeline: String, sink: String
  ) -> MQTTMessage {
    let device = "flow_\(identifier(pipeline))"
    let component = options[component]
    var members: [(String, Value)] = [
      ("name", .string(options[name] ?? sink)), ("unique_id", .string("\(device)_\(identifier(sink))")),
      ("state_topic", .string(topic)),
    ]
    if isPolled {
      let topics = [status, freshTopic(of: topic)].map { Value.record([("topic", .string($0))]) }
      members += [("availability", .array(topics)), ("availability_mode", "all")]
    } else {
      members += [
        ("availability_topic", .string(status)), ("payload_available", .string(MQTTSettings.online)),
        ("payload_not_available", .string(MQTTSettings.offline)),
      ]
    }
    if let deviceClass = options[deviceClass] { members.append(("device_class", .string(deviceClass))) }
    if let unit = options[unit] { members.append(("unit_of_measurement", .string(unit))) }
    if let icon = options[icon] { members.append(("icon", .string(icon))) }
    if component == .event {
      members.append(("event_types", .array(options[types].map { .string($0) })))
    }
    if let value = options[value] {
      let path = value.split(separator: ".").map { "['\($0)']" }.joined()
      // Home Assistant knows ON and OFF only, and writes a JSON boolean as True and False.
      let template =
        component == .binarySensor
        ? "{{ 'ON' if value_json\(path) in [true, 'ON'] else 'OFF' }}" : "{{ value_json\(path) }}"
      members.append(("value_template", .string(template)))
      members.append(("json_attributes_topic", .string(topic)))
    }
    members.append(
      (
        "device",
        .record([
          ("identifiers", .array([.string(device)])), ("name", .string(pipeline)),
          ("manufacturer", .string("flow")),
        ])
      ))
    members.append(("origin", .record([("name", .string("flow"))])))
    return MQTTMessage(
      "\(options[prefix])/\(component.rawValue)/\(device)/\(identifier(sink))/config",
      Value.record(members).json)
  }

  /// A name of a pipeline or sink in the form that topics of announcements allow.
  private static func identifier(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_" })
  }
}
