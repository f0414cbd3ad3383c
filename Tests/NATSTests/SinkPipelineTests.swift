import Expectations
import Foundation
import Reactive
import Testing
import TestSupport

@Suite("Pipelines that publish", .realServer, .timeLimit(.minutes(30)))
struct SinkPipelineTests {
  private func pipeline(
    _ place: Place, _ server: NATSServer, _ sink: String = "subject: 's.\\(.n % 3)'",
    input: String = "file: in.jsonl"
  ) throws {
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { \(input) } }
      steps: []
      sinks: { bus: { nats: { servers: '\(server.url)', \(sink) } } }
      """)
  }

  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "{\"n\":\($0)}" } }

  @Test("events are published in order with subjects, headers and ids; a repeated id is stored once")
  func publishing() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>")
    try place.write("in.jsonl", numbers(1...1000).map { $0 + "\n" }.joined())
    try pipeline(place, server)
    #expect(try place.flow("run", "p.yaml") == 0 && place.text("err") == "")
    let messages = try bus.messages(of: "S")
    expect(messages.map(\.data), equals: numbers(1...1000))
    #expect(messages[4].subject == "s.2" && Set(messages.map(\.id)).count == 1000)
    let again = try bus.publish("s.0", "again", headers: ["Nats-Msg-Id": messages[7].id])
    expect(again.member("duplicate")?.isTruthy, equals: true)
    try expect(bus.contents(of: "S").count, equals: 1000)

    try place.write("in.jsonl", numbers(1...2).map { $0 + "\n" }.joined())
    try pipeline(
      place, server, #"subject: s.x, body: .n, headers: { Twice: '\(.n * 2)' }, concurrency: 1"#)
    try expect(place.flow("run", "--no-state", "p.yaml"), equals: 0)
    try expect(bus.contents(of: "S").suffix(2), equals: ["1", "2"])
  }

  @Test("killed again and again, with the server killed as well: every event is in the stream, none twice")
  func kills() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>", options: "\"duplicate_window\":120000000000")
    let all = 24_000
    try place.write("in.jsonl", "")
    try pipeline(place, server, input: "file: { path: in.jsonl, follow: true }")
    var written = 0
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(place.path)/in.jsonl"))
    for round in 0..<8 {
      let next = written + all / 8
      try file.write(contentsOf: Data(numbers((written + 1)...next).map { $0 + "\n" }.joined().utf8))
      written = next
      let run = try place.start("run", "p.yaml")
      usleep(UInt32(20_000 + 31_000 * (round % 4)))
      if round == 2 || round == 5 {
        server.kill()
        usleep(50_000)
        try server.start()
        usleep(200_000)
      }
      run.kill()
    }
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    let found = try Bus(server).contents(of: "S")
    #expect(found.count == all && Set(found) == Set(numbers(1...all)))
  }

  @Test("a stream that comes late and a server that is away for a while lose nothing")
  func waiting() throws {
    let (server, place) = (try NATSServer(), try Place())
    try place.write("in.jsonl", numbers(1...50).map { $0 + "\n" }.joined())
    try pipeline(
      place, server, "subject: s, backoff: 100ms", input: "file: { path: in.jsonl, follow: true }")
    server.kill()
    let run = try place.start("run", "p.yaml")
    #expect(eventually { place.text("err").contains("cannot connect to \(server.url): ") })
    try server.start()
    #expect(
      eventually {
        place.text("err").contains("s: no stream has its subject, or the stream is not available")
      })
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    #expect(eventually { (try? bus.contents(of: "S"))?.count == 50 })
    run.terminate()
    run.waitUntilExit()
    expect(run.terminationStatus, equals: 0)
    expect(Set(try bus.contents(of: "S")), equals: Set(numbers(1...50)))
  }

  @Test("what the stream rejects becomes a dead letter with the reason; the others are published")
  func deadLetters() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s", options: "\"max_msg_size\":100")
    let large = "{\"n\":\"\(String(repeating: "x", count: 200))\"}"
    try place.write("in.jsonl", "{\"n\":1}\n\(large)\n{\"n\":3}\n")
    try pipeline(place, server, "subject: s")
    try expect(place.flow("run", "p.yaml"), equals: 1)
    try expect(bus.contents(of: "S"), equals: ["{\"n\":1}", "{\"n\":3}"])
    #expect(place.text("err").hasPrefix("bus: error: s: message size exceeds maximum allowed"))
    try expect(place.flow("state", "dead", "ls", "p"), equals: 0)
    #expect(place.text("out").contains("         1  s: message size exceeds maximum"), "\(place.text("out"))")
  }

  @Test("attempts end: a full stream that rejects new messages")
  func attempts() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s", options: "\"max_msgs\":2,\"discard\":\"new\"")
    try place.write("in.jsonl", numbers(1...3).map { $0 + "\n" }.joined())
    try pipeline(place, server, "subject: s, attempts: 3, backoff: 10ms")
    try expect(place.flow("run", "p.yaml"), equals: 1)
    try expect(bus.contents(of: "S"), equals: numbers(1...2))
    #expect(
      place.text("err").contains("s: maximum messages exceeded after 3 attempts"), "\(place.text("err"))")
  }

  @Test("the trace has each attempt, until a message is acknowledged or given up")
  func traced() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s", options: "\"max_msgs\":2,\"discard\":\"new\"")
    try place.write("in.jsonl", numbers(1...3).map { $0 + "\n" }.joined())
    try place.write(
      "p.yaml",
      """
      name: p
      trace: 10 events
      sources: { in: { file: in.jsonl } }
      steps: [map: { id: .n }]
      sinks: { bus: { nats: { servers: '\(server.url)', subject: s, attempts: 2, backoff: 10ms } } }
      """)
    try expect(place.flow("run", "p.yaml"), equals: 1)
    try expect(place.flow("why", "p.yaml", "2"), equals: 0)
    #expect(place.text("out").contains("attempt 1 at "), "\(place.text("out"))")
    try expect(place.flow("why", "p.yaml", "3"), equals: 0)
    let attempts = place.lines("out").filter { $0.contains("attempt ") }
    #expect(
      attempts.count == 2 && attempts[0].contains("; next try at ")
        && attempts[1].hasSuffix("given up, a dead letter now"), "\(place.text("out"))")
  }

  @Test("a message whose earlier attempt is still in process at the stream is published again, not given up")
  func inProcess() throws {
    let attempts = Locked(0)
    let server = try FaultyServer { _, _ in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt == 3 { return [.init(data: #"{"stream":"S","seq":1,"duplicate":true}"#)] }
      return [
        .init(
          data: #"{"error":{"code":409,"err_code":10158,"description":"duplicate message id is in process"},"#
            + #""stream":"S","seq":0}"#)
      ]
    }
    defer { server.stop() }
    let place = try Place()
    try place.write("in.jsonl", "{\"n\":1}\n")
    try place.write(
      "p.yaml",
      """
      sources: { in: { file: in.jsonl } }
      steps: []
      sinks: { bus: { nats: { servers: '\(server.url)', subject: s } } }
      """)
    try expect(place.flow("run", "p.yaml"), equals: 0)
    expect(attempts.withLock(\.self), equals: 3)
    let lines = place.lines("err")
    // On a slow machine the second refusal can be far enough from the first to be a line of its own.
    #expect(
      !lines.isEmpty
        && lines.allSatisfy { $0.hasPrefix("bus: s: duplicate message id is in process; next try in ") },
      "\(lines)")
  }

  @Test("subjects and headers that data makes invalid are errors of their events")
  func invalidSubjects() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s.>")
    try place.write("in.jsonl", #"{"n":"a b"}\#n{"n":"a.*"}\#n{"n":"$JS.API"}\#n{"n":"s.c"}\#n"#)
    try pipeline(place, server, #"subject: '\(.n)', headers: { N: '\(.n)' }"#)
    try expect(place.flow("run", "p.yaml"), equals: 1)
    try expect(bus.contents(of: "S"), equals: [#"{"n":"s.c"}"#])
    let errors = place.lines("err").filter { $0.hasPrefix("bus: error: ") }
    expect(
      errors,
      equals: [
        "bus: error: the subject “a b”: it contains white space",
        "bus: error: the subject “a.*”: it contains a wildcard",
        "bus: error: the subject “$JS.API” begins with $, which data must not choose",
      ])
  }

  @Test("a rejected login is a line without the password, status 1, and what was to be published is kept")
  func rejectedLogin() throws {
    let (server, place) = (try NATSServer("authorization { user: flow, password: open-sesame }"), try Place())
    try place.write("in.jsonl", "{\"n\":1}\n")
    try pipeline(place, server, "subject: s, user: flow, password: wrong-secret")
    try expect(place.flow("run", "p.yaml"), equals: 1)
    // Whether the message had been handed over by then depends on how fast the server refuses.
    let errors = place.lines("err").filter { !$0.contains("not acknowledged") }
    expect(
      errors,
      equals: [
        "bus: error: \(server.url): the login was rejected (Authorization Violation)",
        "p: error: failed after 0s: 1 event, 1 output, 1 error; see flow status p",
      ])
    let bus = try Bus(server) { ($0.user, $0.password) = ("flow", "open-sesame") }
    try bus.makeStream("S", "s")
    try place.write("in.jsonl", "{\"n\":2}\n")
    try pipeline(place, server, "subject: s, user: flow, password: open-sesame")
    try expect(place.flow("run", "p.yaml"), equals: 0)
    try expect(bus.contents(of: "S"), equals: numbers(1...2))
  }

  @Test("from stream to stream, with state: single messages do not wait for the end of a long epoch")
  func latency() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try bus.makeStream("T", "t")
    try place.write(
      "p.yaml",
      """
      epoch: { time: 1h, events: 1000000 }
      sources: { in: { nats: { servers: '\(server.url)', stream: S } } }
      steps: []
      sinks: { bus: { nats: { servers: '\(server.url)', subject: t } } }
      """)
    let run = try place.start("run", "p.yaml")
    for number in 1...5 {
      try bus.publish(number...number, on: "s")
      #expect(eventually { (try? bus.contents(of: "T"))?.count == number })
    }
    run.kill()
    try expect(place.flow("run", "--once", "p.yaml"), equals: 0)
    try expect(bus.contents(of: "T"), equals: numbers(1...5))
  }

  @Test("without acknowledgements messages are core NATS, which another pipeline hears")
  func core() throws {
    let (server, place, other) = (try NATSServer(), try Place(), try Place())
    try other.write(
      "p.yaml",
      """
      sources: { in: { nats: { servers: '\(server.url)', subject: s.> } } }
      steps: []
      sinks: { log: { jsonl: out.jsonl } }
      """)
    let listener = try other.start("run", "--no-state", "p.yaml")
    try place.write("in.jsonl", numbers(1...100).map { $0 + "\n" }.joined())
    try pipeline(place, server, "subject: s.a, acknowledge: false")
    // It is heard once the listener has subscribed, which may be in the middle of a run.
    func heard() -> ArraySlice<String> { other.lines("out.jsonl").drop { $0 != numbers(1...1)[0] } }
    #expect(
      eventually {
        _ = try? place.flow("run", "--no-state", "p.yaml")
        usleep(100_000)
        return heard().count >= 100
      })
    listener.terminate()
    listener.waitUntilExit()
    expect(heard().prefix(100), equals: numbers(1...100)[...])
  }

  @Test("a dry run prints commands, and a simulated run publishes nothing")
  func harmless() throws {
    let (server, place) = (try NATSServer(), try Place())
    let bus = try Bus(server)
    try bus.makeStream("S", "s")
    try place.write("in.jsonl", "{\"n\":1}\n")
    try pipeline(place, server, #"subject: s, headers: { N: '\(.n)' }"#)
    try expect(place.flow("run", "--dry-run", "p.yaml"), equals: 0)
    expect(place.text("out"), equals: "printf '%s' '{\"n\":1}' | nats pub --force-stdin -H N:1 s\n")
    try expect(place.flow("run", "--sky", "p.yaml"), equals: 0)
    #expect(place.text("err").contains("bus: messages are not published under --sky"))
    #expect(try bus.contents(of: "S").isEmpty)
    try expect(place.flow("run", "--sky", "--live-sinks", "p.yaml"), equals: 0)
    try expect(bus.contents(of: "S"), equals: ["{\"n\":1}"])
  }
}
