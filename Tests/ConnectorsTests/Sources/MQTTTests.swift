import Expectations
@testable import Connectors
import Foundation
import Language
import Loopback
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine

/// The source `mqtt`, on a Mosquitto server.
@Suite(
  "Messages of MQTT", .timeLimit(.minutes(30)),
  .enabled(if: MQTTServer.isWanted, .init(rawValue: MQTTServer.missing)))
struct MQTTTests {
  private let server: MQTTServer

  init() throws { server = try MQTTServer("allow_anonymous true\nlog_type all\n") }

  private func reading(
    _ options: String, map: String = ".", once: Bool = false, server: MQTTServer? = nil,
    isOpen: Bool = true, _ state: TemporaryState? = nil
  ) throws -> StreamTrial {
    let url = (server ?? self.server).url
    return try StreamTrial(
      "mqtt: { server: '\(url)', \(options) }", map: map, once: once, isOpen: isOpen, state)
  }

  /// Waits until it has subscribed.
  private func isReading(_ trial: StreamTrial) {
    #expect(
      eventually { trial.log.entries.contains { $0.hasPrefix("reads ") } }, "\(trial.log.entries)")
  }

  @Test("the event is the message's JSON, or its text; an empty message is none")
  func values() throws {
    let reading = try reading("topics: t/1")
    isReading(reading)
    for data in [#"{"a": 1.10}"#, "", "ON", "12:30", "21.5"] { try server.publish("t/1", data) }
    try server.publish("t/2", "elsewhere")
    reading.expect(#"{"a":1.10}"#, #""ON""#, #""12:30""#, "21.5")
  }

  @Test("with envelope it has topic, data, the flag of retained messages, which come first, and QoS")
  func envelope() throws {
    try server.publish("home/a/door", "open", "-r")
    let reading = try reading("topics: ['home/+/door', 'alarms/#'], envelope: true")
    isReading(reading)
    try server.publish("alarms/x/y", "")
    try server.publish("alarms", "[1]", "-q", "2")
    try server.publish("home/a/b/door", "no")
    reading.expect(
      #"{"topic":"home/a/door","data":"open","retained":true,"qos":1}"#,
      #"{"topic":"alarms/x/y","data":null,"retained":false,"qos":1}"#,
      #"{"topic":"alarms","data":[1],"retained":false,"qos":1}"#)
  }

  @Test("decode reads tables and texts; what it cannot read, or is too long, is reported and skipped")
  func decoded() throws {
    let reading = try reading("topics: t, decode: csv, max_body: 20")
    isReading(reading)
    for data in ["a,b\n1,2\n3,4\n", "a\n\"x\n", "a\n" + String(repeating: "1", count: 20), "a\n5\n"] {
      try server.publish("t", data)
    }
    reading.expect(#"{"a":"1","b":"2"}"#, #"{"a":"3","b":"4"}"#, #"{"a":"5"}"#)
    let log = reading.log.entries
    #expect(log.contains { $0.hasPrefix("a message of t is skipped: csv: ") }, "\(log)")
    #expect(log.contains("a message of t is skipped: it has 22 bytes, more than max_body"), "\(log)")
    expect(reading.run.outline().sources.first?.refused, equals: 2)
  }

  @Test("with state the server keeps what comes between two runs, and sends retained messages once")
  func session() throws {
    let state = try TemporaryState()
    try server.publish("t/kept", "0", "-r")
    do {
      let trial = try reading("topics: t/+", state)
      isReading(trial)
      try server.publish("t/a", "1")
      trial.expect("0", "1")
      trial.stop()
    }
    for number in 2...40 { try server.publish("t/a", "\(number)") }
    do {
      let trial = try reading("topics: t/+", state)
      #expect(eventually { trial.heard.entries.count == 39 })
      expect(trial.heard.entries, equals: (2...40).map { "\($0)" })
      trial.stop()
    }
    // Other topics are subscribed to, and the former ones are not any more; retained messages of the same do not come again.
    do {
      let trial = try reading("topics: [t/+, t/+/x]", state)
      isReading(trial)
      try server.publish("t/a/x", "40")
      trial.expect("40")
      trial.stop()
      try server.publish("t/a", "old")
    }
    do {
      let trial = try reading("topics: u, retained: false", state)
      isReading(trial)
      try server.publish("t/a", "41")
      try server.publish("u", "42")
      trial.expect("42")
      trial.stop()
      #expect(!trial.log.entries.contains { $0.contains("lost") })
      expect(trial.run.outline().sources.first?.refused, equals: 1, "one that had waited")
    }
    server.stop()
    server.forget()
    try server.start()
    let trial = try reading("topics: u", state)
    isReading(trial)
    let loss = "any more: what was sent since the last connection is lost"
    #expect(trial.log.entries.contains { $0.hasSuffix(loss) }, "\(trial.log.entries)")
    try server.publish("u", "43")
    trial.expect("43")
  }

  @Test("a message is acknowledged when it is committed: a run that is stopped before gets it again")
  func acknowledged() throws {
    let state = try TemporaryState()
    do {
      let trial = try reading("topics: t", state)
      isReading(trial)
      trial.gate.change { $0 = false }
      try server.publish("t", "1")
      #expect(eventually { trial.run.outline().sources.first?.lastEvent != nil })
      #expect(!server.log.contains("Received PUBACK"))
      // The connection is lost before there was a commit.
      server.stop()
      trial.gate.change { $0 = true }
      trial.stop()
    }
    try server.start()
    try server.publish("t", "2")
    // What has waited comes together with the answer to the connection.
    let trial = try reading("topics: t", isOpen: false, state)
    #expect(eventually { trial.run.outline().sources.first?.lastEvent != nil })
    usleep(100_000)
    #expect(!server.log.contains("Received PUBACK"))
    trial.gate.change { $0 = true }
    trial.expect("1", "2")
    #expect(eventually { server.log.contains("Received PUBACK") })
  }

  @Test("a lost connection is reported, and made again; nothing is lost")
  func reconnected() throws {
    let state = try TemporaryState()
    let trial = try reading("topics: t", state)
    isReading(trial)
    try server.publish("t", "1")
    trial.expect("1")
    server.stop()
    #expect(eventually { trial.log.entries.contains { $0.contains("; next try in ") } })
    try server.start()
    try server.publish("t", "2")
    trial.expect("1", "2")
    #expect(eventually { trial.log.entries.contains { $0.hasPrefix("recovered, after ") } })
  }

  @Test("with --once it takes what is retained and what has waited, and ends")
  func once() throws {
    let state = try TemporaryState()
    try server.publish("t/a", "1", "-r")
    for (heard, next) in [("1", "2"), ("2", "3")] {
      let trial = try reading("topics: t/+", once: true, state)
      #expect(eventually { trial.ends.entries == [false] })
      expect(trial.heard.entries, equals: [heard])
      try server.publish("t/b", next)
    }
  }

  @Test("a login, a topic or a certificate that the server does not take ends the source at the start")
  func refused() throws {
    let server = try MQTTServer(
      "allow_anonymous false\npassword_file FOLDER/users\nacl_file FOLDER/rights\n",
      login: ["-u", "flow", "-P", "geheim"],
      files: [
        "users": try MQTTServer.users(["flow": "geheim"]),
        "rights": "user flow\ntopic readwrite ready\ntopic read t\n",
      ])
    func ending(_ options: String) throws -> [String] {
      let trial = try reading(options, server: server)
      #expect(eventually { trial.ends.entries == [true] })
      return trial.log.entries
    }
    let login = try ending("topics: t, user: flow, password: falsch")
    #expect(
      login.contains { $0.contains("the server refuses the connection: Not authorized") }, "\(login)")
    #expect(!login.contains { $0.contains("falsch") })
    let trial = try reading("topics: t, user: flow, password: geheim", server: server)
    isReading(trial)
  }

  @Test("TLS: the system's authorities, others, or none; mqtt:// and mqtts:// are not the same")
  func encrypted() throws {
    let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let files = "/\(tests)/NATSTests/Fixtures"
    let server = try MQTTServer(
      "allow_anonymous true\ncertfile \(files)/server.pem\nkeyfile \(files)/server-key.pem\n",
      login: ["--cafile", "\(files)/ca.pem"])
    func trial(_ scheme: String, _ tls: String) throws -> StreamTrial {
      try StreamTrial(
        "mqtt: { server: '\(scheme)://localhost:\(server.port)', topics: t, \(tls) }", map: ".")
    }
    for tls in ["", "tls: { ca: '\(files)/other-ca.pem' }", "tls: { ca: /nowhere.pem }"] {
      let refused = try trial("mqtts", tls)
      #expect(eventually { refused.ends.entries == [true] }, "\(refused.log.entries)")
    }
    let own = "certificate: '\(files)/server.pem', key: '\(files)/server-key.pem'"
    for tls in [
      "tls: { ca: '\(files)/ca.pem' }", "tls: { insecure: true }", "tls: { insecure: true, \(own) }",
    ] {
      let accepted = try trial("mqtts", tls)
      isReading(accepted)
      // Many in one record of TLS.
      for number in 1...5 { try server.publish("t", "\(number)") }
      accepted.expect("1", "2", "3", "4", "5")
    }
  }

  @Test(
    "a server of MQTT 3.1.1 is spoken to in that version, whether it refuses the other or ends the connection",
    arguments: [[[0x20, 2, 0, 1]], []])
  func older(refusal: [[UInt8]]) throws {
    let server = try ScriptedBroker { version in
      version == 5 ? refusal : [[0x20, 2, 0, 0], [0x90, 3, 0, 1, 1, 0x30, 4, 0, 1, 0x74, 0x37]]
    }
    let trial = try StreamTrial("mqtt: { server: 'mqtt://127.0.0.1:\(server.port)', topics: t }", map: ".")
    trial.expect("7")
    expect(server.versions.entries, equals: [5, 4], "\(trial.log.entries)")
  }

  @Test("runs without state leave the session of a client alone")
  func visitors() throws {
    let state = try TemporaryState()
    do {
      let trial = try reading("topics: t, client: mine", state)
      isReading(trial)
      trial.stop()
    }
    try server.publish("t", "1")
    do {
      let trial = try reading("topics: t, client: mine", once: true)
      #expect(eventually { trial.ends.entries == [false] })
    }
    let trial = try reading("topics: t, client: mine", state)
    trial.expect("1")
    trial.stop()
    // A state that knows nothing of the session does not get what others have subscribed to.
    try server.publish("t", "2")
    let other = try reading("topics: u, client: mine", try TemporaryState())
    isReading(other)
    try server.publish("u", "3")
    other.expect("3")
    expect(other.run.outline().sources.first?.refused, equals: 0)
  }

  @Test("with another server or client, the session that is left is named")
  func moved() throws {
    let (state, other) = (try TemporaryState(), try MQTTServer())
    func warnings(_ options: String, _ server: MQTTServer) throws -> [String] {
      let trial = try reading(options, server: server, state)
      isReading(trial)
      trial.stop()
      return trial.log.entries.filter { $0.contains("which earlier runs had") }
    }
    #expect(try warnings("topics: t", server).isEmpty)
    let left = try warnings("topics: t, client: mine", other)
    #expect(left.count == 1 && left[0].hasPrefix("\(server.url) keeps the session of flow-"), "\(left)")
    #expect(try warnings("topics: t, client: mine", other).isEmpty)
  }

  @Test("another client with the same id is named as the reason")
  func twice() throws {
    let server = try ScriptedBroker { _ in [[0x20, 3, 0, 0, 0], [0x90, 4, 0, 1, 0, 1, 0xe0, 1, 0x8e]] }
    let trial = try StreamTrial("mqtt: { server: 'mqtt://127.0.0.1:\(server.port)', topics: t }", map: ".")
    #expect(
      eventually {
        trial.log.entries.contains { $0.contains("another client has connected with the same id") }
      }, "\(trial.log.entries)")
  }
}

/// A server that answers the first packets of each connection by a script, and ends it behind that.
private final class ScriptedBroker: Sendable {
  let port: Int
  /// The versions of the protocol that were asked for.
  let versions = Journal<UInt8>()
  private let listener: Int32

  init(_ script: @escaping @Sendable (_ version: UInt8) -> [[UInt8]]) throws {
    (listener, port) = try openListener()
    Thread.detachNewThread { [listener, versions] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        var packet = [UInt8](repeating: 0, count: 1024)
        guard recv(connection, &packet, packet.count, 0) > 8 else { continue }
        let version = packet[8]
        versions.note(version)
        for (place, answer) in script(version).enumerated() {
          if place > 0, recv(connection, &packet, packet.count, 0) <= 0 { break }
          _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
        usleep(200_000)
        close(connection)
      }
      close(listener)
    }
  }

  deinit {
    // Closed by the thread: the number of a closed one is another's soon.
    shutdown(listener, Int32(SHUT_RDWR))
  }
}
