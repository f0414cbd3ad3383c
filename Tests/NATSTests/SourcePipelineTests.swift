import Expectations
import Foundation
import Reactive
import Testing
import TestSupport

@Suite("Pipelines that read a stream", .realServer, .timeLimit(.minutes(30)))
struct SourcePipelineTests {
  private func pipeline(
    _ place: Place, _ server: NATSServer, _ source: String = "stream: S", steps: String = "[]"
  )
    throws
  {
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { nats: { servers: '\(server.url)', \(source) } } }
      steps: \(steps)
      sinks: { log: { jsonl: out.jsonl } }
      """)
  }

  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "{\"n\":\($0)}" } }

  @Test("a run with --once reads to the end; the next one reads on from there")
  func once() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try pipeline(place, server)
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    for round in 0..<3 {
      try bus.publish((round * 10 + 1)...(round * 10 + 10), on: "s")
      try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
      expect(place.lines("out.jsonl"), equals: numbers(1...(round * 10 + 10)))
    }
    expect(place.text("err"), equals: "")
  }

  @Test("what arrives is read at once; the pipeline ends on SIGTERM and loses nothing until the next start")
  func arrivals() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>")
    try bus.publish(1...5, on: "s.old")
    try pipeline(place, server, "stream: S, from: end, subject: s.new")
    let run = try place.start("run", "p.yaml")
    // The first message may come before the source has looked where the end is.
    #expect(eventually { place.text("state/flow/p.db") != "" })
    usleep(300_000)
    for number in 6...8 {
      try bus.publish(number...number, on: "s.new")
      let time = elapsed { #expect(eventually { place.lines("out.jsonl").last == "{\"n\":\(number)}" }) }
      #expect(time < .seconds(5))
    }
    run.terminate()
    run.waitUntilExit()
    expect(run.terminationStatus, equals: 0)
    try bus.publish(9...9, on: "s.new")
    try bus.publish(10...10, on: "s.old")
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    expect(place.lines("out.jsonl"), equals: numbers(6...9))
  }

  @Test("killed again and again, with the server killed as well: each message once, in order")
  func kills() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try pipeline(place, server, steps: "[{ map: '{n, twice: (.n * 2)}' }]")
    let all = 40_000
    var published = 0
    for round in 0..<8 {
      // The former connection may be to a server that was killed.
      try Bus(server).publish((published + 1)...(published + all / 8), on: "s")
      published += all / 8
      let run = try place.start("run", "p.yaml")
      usleep(UInt32(15_000 + 23_000 * (round % 4)))
      if round == 2 || round == 5 {
        server.kill()
        usleep(50_000)
        try server.start()
        usleep(100_000)
      }
      run.kill()
    }
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    let lines = place.lines("out.jsonl")
    expect(lines.count, equals: all)
    expect(lines, equals: (1...all).map { "{\"n\":\($0),\"twice\":\($0 * 2)}" })
  }

  @Test("a message that is not JSON is reported with its sequence; envelopes have subject, headers and time")
  func contents() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>")
    try bus.publish("s.a", "{\"n\":1}", headers: ["Type": "new"])
    try bus.publish("s.b", "{oops")
    try bus.publish("s.c", "{\n  \"n\": 3\n}")
    try pipeline(place, server)
    try expect(place.flow("run", "--once", "--no-state", "p.yaml"), equals: 1)
    expect(place.lines("out.jsonl"), equals: ["{\"n\":1}", "{\"n\":3}"])
    #expect(place.text("err").hasPrefix("in: error: message 2 of S: "), "\(place.text("err"))")
    try place.write("out.jsonl", "")
    try pipeline(place, server, "stream: S, envelope: true", steps: "[{ map: 'del(.at)' }]")
    try expect(place.flow("run", "--once", "--no-state", "p.yaml"), equals: 1)
    expect(
      place.lines("out.jsonl").first,
      equals: #"{"subject":"s.a","sequence":1,"headers":{"Type":"new"},"data":{"n":1}}"#)
    try place.write("out.jsonl", "")
    try pipeline(place, server, "stream: S, format: text, from: 2")
    try expect(place.flow("run", "--once", "--no-state", "p.yaml"), equals: 0)
    expect(place.lines("out.jsonl").first, equals: #""{oops""#)
  }

  @Test(
    "messages that the stream dropped before they were read are reported; a new stream is read from its start"
  )
  func dropped() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s", options: "\"max_msgs\":10")
    try bus.publish(1...5, on: "s")
    try pipeline(place, server)
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    try bus.publish(6...30, on: "s")
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    expect(place.lines("out.jsonl"), equals: numbers(1...5) + numbers(21...30))
    expect(
      place.text("err"),
      equals: "in: warning: messages 6 to 20 of the stream S were removed before they were read\n")
    try bus.deleteStream("S")
    try bus.makeStream("S", "s")
    try bus.publish(31...32, on: "s")
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    expect(place.lines("out.jsonl").suffix(2), equals: numbers(31...32)[...])
    expect(
      place.text("err"),
      equals: "in: warning: the stream S was replaced since it was read; it is read from its beginning\n")
  }

  @Test(
    "a rejected login, a missing stream, no direct gets, and no server with --once: a line each, status 1")
  func failures() throws {
    let (server, place) = (try NATSServer("authorization { user: flow, password: open-sesame }"), try Place())
    let bus = try Bus(server) { ($0.user, $0.password) = ("flow", "open-sesame") }
    try pipeline(place, server, "stream: S, user: flow, password: wrong-secret")
    try expect(place.flow("run", "p.yaml"), equals: 1)
    let last = "p: error: failed after 0s: 0 events, 0 outputs, 1 error; see flow status p"
    expect(
      place.lines("err"),
      equals: [
        "in: error: \(server.url): the login was rejected (Authorization Violation)", last,
      ])
    try pipeline(place, server, "stream: S, user: flow, password: open-sesame")
    try expect(place.flow("run", "p.yaml"), equals: 1)
    expect(place.lines("err"), equals: ["in: error: \(server.url): there is no stream S", last])
    _ = try bus.ask("$JS.API.STREAM.CREATE.S", #"{"name":"S","subjects":["s"],"allow_direct":false}"#)
    try expect(place.flow("run", "p.yaml"), equals: 1)
    expect(
      place.lines("err"),
      equals: [
        "in: error: \(server.url): the stream S does not allow direct gets, by which it is read; set allow_direct, as with nats stream edit --allow-direct",
        last,
      ])
    server.kill()
    try expect(place.flow("run", "--once", "p.yaml"), equals: 1)
    #expect(place.text("err").hasPrefix("in: error: cannot connect to \(server.url): "))
    expect(place.lines("err").dropFirst(), equals: [last])
  }

  @Test("a server that is not there yet is waited for; a subject is read while it runs")
  func subjects() throws {
    let (server, place) = (try NATSServer(), try Place())
    server.kill()
    try pipeline(place, server, "subject: s.*")
    let run = try place.start("run", "p.yaml")
    #expect(eventually { place.text("err").contains("cannot connect to \(server.url): ") })
    try server.start()
    let bus = try Bus(server)
    var sent = 0
    #expect(
      eventually {
        sent += 1
        try? bus.send("s.a", "{\"n\":\(sent)}")
        usleep(20_000)
        return place.lines("out.jsonl").count > 3
      })
    run.terminate()
    run.waitUntilExit()
    let first = sent - place.lines("out.jsonl").count + 1
    #expect(run.terminationStatus == 0 && first > 0)
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    expect(place.text("err"), equals: "in: s.* has no past to read with --once; a stream would have\n")
  }

  @Test("a server whose replica is behind is left for another; --once does not end before that")
  func behind() throws {
    let connections = Locked(0)
    let server = try FaultyServer { subject, _ in
      switch subject {
      case "$JS.API.INFO":
        connections.withLock { $0 += 1 }
        return [.init(data: #"{"api":{"level":3}}"#)]
      case "$JS.API.STREAM.INFO.S":
        return [
          .init(
            data: #"{"created":"2026-01-01T00:00:00Z","config":{"subjects":["s"],"allow_direct":true},"#
              + #""state":{"first_seq":1,"last_seq":1}}"#)
        ]
      case "$JS.API.STREAM.MSG.GET.S": return [.init(data: #"{"message":{"seq":1,"data":"MQ=="}}"#)]
      default:
        if connections.withLock(\.self) < 2 { return [.init(headers: [("Status", "404 Message Not Found")])] }
        return [.message(1, pending: 0, "1"), .end(last: 1, pending: 0)]
      }
    }
    defer { server.stop() }
    let place = try Place()
    try place.write(
      "p.yaml",
      """
      sources: { in: { nats: { servers: '\(server.url)', stream: S } } }
      steps: []
      sinks: { log: { jsonl: out.jsonl } }
      """)
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    expect(place.lines("out.jsonl"), equals: ["1"])
    expect(
      place.text("err"),
      equals: "in: the server's replica of the stream S is behind; connecting again, to any server\n")
  }
}
