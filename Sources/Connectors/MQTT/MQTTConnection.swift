import Delivery
import CMQTT
import Glibc
import Reactive
import System

/// Why a connection to an MQTT server failed.
struct MQTTError: LinkError, CustomStringConvertible {
  let description: String
  /// Whether a later attempt may succeed without a change of settings.
  var mayPass = true
  /// Whether it may be that the server speaks another version of the protocol.
  var mayBeVersion = false

  init(_ description: String, mayPass: Bool = true, mayBeVersion: Bool = false) {
    (self.description, self.mayPass, self.mayBeVersion) = (description, mayPass, mayBeVersion)
  }
}

/// A connection to an MQTT server, on libmosquitto; one thread uses it.
///
/// Nothing is sent before `flush`, and so no acknowledgement of a message either: libmosquitto puts it behind what is
/// to be sent when the message has come, and writes by itself only where it is not told of threads.
final class MQTTConnection {
  /// A message that has come.
  struct Message {
    let topic: String
    /// Nothing where it is longer than what is wanted.
    let data: [UInt8]
    let count: Int
    let quality: Int
    let isRetained: Bool
  }

  /// The answer to a publication; 128 and more are refusals.
  typealias Answer = (id: Int32, reason: Int32)

  private static let longestConnecting = Duration.seconds(15)
  /// How long it waits at most between two looks at whether it has to send something; see `MQTTSettings.keepalive`.
  static let longestWait = Duration.seconds(20)
  /// After so long without a word the server is asked for one, and how long that may take.
  private static let silence = Duration.seconds(30)
  private static let longestAnswer = Duration.seconds(30)
  /// How many messages are read at once, and about how many bytes.
  private static let (batch, mostBytes) = (1000, 8 << 20)

  private let client: OpaquePointer
  private let inbox: MQTTInbox
  private let settings: MQTTSettings
  private let stop: StopSign
  /// When the server was asked for a sign of life that is still to come.
  private var asked: Instant?

  /// Whether the server has continued a session of this client.
  var hasSession: Bool { inbox.hasSession }

  static func load() throws(MQTTError) {
    if let failure = flow_mqtt_load() { throw MQTTError(String(cString: failure), mayPass: false) }
  }

  /// Connects, and waits for the answer; `meanwhile` is called now and then.
  init(
    _ settings: MQTTSettings, isClean: Bool, _ stop: StopSign, meanwhile: () -> Void = {}
  ) throws(MQTTError) {
    try Self.load()
    (self.settings, self.stop) = (settings, stop)
    do throws(MQTTError) {
      (client, inbox) = try Self.opened(settings, version: 5, isClean: isClean, stop, meanwhile)
    } catch {
      guard error.mayBeVersion else { throw error }
      do throws(MQTTError) {
        (client, inbox) = try Self.opened(settings, version: 4, isClean: isClean, stop, meanwhile)
      } catch let second {
        throw second.mayBeVersion ? error : second
      }
    }
  }

  deinit { flow_mqtt_destroy(client) }

  // MARK: - Connecting

  /// A client that the server has accepted.
  private static func opened(
    _ settings: MQTTSettings, version: Int32, isClean: Bool, _ stop: StopSign, _ meanwhile: () -> Void
  ) throws(MQTTError) -> (OpaquePointer, MQTTInbox) {
    let inbox = MQTTInbox(version, settings)
    // Without an id it gets one at random.
    let id = settings.client.isEmpty ? nil : settings.client
    guard let client = flow_mqtt_new(id, isClean, Unmanaged.passUnretained(inbox).toOpaque()) else {
      throw MQTTError("there is no memory for a client")
    }
    var isAbandoned = false
    do throws(MQTTError) {
      try configure(client, settings, version, inbox)
      guard let failure = connect(client, settings, inbox, stop, meanwhile) else {
        isAbandoned = true
        throw inbox.failed(stop.isSet ? "the run ends" : "no answer within \(longestConnecting.inSeconds) s")
      }
      if !failure.isEmpty { throw inbox.failed(failure) }
      let deadline = MonotonicClock.now + longestConnecting
      while inbox.acceptance == nil {
        // Not behind the turn: what a session has kept comes together with the answer.
        try flush(client, inbox)
        try turn(client, inbox, stop, until: MonotonicClock.now + .milliseconds(100), wake: -1)
        meanwhile()
        if stop.isSet { throw inbox.failed("the run ends") }
        if MonotonicClock.now > deadline { throw inbox.failed("the server does not answer") }
      }
      if let refusal = inbox.refusal { throw refusal }
      inbox.watch(flow_mqtt_socket(client))
    } catch {
      // Else the thread that still connects does that.
      if !isAbandoned { flow_mqtt_destroy(client) }
      throw error
    }
    return (client, inbox)
  }

