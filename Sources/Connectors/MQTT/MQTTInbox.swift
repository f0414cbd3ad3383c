import CMQTT
import Glibc
import Reactive

/// The reports of libmosquitto to a connection: a context for its callbacks, which it calls while it reads and writes.
final class MQTTInbox {
  /// A connection that ends so soon may have been ended for another one.
  private static let short = Duration.seconds(5)

  private let version: Int32
  /// The server, as messages name it.
  private let name: String
  private let client: String
  fileprivate let mostBytes: Int
  /// The reason of the server's answer to the connection; 0 for acceptance.
  fileprivate(set) var acceptance: Int32?
  fileprivate(set) var hasSession = false
  var messages: [MQTTConnection.Message] = []
  /// How many bytes they have.
  var bytes = 0
  var answers: [MQTTConnection.Answer] = []
  /// The qualities that the server grants, by the id of the subscription.
  var granted: [Int32: Int32] = [:]
  /// Whether the socket takes no more for now.
  var isWriting = false
  /// Why the server has ended the connection; 0 where it has not said so.
  fileprivate var departure: Int32 = 0
  /// The last error that was logged, such as that of a certificate.
  fileprivate var detail = ""

  /// When the server has accepted the connection, and when something has come from it last.
  private var start = Instant()
  fileprivate(set) var heard = Instant()

  init(_ version: Int32, _ settings: MQTTSettings) {
    self.version = version
    (name, client, mostBytes) = ("\(settings.server)", settings.client, settings.mostBytes)
  }

  /// The connection is accepted: has the system notice a server that is gone without a word.
  func watch(_ socket: Int32) {
    start = MonotonicClock.now
    heard = start
    func set(_ level: Int32, _ name: Int32, _ value: Int32) {
      var value = value
      _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    for (name, value) in [(TCP_KEEPIDLE, 30), (TCP_KEEPINTVL, 10), (TCP_KEEPCNT, 3)] {
      set(Int32(IPPROTO_TCP), name, Int32(value))
    }
  }

  var isLatest: Bool { version == 5 }

  // MARK: - Errors

  /// The text for a code of libmosquitto, of the present thread.
  func text(_ code: Int32) -> String {
    let text = String(cString: flow_mqtt_strerror(code))
    return detail.isEmpty ? text : "\(text) (\(detail))"
  }

  /// An error that the library has logged, without its own “Error: ” and end of line.
  static func detail(of text: String) -> String {
    var line = text.hasPrefix("Error: ") ? text.dropFirst("Error: ".count) : text[...]
    while let last = line.last, last.isWhitespace { line.removeLast() }
    return String(line)
  }

  func failed(_ reason: String) -> MQTTError {
    // A server that is just going away may cut off the handshake too.
    MQTTError("\(name): \(reason)", mayPass: !reason.has("certificate"))
  }

  /// The error of a connection that is lost.
  var lost: MQTTError { lost(Int32(FLOW_MQTT_LOST)) }

  func lost(_ code: Int32) -> MQTTError {
    if let refusal { return refusal }
    if departure == 142 {
      return MQTTError(
        "\(name): the connection was ended, since another client has connected with the same id: is the pipeline "
          + "running twice? Set client to tell them apart")
    }
    if departure >= 128 {
      return MQTTError("\(name): the server has ended the connection: \(reason(departure))")
    }
    if acceptance == nil {
      var error = failed(text(code))
      error.mayBeVersion = error.mayPass && detail.isEmpty
      return error
    }
    let isShort = !client.isEmpty && MonotonicClock.now - start < Self.short
    let hint = isShort ? "; if that repeats, another client may have the id \(client)" : ""
    return MQTTError("\(name): the connection is lost (\(text(code)))\(hint)")
  }

  /// Why the server has not accepted the connection; nil where it has, or has not answered.
  var refusal: MQTTError? {
    guard let code = acceptance, code != 0 else { return nil }
    if isLatest, code == 132 || code == 1 {
      return MQTTError("\(name): the server speaks another version of MQTT", mayBeVersion: true)
    }
    let text = isLatest ? reason(code) : String(cString: flow_mqtt_connack_string(code))
    // Wrong logins and ids; others are about the state of the server.
    let isFinal = isLatest ? [133, 134, 135, 138, 140].contains(code) : [2, 4, 5].contains(code)
    return MQTTError("\(name): the server refuses the connection: \(text)", mayPass: !isFinal)
  }

  /// The text for a reason of MQTT 5.
  func reason(_ code: Int32) -> String { String(cString: flow_mqtt_reason_string(code)) }

  // MARK: - Callbacks

  static func setCallbacks(_ client: OpaquePointer) {
    flow_mqtt_connect_v5_callback_set(client, connected)
    flow_mqtt_disconnect_v5_callback_set(client, disconnected)
    flow_mqtt_publish_v5_callback_set(client, answered)
    flow_mqtt_subscribe_callback_set(client, subscribed)
    flow_mqtt_unsubscribe_callback_set(client, unsubscribed)
    flow_mqtt_message_callback_set(client, received)
    flow_mqtt_log_callback_set(client, logged)
  }
}

private func inbox(_ context: UnsafeMutableRawPointer?) -> MQTTInbox? {
  context.map { Unmanaged<MQTTInbox>.fromOpaque($0).takeUnretainedValue() }
}

private func connected(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ reason: Int32, _ flags: Int32,
  _ properties: OpaquePointer?
) {
  inbox(context)?.acceptance = reason
  inbox(context)?.hasSession = flags & 1 != 0
}

private func disconnected(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ reason: Int32, _ properties: OpaquePointer?
) {
  // Behind the server's reason libmosquitto reports what it has led to.
  if reason >= 128 { inbox(context)?.departure = reason }
}

private func answered(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ id: Int32, _ reason: Int32,
  _ properties: OpaquePointer?
) {
  inbox(context)?.answers.append((id, reason))
}

private func subscribed(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ id: Int32, _ count: Int32,
  _ granted: UnsafePointer<Int32>?
) {
  inbox(context)?.granted[id] = count > 0 ? granted?[0] : 128
}

private func unsubscribed(_ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ id: Int32) {
  inbox(context)?.heard = MonotonicClock.now
}

private func received(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ message: UnsafePointer<mosquitto_message>?
) {
  guard let inbox = inbox(context), let message = message?.pointee, let topic = message.topic else { return }
  let count = Int(message.payloadlen)
  let data = UnsafeRawBufferPointer(start: message.payload, count: count <= inbox.mostBytes ? count : 0)
  inbox.bytes += data.count
  inbox.heard = MonotonicClock.now
  inbox.messages.append(
    MQTTConnection.Message(
      topic: String(cString: topic), data: Array(data), count: count, quality: Int(message.qos),
      isRetained: message.retain))
}

private func logged(
  _ client: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ level: Int32, _ text: UnsafePointer<CChar>?
) {
  // Errors alone.
  if level == 8, let text { inbox(context)?.detail = MQTTInbox.detail(of: String(cString: text)) }
}
