import Delivery
import Language
import System

/// The options of the `mqtt` source and sink that say how to connect.
enum MQTTOptions {
  static let server = Option(
    "server",
    .server(
      ServerAddress.Scheme("mqtt", 1883, secure: "mqtts", 8883), of: "an MQTT server",
      flaw: {
        if $0.password != nil, $0.user == nil { return "a password needs a user" }
        return $0.path.isEmpty ? nil : "it has a path"
      }), default: "mqtt://127.0.0.1:1883",
    "the server: `mqtt://HOST:PORT`, or `mqtts://` with TLS; the ports may be left out",
    example: "mqtts://broker.example.org")
  static let user = Option.optional("user", .text, "the user name", example: "flow")
  static let password = Option.optional("password", .secret, "the password", example: "${MQTT_PASSWORD}")
  static let client = Option.optional(
    "client", .text, "the client's id, where the server expects a certain one", example: "flow-launches")

  static let list = AnyOption.list(server, user, password, TLSOptions.tls, client)

  static let details = """
    Servers of MQTT 5 and 3.1.1 will do: Mosquitto, and that of Home Assistant. The client library libmosquitto is loaded \
    when needed; Debian has it in the package libmosquitto1.
    """

  static func check(_ options: Options, _ checker: Checker) {
    ServerLogin.check(options, server: server, user: user, password: password, needsUser: true, checker)
    if let client = options[client] {
      let place = options.place(of: Self.client)
      if client.isEmpty || client.utf8.count > 256 {
        checker.report("the id of a client has 1 to 256 bytes", at: place)
      }
      checker.claim(
        "client \(client) of \(options[server])", at: place, "another node is the client \(quoted(client))",
        hint: "a server ends the connection of a client that connects again: give each node an id of its own")
    }
  }

  static func settings(_ options: Options) -> MQTTSettings {
    let server = options[server]
    return MQTTSettings(
      server: server, user: options[user] ?? server.user, password: options[password] ?? server.password,
      tls: TLSOptions.files(options))
  }
}

/// The settings of a connection to an MQTT server.
struct MQTTSettings: Sendable {
  /// The texts of the topic of the status.
  static let (online, offline) = ("online", "offline")

  var server: ServerAddress
  var user: String?
  var password: String?
  var tls: TLSFiles?
  var client = ""
  /// How long the server keeps the session, in seconds; 0 for none that outlasts the connection.
  var sessionTime: UInt32 = 0
  /// The server expects something at least as often, in seconds, and half as much later it ends the connection.
  var keepalive: Int32 = 60
  /// The longest data of a message that is wanted.
  var mostBytes = Int.max
  /// The topic of the last will; nil for none.
  var status: String?
}

/// The rules for topics.
enum MQTTTopic {
  /// Why a text is not a topic, or not one to subscribe to; nil where it is.
  static func flaw(in text: String, allowsWildcards: Bool = false) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > 65535 { return "it is longer than 65535 bytes" }
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }) {
      return "it contains a control character"
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() where part.contains("+") || part.contains("#") {
      if !allowsWildcards { return "+ and # are wildcards" }
      if part != "+" && part != "#" { return "the wildcards + and # are whole parts, between slashes" }
      if part == "#", index < parts.count - 1 { return "# is only possible at the end" }
    }
    return nil
  }

  /// Whether a topic is one of those that a subscription is for.
  static func matches(_ topic: String, _ subscription: String) -> Bool {
    var parts = topic.split(separator: "/", omittingEmptySubsequences: false)[...]
    // Shared subscriptions have a prefix that topics do not have.
    var wanted = subscription.split(separator: "/", omittingEmptySubsequences: false)[...]
    if wanted.first == "$share" { wanted = wanted.dropFirst(2) }
    while let part = wanted.popFirst() {
      if part == "#" { return true }
      guard let found = parts.popFirst(), part == "+" || part == found else { return false }
    }
    return parts.isEmpty
  }
}

extension OptionType where Value == String {
  /// A topic, with wildcards or without.
  static func mqttTopic(allowsWildcards: Bool) -> OptionType {
    let text = OptionType.text
    return OptionType("topic", sample: "zigbee2mqtt/+", schema: .record([("type", "string")])) {
      node, checker in
      guard let topic = text.decode(node, checker) else { return nil }
      guard let flaw = MQTTTopic.flaw(in: topic, allowsWildcards: allowsWildcards) else { return topic }
      checker.report(
        "\(quoted(topic)) is not a topic: \(flaw)", at: node.place,
        hint: allowsWildcards ? "as in home/+/door or zigbee2mqtt/#" : "as in flow/launches/next")
      return nil
    }
  }
}
