import Expectations
@testable import Connectors
import Glibc
import JSON
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine

/// The sink `mqtt`, on a Mosquitto server.
@Suite(
  "Messages to MQTT", .timeLimit(.minutes(30)),
  .enabled(if: MQTTServer.isWanted, .init(rawValue: MQTTServer.missing)))
struct MQTTSinkTests {
  private let server: MQTTServer

  init() throws { server = try MQTTServer() }

  private func sink(_ options: String, server: MQTTServer? = nil) -> String {
    "it: { mqtt: { server: '\((server ?? self.server).url)', backoff: 0s, \(options) } }"
  }

  @Test("messages are published in order: events, JSON or texts, on topics of their own, and retained")
  func published() throws {
    let heard = try server.subscribe()
    let lines = (1...50).map { #"{"n":\#($0)}"# }
    let seen = try SinkBench().run(sink(#"topic: 'a/\(.n % 2)'"#), lines: lines, isReal: true)
    #expect(!seen.hasFailed && seen.log == [], "\(seen.log)")
    #expect(eventually { heard().count == 50 })
    expect(heard(), equals: (1...50).map { #"0 a/\#($0 % 2) {"n":\#($0)}"# })
    _ = try SinkBench().run(
      sink("topic: b, body: .n, qos: 2, retain: true"), lines: lines, isReal: true)
    _ = try SinkBench().run(
      sink(#"topic: c, body_text: 'is \(.n)', qos: 0"#), lines: Array(lines.prefix(2)), isReal: true)
    #expect(eventually { heard().count == 102 })
    expect(Array(heard().suffix(3)), equals: ["0 b 50", "0 c is 1", "0 c is 2"])
    let retained = try server.subscribe("b")
    #expect(eventually { retained() == ["1 b 50"] })
  }

  @Test("data chooses no wildcards and no topic of the server's own")
  func topics() throws {
    let heard = try server.subscribe()
    for (topic, reason) in [
      ("a/+", "the topic “a/+”: + and # are wildcards"), ("a/#", "+ and # are wildcards"),
      ("", "it is empty"),
      ("$SYS/x", "the topic “$SYS/x” begins with $, which data must not choose"),
      (#"a\u0001"#, "it contains a control character"),
    ] {
      let seen = try SinkBench().run(
        sink(#"topic: '\(.t)', body: 1"#), lines: [#"{"t":"\#(topic)"}"#, #"{"t":"good"}"#], isReal: true)
      #expect(seen.log.count == 1 && seen.log[0].contains(reason), "\(reason): \(seen.log)")
    }
    #expect(eventually { heard().count == 5 })
    expect(Set(heard()), equals: ["0 good 1"])
  }

  @Test("what a server of MQTT 5 refuses is a dead letter, and the rest is published")
  func refused() throws {
    let server = try MQTTServer(
      "allow_anonymous true\nlog_type all\nacl_file FOLDER/rights\n",
      files: ["rights": "topic readwrite ready/#\ntopic readwrite ready\ntopic readwrite a/#\n"])
    let heard = try server.subscribe()
    var bench = SinkBench()
    bench.state = try TemporaryState()
    let seen = try bench.run(
      sink(#"topic: '\(.)', body: 1"#, server: server), lines: [#""a/1""#, #""b""#, #""a/2""#], isReal: true)
    #expect(eventually { heard() == ["0 a/1 1", "0 a/2 1"] }, "\(heard()) \(server.log)")
    #expect(seen.log.contains { $0.contains("b: the server refuses it: Not authorized") }, "\(seen.log)")
  }

  @Test(
    "while the server is away messages wait, which is no attempt; at the end they are left to the next run")
  func away() throws {
    var bench = SinkBench()
    bench.state = try TemporaryState()
    server.stop()
    let options = sink("topic: t, timeout: 500ms, attempts: 1")
    let waits = Journal<String>()
    bench.meanwhile = { run in
      _ = eventually { run.statistics.last?.wait != nil }
      waits.note(run.statistics.last?.wait?.reason ?? "")
    }
    let seen = try bench.run(options, lines: ["1", "2"], isReal: true)
    #expect(!seen.hasFailed)
    #expect(
      seen.log.contains("it: 2 messages were not acknowledged; the next run publishes them again"),
      "\(seen.log)")
    expect(waits.entries, equals: ["\(server.url): Connection refused"])
    bench.meanwhile = nil
    #expect(seen.log.count { $0.contains("Connection refused; next try in") } <= 2, "\(seen.log)")
    try server.start()
    let heard = try server.subscribe()
    _ = try bench.run(options, lines: ["3"], isReal: true)
    #expect(eventually { heard().count >= 3 })
    expect(heard(), equals: ["0 t 1", "0 t 2", "0 t 3"])
    // Without state nothing would ever publish them.
    server.stop()
    bench.state = nil
    let lost = try bench.run(options, lines: ["4"], isReal: true)
    #expect(lost.hasFailed)
    #expect(lost.log.contains { $0.contains("t: not published: the pipeline ended") }, "\(lost.log)")
  }

  @Test("a connection that is lost in between is made again, and nothing is lost")
  func reconnected() throws {
    let heard = try server.subscribe()
    var bench = SinkBench()
    bench.state = try TemporaryState()
    let server = server
    bench.meanwhile = { _ in
      usleep(30_000)
      server.stop()
      try? server.start()
    }
    let seen = try bench.run(
      sink("topic: t, timeout: 30s, concurrency: 8, queue: 1000"), lines: (1...400).map { "\($0)" },
      isReal: true)
    #expect(!seen.hasFailed, "\(seen.log)")
    #expect(eventually { Set(heard()).count == 400 }, "\(Set(heard()).count)")
  }

  @Test("the status is online with the connection and offline after it, and after a kill by the last will")
  func status() throws {
    let heard = try server.subscribe()
    _ = try SinkBench().run(sink("topic: t, status: s"), lines: ["1"], isReal: true)
    #expect(eventually { heard() == ["0 s online", "0 t 1", "0 s offline"] }, "\(heard())")
    let retained = try server.subscribe("s")
    #expect(eventually { retained() == ["1 s offline"] })
  }

  @Test("an announcement or a status that the server refuses is left out, which is reported")
  func refusedGreetings() throws {
    let server = try MQTTServer(
      "allow_anonymous true\nacl_file FOLDER/rights\n",
      files: ["rights": "topic readwrite ready/#\ntopic readwrite ready\ntopic readwrite t\n"])
    let heard = try server.subscribe()
    let seen = try SinkBench().run(
      sink("topic: t, retain: true, discovery: { component: sensor, value: n }", server: server),
      lines: ["1", "2"], isReal: true)
    #expect(eventually { heard() == ["0 t 1", "0 t 2"] }, "\(heard()) \(seen.log)")
    #expect(!seen.hasFailed)
    for kind in ["homeassistant/sensor/flow_p/it/config: the server refuses the announcement", "t/status: "] {
      #expect(seen.log.contains { $0.hasPrefix("it: \(kind)") }, "\(seen.log)")
    }
  }

  @Test("a topic is announced to Home Assistant as an entity of the pipeline's device")
  func discovery() throws {
    let heard = try server.subscribe()
    _ = try SinkBench().run(
      sink(
        "topic: flow/next, retain: true, discovery: { component: sensor, name: Next, class: timestamp, value: a.net, icon: 'mdi:rocket' }"
      ), lines: [#"{"a":{"net":1}}"#], isReal: true)
    #expect(eventually { heard().contains("0 flow/next/status offline") })
    let announcement = try #require(
      heard().first { $0.hasPrefix("0 homeassistant/sensor/flow_p/it/config ") })
    let value = try Value.parse(String(announcement.split(separator: " ", maxSplits: 2)[2]))
    let expected =
      #"{"name":"Next","unique_id":"flow_p_it","state_topic":"flow/next","availability_topic":"flow/next/status","#
      + #""payload_available":"online","payload_not_available":"offline","device_class":"timestamp","#
      + #""icon":"mdi:rocket","value_template":"{{ value_json['a']['net'] }}","json_attributes_topic":"flow/next","#
      + #""device":{"identifiers":["flow_p"],"name":"p","manufacturer":"flow"},"origin":{"name":"flow"}}"#
    expect(value.description, equals: expected)
    let order = heard().map { $0.split(separator: " ")[1] }
    expect(
      order,
      equals: ["homeassistant/sensor/flow_p/it/config", "flow/next/status", "flow/next", "flow/next/status"])
    let events = try SinkBench().run(
      sink(
        "topic: flow/new, body: '{event_type: .type}', discovery: { component: event, types: [added, changed], prefix: ha }"
      ), lines: [#"{"type":"added"}"#], isReal: true)
    expect(events.log, equals: ["it: announced to Home Assistant by ha/event/flow_p/it/config"])
    #expect(eventually { heard().contains { $0.contains(#""event_types":["added","changed"]"#) } })
  }

  @Test("an entity is offline three periods after the last good poll, and online with the next one")
  func freshness() throws {
    let heard = try server.subscribe()
    let failed = [SinkBench.failedPoll]
    var bench = SinkBench()
    bench.meanwhile = { run in
      #expect(eventually { heard().filter { $0.contains("flow/next/fresh ") }.count == 3 }, "\(heard())")
      run.stop()
    }
    let seen = try bench.run(
      sink("topic: flow/next, discovery: { component: sensor }"),
      polls: [["1"], failed, failed, failed, failed, failed, ["2"]], isReal: true)
    #expect(!seen.hasFailed, "\(seen.log)")
    expect(
      heard().filter { $0.contains("flow/next/fresh ") },
      equals: ["online", "offline", "online"].map { "0 flow/next/fresh \($0)" })
    let retained = try server.subscribe("flow/next/fresh")
    #expect(eventually { retained() == ["1 flow/next/fresh online"] })
    let announcement = heard().first { $0.contains("/config ") } ?? ""
    #expect(
      announcement.contains(
        #""availability":[{"topic":"flow/next/status"},{"topic":"flow/next/fresh"}],"availability_mode":"all""#
      ),
      "\(announcement)")
  }

  @Test("a dry run shows the messages as commands, and simulated runs publish nothing")
  func shown() throws {
    var bench = SinkBench()
    bench.isDryRun = true
    let dry = try bench.run(sink("topic: it's, body: .n, retain: true"), lines: [#"{"n":"a b"}"#])
    expect(
      dry.text,
      equals:
        "printf '%s' '\"a b\"' | mosquitto_pub -s -h 127.0.0.1 -p \(server.port) -q 1 -r -t 'it'\\''s'\n",
      "\(dry.text)")
    bench.isDryRun = false
    bench.outputs = OutputPolicy(below: "out/x", isLive: false, reason: "in a test")
    let heard = try server.subscribe()
    let seen = try bench.run(sink("topic: t"), lines: ["1"])
    #expect(seen.log.contains("it: messages are not published in a test; --live-sinks publishes them"))
    expect(heard(), equals: [])
  }
}