  private static func configure(
    _ client: OpaquePointer, _ settings: MQTTSettings, _ version: Int32, _ inbox: MQTTInbox
  ) throws(MQTTError) {
    flow_mqtt_threaded_set(client, true)
    flow_mqtt_int_option(client, Int32(FLOW_MQTT_VERSION), version)
    flow_mqtt_int_option(client, Int32(FLOW_MQTT_NO_DELAY), 1)
    if let user = settings.user { flow_mqtt_username_pw_set(client, user, settings.password) }
    if settings.server.isSecure {
      let tls = settings.tls ?? TLSFiles()
      for file in [tls.authorities, tls.certificate, tls.key].compactMap(\.self) where access(file, R_OK) != 0
      {
        throw MQTTError("\(file): \(String(cString: strerror(errno)))", mayPass: false)
      }
      if tls.authorities == nil { flow_mqtt_int_option(client, Int32(FLOW_MQTT_SYSTEM_AUTHORITIES), 1) }
      if tls.authorities != nil || tls.certificate != nil {
        // It takes a certificate only together with authorities; those of the system are trusted besides.
        let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
        let code = flow_mqtt_tls_set(client, tls.authorities, folder, tls.certificate, tls.key, nil)
        if code != 0 { throw MQTTError("\(settings.server): \(inbox.text(code))", mayPass: false) }
      }
      if tls.skipsVerification {
        flow_mqtt_tls_opts_set(client, 0, nil, nil)
        flow_mqtt_tls_insecure_set(client, true)
      }
    }
    if let status = settings.status {
      let offline = Array(MQTTSettings.offline.utf8)
      flow_mqtt_will_set(client, status, Int32(offline.count), offline, 1, true)
    }
    MQTTInbox.setCallbacks(client)
  }

  /// Connects on a thread of its own, since names and hosts that do not answer take long: what is wrong, empty for
  /// nothing; nil where that is no longer waited for, and the thread destroys the client.
  private static func connect(
    _ client: OpaquePointer, _ settings: MQTTSettings, _ inbox: MQTTInbox, _ stop: StopSign,
    _ meanwhile: () -> Void
  ) -> String? {
    let state = ConditionLock<(result: String?, isAbandoned: Bool)>((nil, false))
    nonisolated(unsafe) let (client, inbox) = (client, inbox)
    let hasStarted = startThread(named: "flow-mqtt") {
      var properties: OpaquePointer?
      if settings.sessionTime > 0 {
        flow_mqtt_property_add_int32(&properties, Int32(FLOW_MQTT_SESSION_EXPIRY), settings.sessionTime)
      }
      let code = flow_mqtt_connect_bind_v5(
        client, settings.server.host, Int32(settings.server.port), settings.keepalive, nil,
        inbox.isLatest ? properties : nil)
      let text = code == 0 ? "" : inbox.text(code)
      flow_mqtt_property_free_all(&properties)
      let isAbandoned = state.change { state in
        state.result = text
        return state.isAbandoned
      }
      if isAbandoned { flow_mqtt_destroy(client) }
    }
    if !hasStarted { return "there is no thread to connect on" }
    let deadline = MonotonicClock.now + longestConnecting
    while true {
      let result = state.wait(until: min(deadline, MonotonicClock.now + .milliseconds(100))) { $0.result }
      if let result { return result }
      meanwhile()
      if !stop.isSet, MonotonicClock.now < deadline { continue }
      return state.change { state in
        state.isAbandoned = state.result == nil
        return state.result
      }
    }
  }

  // MARK: - Reading and writing

  /// Waits for something to come, or until the other descriptor is readable, and reads what has come.
  func turn(until deadline: Instant, wake: Int32 = -1) throws(MQTTError) {
    try Self.turn(client, inbox, stop, until: deadline, wake: wake)
  }

