import Expectations
@testable import Nodes
import AllNodes
import Glibc
import Language
import Loopback
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine

/// `http` with `stream`: what comes over a connection that goes on, and what happens at its ends.
@Suite("Streams over HTTP", .timeLimit(.minutes(30))) struct HTTPStreamTests {
  private typealias Reading = StreamTrial

  /// The head of a response that goes on, and its first bytes.
  private static func opening(_ text: String, type: String = "text/event-stream; charset=utf-8")
    -> LoopbackServer.Step
  {
    .text("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n" + text)
  }

  private static let rest = LoopbackServer.Step.pause(milliseconds: 30_000)

  @Test("each event comes at once, with its type and its id; JSON is JSON, anything else a text")
  func events() throws {
    let server = try LoopbackServer { _ in
      [
        Self.opening(
          ":ok\n\nid: a\nevent: update\ndata: {\"n\":\ndata: 1}\n\ndata: it's text\n\nevent: b\ndata: [1]\n\nda"
        ),
        .pause(milliseconds: 20), .text("ta: ü"), .text("\n\n"), Self.rest,
      ]
    }
    try server.serving {
      let reading = try Reading(server)
      reading.expect(
        #"["update","a",{"n":1}]"#, #"["message","a","it's text"]"#, #"["b","a",[1]]"#,
        #"["message","a","ü"]"#)
      let request = try #require(server.received.first)
      #expect(request.headers["accept"] == "text/event-stream" && request.headers["last-event-id"] == nil)
      expect(reading.log.entries.first?.hasPrefix("reads the stream of \(server.url)/ at "), equals: true)
      let status = try #require(reading.run.outline().sources.first)
      #expect(status.connectedSince != nil && status.lastEvent != nil && status.polls == 1)
    }
  }

  @Test("decode reads the data of each event; what it cannot read is reported and skipped")
  func decoded() throws {
    let server = try LoopbackServer { _ in
      [
        Self.opening(
          "id: 1\ndata: a,b\ndata: 1,2\n\nid: 2\ndata: a\ndata: \"x\n\nid: 3\ndata: a\ndata: 3\n\n"),
        Self.rest,
      ]
    }
    try server.serving {
      let reading = try Reading(server, "stream: sse, decode: csv", map: ".")
      reading.expect(#"{"a":"1","b":"2"}"#, #"{"a":"3"}"#)
      #expect(reading.log.entries.contains { $0.hasPrefix("the event 2 of type message: csv: ") })
    }
  }

  @Test(
    "after a cut in the middle of an event the next connection asks for what is behind the last whole one")
  func cut() throws {
    let server = try LoopbackServer { request in
      switch request.headers["last-event-id"] {
      case nil: [Self.opening("retry: 10\n\nid: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\ndata: ha"), .reset]
      case "2": [Self.opening("id: 3\ndata: 3\n\n"), .close]
      default: [Self.opening("id: 4\ndata: 4\n\n"), Self.rest]
      }
    }
    try server.serving {
      let reading = try Reading(server, map: ".")
      reading.expect("1", "2", "3", "4")
      expect(server.received.map { $0.headers["last-event-id"] }, equals: [nil, "2", "3"])
      #expect(!reading.log.entries.contains { $0.contains("missing") })
      expect(reading.run.outline().sources.first?.polls, equals: 4, "three connections, one of which was cut")
      #expect(
        eventually { reading.log.entries.contains { $0.hasPrefix("recovered, after 1 failed attempt") } })
    }
  }

  @Test("the id is kept for the next run")
  func nextRun() throws {
    let server = try LoopbackServer { request in
      [Self.opening("id: [{\"offset\":\(request.number)}]\ndata: \(request.connection)\n\n"), Self.rest]
    }
    try server.serving {
      let state = try TemporaryState()
      for number in 1...2 {
        let reading = try Reading(server, map: ".", state)
        reading.expect("\(number)")
        reading.stop()
      }
      expect(server.received.map { $0.headers["last-event-id"] }, equals: [nil, #"[{"offset":1}]"#])
    }
  }

  @Test("a server that does not know the id any more is read without it, which is reported")
  func unknownID() throws {
    let server = try LoopbackServer { request in
      switch (request.connection, request.headers["last-event-id"]) {
      case (1, _): [Self.opening("retry: 10\nid: 1\ndata: 1\n\n"), .close]
      case (_, "1"?): [.reply("too old", status: "410 Gone", [])]
      default: [Self.opening("id: 9\ndata: 9\n\n"), Self.rest]
      }
    }
    try server.serving {
      let reading = try Reading(server, map: ".")
      reading.expect("1", "9")
      expect(server.received.map { $0.headers["last-event-id"] }, equals: [nil, "1", nil])
      #expect(
        reading.log.entries.contains {
          $0.contains("410 Gone: too old; it does not know the event 1 any more: events may be missing")
        }, "\(reading.log.entries)")
    }
  }

  @Test("events without ids, which no server can send again, and events of type error are reported")
  func admitted() throws {
    let server = try LoopbackServer { request in
      request.connection == 1
        ? [Self.opening("retry: 10\n\nevent: error\ndata: {\"message\":\"lagging\"}\n\n"), .close]
        : [Self.opening("data: 2\n\n"), Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, map: ".")
      reading.expect(#"{"message":"lagging"}"#, "2")
      let log = reading.log.entries
      #expect(log.contains(#"the server reports an error, events may be missing: {"message":"lagging"}"#))
      #expect(
        log.contains {
          $0.hasSuffix(
            "gives its events no ids: what comes between two connections is missing, or comes twice")
        })
    }
  }

  @Test("a silent server is connected again, with what to do about it; comments keep a connection alive")
  func silence() throws {
    let server = try LoopbackServer { request in
      request.connection == 1
        ? [Self.opening("retry: 10\nid: 1\ndata: 1\n\n"), Self.rest]
        : [Self.opening("")]
          + (0..<8).flatMap { _ in [.pause(milliseconds: 100), .text(":\n")] } + [
            .text("id: 2\ndata: 2\n\n"), Self.rest,
          ]
    }
    try server.serving {
      let reading = try Reading(server, "stream: sse, heartbeat: 400ms", map: ".")
      reading.expect("1", "2")
      expect(server.connectionCount, equals: 2)
      #expect(
        reading.log.entries.contains {
          $0.contains(
            "nothing has come for 400ms, not even a comment; if that is normal here, raise heartbeat")
        }, "\(reading.log.entries)")
    }
  }

  @Test("Retry-After is waited for, a redirect is followed, and 204 ends the source")
  func statuses() throws {
    let server = try LoopbackServer { request in
      switch (request.target, request.connection) {
      case ("/", 1):
        [.reply("busy", status: "503 Service Unavailable", ["Retry-After: 1", "Connection: close"]), .close]
      case ("/", 2):
        [.reply("", status: "307 Temporary Redirect", ["Location: /b", "Connection: close"]), .close]
      case ("/b", _): [Self.opening("retry: 10\nid: 1\ndata: 1\n\n"), .close]
      default: [.text("HTTP/1.1 204 No Content\r\n\r\n"), .close]
      }
    }
    try server.serving {
      let start = MonotonicClock.now
      let reading = try Reading(server, map: ".")
      reading.expect("1")
      #expect(MonotonicClock.now - start >= .seconds(1))
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [false])
      expect(
        reading.log.entries.last?.hasSuffix("the server has ended the stream, with status 204"), equals: true)
      expect(server.received.map(\.target), equals: ["/", "/", "/b", "/"])
    }
  }

  @Test(
    "what is no stream of that kind ends the source, with what it is instead",
    arguments: [
      ("sse", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "answered 404 Not Found"),
      (
        "sse", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}",
        "answered application/json, which is no stream of server-sent events: stream: lines reads lines, and without stream the address is polled"
      ),
      (
        "lines", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n",
        "answered text/event-stream, which is no stream of lines: stream: sse reads it"
      ),
    ])
  func refused(stream: String, answer: String, message: String) throws {
    let server = try LoopbackServer { _ in [.text(answer), Self.rest] }
    try server.serving {
      let reading = try Reading(server, "stream: \(stream)")
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [true])
      #expect(
        reading.log.entries.count == 1 && reading.log.entries[0].contains(message), "\(reading.log.entries)")
    }
  }

  @Test("lines come as they are sent, whole ones only, and the next connection begins where note says")
  func lines() throws {
    let server = try LoopbackServer { request in
      let type = "application/x-ndjson"
      return switch request.target {
      case "/json?since=all": [Self.opening("{\"id\":1}\n\n{\"id\":2}\n{\"id", type: type), .reset]
      case "/json?since=2": [Self.opening("{\"id\":3}\n", type: type), Self.rest]
      default: [.reply("", status: "404 Not Found", [])]
      }
    }
    try server.serving {
      let reading = try Reading(
        server, #"query: { since: '\($last.note // "all")' }, note: 'map(.id) | last', stream: lines"#,
        path: "/json",
        map: ".id")
      reading.expect("1", "2", "3")
      #expect(
        !reading.log.entries.contains { $0.contains("missing") || $0.contains("lines:") },
        "\(reading.log.entries)")
    }
  }

  @Test("an event and a line beyond max_size are skipped and reported", arguments: ["sse", "lines"])
  func tooLong(stream: String) throws {
    let prefix = stream == "sse" ? "data: " : ""
    let text = [String(repeating: "1", count: 3000), "2"].map { "\(prefix)\($0)\n\n" }.joined()
    let server = try LoopbackServer { _ in
      [Self.opening(text, type: stream == "sse" ? "text/event-stream" : "text/plain"), Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, "stream: \(stream), max_size: 2KiB", map: ".")
      reading.expect("2")
      #expect(reading.log.entries.contains { $0.contains("longer than") && $0.contains("2048 bytes") })
    }
  }

  @Test("while the pipeline is slow the server waits, and nothing is lost")
  func pressure() throws {
    let piece = Array(
      (0..<1000).map { "data: \"\($0)\(String(repeating: "x", count: 1000))\"\n\n" }.joined().utf8)
    let server = try LoopbackServer { _ in
      [Self.opening("")] + (0..<20).map { _ in .send(piece) } + [.text("data: \"last\"\n\n"), Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, map: ".[:4]")
      reading.gate.change { $0 = false }
      #expect(eventually { reading.run.statistics[0].eventsOut ?? 0 > 0 })
      var before = -1
      // The source stands still well before the end.
      #expect(
        eventually {
          defer { before = reading.run.statistics[0].eventsOut ?? 0 }
          return before == reading.run.statistics[0].eventsOut
        })
      #expect(before < 18_000)
      reading.gate.change { $0 = true }
      #expect(eventually { reading.heard.entries.last == "\"last\"" })
      expect(reading.heard.entries.count, equals: 20_001)
    }
  }

  @Test("with --once it is read until the response ends")
  func once() throws {
    let server = try LoopbackServer { _ in [Self.opening("data: 1\n\ndata: 2\n\n"), .close] }
    try server.serving {
      let reading = try Reading(server, map: ".", once: true)
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [false])
      reading.expect("1", "2")
      expect(server.connectionCount, equals: 1)
    }
  }

  @Test("with --once a server that goes on and on is read for a minute")
  func onceBusy() throws {
    let server = try LoopbackServer { _ in
      [Self.opening("")] + (0..<200).flatMap { [.text("data: \($0)\n\n"), .pause(milliseconds: 50)] }
    }
    try server.serving {
      let reading = try Reading(server, map: ".", once: true, speed: 60)
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [false])
      #expect((5...60).contains(reading.heard.entries.count), "\(reading.heard.entries)")
    }
  }

  @Test("the last id follows a redirect to another host")
  func redirected() throws {
    let target = try LoopbackServer { request in
      request.headers["last-event-id"] == nil
        ? [Self.opening("retry: 10\nid: 1\ndata: 1\n\n"), .close]
        : [Self.opening("id: 2\ndata: 2\n\n"), Self.rest]
    }
    let location = "Location: \(target.url)/b"
    let server = try LoopbackServer { _ in
      [.reply("", status: "307 Temporary Redirect", [location, "Connection: close"]), .close]
    }
    try target.serving {
      try server.serving {
        let reading = try Reading(server, map: ".")
        reading.expect("1", "2")
        expect(target.received.map { $0.headers["last-event-id"] }, equals: [nil, "1"])
        #expect(target.received.allSatisfy { $0.headers["accept"] == "text/event-stream" })
      }
    }
  }

  @Test("the position is stored where no other node keeps state")
  func kept() throws {
    func hasState(_ options: String) throws -> Bool {
      try Trial.plan(
        "sources: { in: { http: { url: 'https://example.org', \(options) } } }\nsinks: { it: null }\n"
      )
      .hasState
    }
    #expect(try hasState("stream: sse") && hasState("stream: lines, note: '.[-1].id'"))
    #expect(try !hasState("stream: lines") && !hasState("note: '.[-1].id'"))
  }

  @Test("an id of another address is not sent, which is reported")
  func otherAddress() throws {
    let server = try LoopbackServer { _ in [Self.opening("id: 1\ndata: 1\n\n"), Self.rest] }
    try server.serving {
      let state = try TemporaryState()
      for path in ["/a?x=1", "/a?x=2", "/b"] {
        let reading = try Reading(server, path: path, map: ".", state)
        reading.expect("1")
        reading.stop()
        let reports = reading.log.entries.filter {
          $0.contains("not asked for what comes behind the event 1")
        }
        expect(reports.count, equals: (path == "/b" ? 1 : 0), "\(reading.log.entries)")
      }
      expect(server.received.map { $0.headers["last-event-id"] }, equals: [nil, "1", nil])
    }
  }

  @Test(
    "a refusal of the first request does not end a source that could read before", arguments: [403, 404, 200])
  func refusedLater(status: Int) throws {
    let server = try LoopbackServer { request in
      switch request.connection {
      case 1: [Self.opening("retry: 10\nid: 1\ndata: 1\n\n"), Self.rest]
      case 2, 3:
        [.reply("<html>", status: "\(status) X", ["Content-Type: text/html", "Connection: close"]), .close]
      default: [Self.opening("id: 2\ndata: 2\n\n"), Self.rest]
      }
    }
    try server.serving {
      let state = try TemporaryState()
      do {
        let first = try Reading(server, map: ".", state)
        first.expect("1")
        first.stop()
      }
      let second = try Reading(server, map: ".", speed: 20, state)
      second.expect("2")
      second.stop()
      expect(second.ends.entries, equals: [false])
    }
  }

  @Test("a server that asks for no wait, or for one in the past, is not called without a pause")
  func noPause() throws {
    let server = try LoopbackServer { request in
      request.connection == 1
        ? [Self.opening("retry: 0\nid: 1\ndata: 1\n\n"), .close]
        : [.reply("", status: "503 Busy", ["Retry-After: 0", "Connection: close"]), .close]
    }
    try server.serving {
      let reading = try Reading(server, map: ".")
      reading.expect("1")
      usleep(1_200_000)
      #expect((2...3).contains(server.connectionCount))
    }
  }

  @Test("the body of a refusal is limited, also one that never ends")
  func endlessRefusal() throws {
    let server = try LoopbackServer { _ in
      [.text("HTTP/1.1 503 Busy\r\nContent-Type: text/plain\r\n\r\n")]
        + (0..<100).map { _ in .text(String(repeating: "x", count: 1000)) } + [Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, "stream: sse, max_size: 50000")
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [true])
      #expect(
        reading.log.entries.contains { $0.contains("the response is larger than max_size, 50000 bytes") })
    }
  }

  @Test("a head without a body is an answer: what is no stream is refused at once")
  func headAlone() throws {
    let server = try LoopbackServer { _ in [Self.opening("", type: "text/html"), Self.rest] }
    try server.serving {
      let reading = try Reading(server)
      #expect(eventually { !reading.ends.entries.isEmpty } && reading.ends.entries == [true])
    }
  }

  @Test("lines are in the encoding that Content-Type names")
  func charset() throws {
    let server = try LoopbackServer { _ in
      [
        Self.opening("", type: "text/plain; charset=ISO-8859-1"), .send([0x22, 0xfc, 0x22, 0x0a]), Self.rest,
      ]
    }
    try server.serving { try Reading(server, "stream: lines", map: ".").expect("\"ü\"") }
  }

  @Test("an error in note loses no event, and is reported once")
  func badNote() throws {
    let server = try LoopbackServer { _ in
      [Self.opening((1...9).map { "data: \($0)\n\n" }.joined()), Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, "stream: sse, note: 'error(\"no\")'", map: ".")
      #expect(eventually { reading.heard.entries.count == 9 })
      expect(reading.log.entries.filter { $0.hasPrefix("note: ") }.count, equals: 1)
      expect(reading.run.statistics[0].lost, equals: 0)
    }
  }

  @Test("a server that ends quiet responses after a while has not failed")
  func quiet() throws {
    let server = try LoopbackServer { request in
      request.connection == 1
        ? [Self.opening("retry: 10\n\n:\n"), .pause(milliseconds: 5500), .close]
        : [Self.opening("data: 2\n\n"), Self.rest]
    }
    try server.serving {
      let reading = try Reading(server, map: ".")
      reading.expect("2")
      expect(reading.run.outline().sources.first?.failedPolls, equals: 0)
    }
  }

  @Test("options of polls are reported beside stream")
  func checks() throws {
    func problems(_ yaml: String) -> String {
      var reader = PipelineReader(catalog: .all)
      _ = reader.read(
        path: "p.yaml", Array("sources: { in: { http: \(yaml) } }\nsteps: []\nsinks: { it: null }\n".utf8))
      return "\(reader.problems)"
    }
    let address = "url: 'https://example.org'"
    expect(problems("{ \(address), stream: sse }"), equals: "")
    #expect(problems("{ \(address), heartbeat: 1s }").contains("heartbeat has no effect without stream"))
    let misplaced = problems("{ \(address), stream: sse, rows: .a }")
    #expect(misplaced.contains("rows has no effect with stream"))
    expect(problems("{ \(address), stream: lines, decode: csv }"), equals: "")
    for (decode, words) in [("html: { select: p }", "as html"), ("text: { whole: true }", "as a whole")] {
      #expect(
        problems("{ \(address), stream: lines, decode: { \(decode) } }").contains(
          "a stream of lines is decoded as it comes, not \(words)"))
    }
    #expect(problems("{ \(address), stream: sse, each: [a] }").contains("each has no effect with stream"))
    #expect(
      problems("{ \(address), stream: sse }, every: 1m").contains(
        "http with stream runs on, and has no schedule"))
  }
}

extension StreamTrial {
  fileprivate convenience init(
    _ server: LoopbackServer, _ more: String = "stream: sse", path: String = "/",
    map: String = "[$meta.event, $meta.id, .]",
    once: Bool = false, speed: Double = 1, _ state: TemporaryState? = nil
  ) throws {
    try self.init(
      "http: { url: '\(server.url)\(path)', \(more) }", map: map, once: once, speed: speed, state)
  }
}