  private static func turn(
    _ client: OpaquePointer, _ inbox: MQTTInbox, _ stop: StopSign, until deadline: Instant,
    wake: Int32
  ) throws(MQTTError) {
    var mayWait = inbox.messages.isEmpty && inbox.answers.isEmpty
    while true {
      let socket = flow_mqtt_socket(client)
      if socket < 0 {
        if !mayWait, !inbox.messages.isEmpty || !inbox.answers.isEmpty { return }
        throw inbox.lost
      }
      // What is to be sent and was not accepted at once; acknowledgements are held back meanwhile.
      let isWriting = inbox.isWriting && inbox.messages.isEmpty && flow_mqtt_want_write(client)
      if !flow_mqtt_has_more(client) {
        let ready = awaitDescriptors(
          [.input(socket), .output(isWriting ? socket : -1), .input(stop.descriptor), .input(wake)],
          until: mayWait ? deadline : .init())
        guard ready[0] || ready[1] else { break }
        if ready[1] { try flush(client, inbox) }
      }
      let code = flow_mqtt_loop_read(client, 1)
      // What came before the end is handled before it.
      if code != 0, !inbox.messages.isEmpty || !inbox.answers.isEmpty { return }
      if code != 0 { throw inbox.lost(code) }
      if inbox.messages.count >= batch || inbox.answers.count >= batch || inbox.bytes >= mostBytes { break }
      mayWait = false
    }
    let code = flow_mqtt_loop_misc(client)
    if code != 0 { throw inbox.lost(code) }
  }

  /// Sends what is to be sent, acknowledgements among it.
  func flush() throws(MQTTError) { try Self.flush(client, inbox) }

  private static func flush(_ client: OpaquePointer, _ inbox: MQTTInbox) throws(MQTTError) {
    inbox.isWriting = false
    guard flow_mqtt_want_write(client) else { return }
    let code = flow_mqtt_loop_write(client, 1)
    if code != 0 { throw inbox.lost(code) }
    inbox.isWriting = flow_mqtt_want_write(client)
  }

  /// The messages that have come since the last call.
  func takeMessages() -> [Message] {
    defer { (inbox.messages, inbox.bytes) = ([], 0) }
    return inbox.messages
  }

  /// The answers to publications since the last call.
  func takeAnswers() -> [Answer] {
    defer { inbox.answers = [] }
    return inbox.answers
  }

  func text(ofReason reason: Int32) -> String { inbox.reason(reason) }

  // MARK: - Requests

  /// Subscribes to topics, and waits for the answers: what the server grants for each, 128 and more for a refusal.
  ///
  /// Messages that have come before must have been taken and committed: they are acknowledged.
  func subscribe(to topics: [String], quality: Int) throws(MQTTError) -> [Int32] {
    var ids: [Int32] = []
    for topic in topics {
      var id: Int32 = 0
      let code = flow_mqtt_subscribe(client, &id, topic, Int32(quality))
      if code != 0 { throw inbox.lost(code) }
      ids.append(id)
    }
    try flush()
    let deadline = MonotonicClock.now + Self.longestConnecting
    while !ids.allSatisfy({ inbox.granted[$0] != nil }) {
      // Messages come already, and stay where they are.
      try Self.turn(client, inbox, stop, until: MonotonicClock.now + .milliseconds(100), wake: -1)
      if stop.isSet { throw inbox.failed("the run ends") }
      if MonotonicClock.now > deadline { throw inbox.failed("the server does not answer a subscription") }
      if !inbox.messages.isEmpty { usleep(1000) }
    }
    defer { inbox.granted = [:] }
    return ids.map { inbox.granted[$0] ?? 128 }
  }

  /// Asks a server of which nothing has come for a while for a sign of life; an error where there is none.
  ///
  /// By a topic that it ends no subscription of, which it has to answer. The ping of libmosquitto is tied to the keepalive,
  /// which must be longer than a pipeline may wait.
  func watch() throws(MQTTError) {
    let now = MonotonicClock.now
    if let time = asked, inbox.heard < time {
      if now - time > Self.longestAnswer {
        throw inbox.failed("no sign of life within \(Int(Self.longestAnswer.inSeconds)) s")
      }
      return
    }
    asked = nil
    if now - inbox.heard < Self.silence { return }
    unsubscribe(from: ["flow/heartbeat"])
    try flush()
    asked = now
  }

  func unsubscribe(from topics: [String]) {
    for topic in topics { flow_mqtt_unsubscribe(client, nil, topic) }
  }

  /// Publishes a message: its id, which the answer has; a refusal of libmosquitto, as for one that is too large.
  func publish(_ topic: String, _ data: [UInt8], quality: Int, isRetained: Bool) throws(MQTTError) -> Int32 {
    var id: Int32 = 0
    let code = flow_mqtt_publish(
      client, &id, topic, Int32(clamping: data.count), data, Int32(quality), isRetained)
    if code == FLOW_MQTT_NO_CONNECTION || code == FLOW_MQTT_LOST { throw inbox.lost(code) }
    if code != 0 { throw MQTTError(inbox.text(code), mayPass: false) }
    return id
  }

  /// Says goodbye, so that the server does not publish the last will.
  func close() {
    flow_mqtt_disconnect(client)
    try? flush()
  }
}
