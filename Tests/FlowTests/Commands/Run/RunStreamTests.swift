import Expectations
import Foundation
import JSON
import Loopback
import Testing

/// Streams over HTTP with runs that are killed.
@Suite(.timeLimit(.minutes(30))) struct RunStreamTests {
  /// How many events the server has.
  private static let count = 3000

  /// A server that sends its events behind the last id, some at a time, and cuts every other connection.
  private func server() throws -> LoopbackServer {
    try LoopbackServer { request in
      let start = request.headers["last-event-id"].flatMap { Int($0) } ?? 0
      let end = request.connection % 2 == 0 ? min(start + 400, Self.count) : Self.count
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 20\n\n"
      var steps: [LoopbackServer.Step] = [.text(head)]
      for first in stride(from: start + 1, through: end, by: 10) {
        let events = (first...min(first + 9, end)).map { "id: \($0)\ndata: {\"n\":\($0)}\n\n" }
        steps += [.text(events.joined()), .pause(milliseconds: 2)]
      }
      if end < Self.count { return steps + [.text("id: \(end + 1)\ndata: {\"n\""), .reset] }
      return steps + [.pause(milliseconds: 30_000)]
    }
  }

  @Test("a pipeline with a stream cannot be replayed, which is reported instead of a missing file")
  func replayed() throws {
    let place = try Workplace(
      """
      name: p
      sources:
        in: { http: { url: 'https://example.org', stream: sse } }
        polled: { http: https://example.org, every: 1m }
      sinks: { log: { jsonl: log.jsonl, from: [in, polled] } }

      """)
    try place.record()
    try place.move("rec/in.jsonl", to: "rec/polled.jsonl")
    let outcome = try place.run("--replay", "rec")
    #expect(
      outcome.status == 2
        && outcome.errors.contains("has a source that reads on (in); its events are not recorded, so"),
      "\(outcome)")
  }

  @Test("over kills and cuts each event comes exactly once, as a server has it that keeps its events")
  func killed() throws {
    let server = try server()
    try server.serving {
      let place = try Workplace(
        """
        name: p
        sources: { in: { http: { url: '\(server.url)', stream: sse } } }
        steps: [{ map: '{n, id: $meta.id}' }]
        sinks: { log: { jsonl: log.jsonl } }

        """)
      var count = 1
      while count < Self.count - 300 {
        let killed = try place.start("--state", "st")
        try killed.waitForLines(count, in: "log.jsonl")
        killed.send(SIGKILL)
        _ = try killed.end()
        count = place.lines("log.jsonl").count + 250
      }
      let last = try place.start("--state", "st")
      try last.waitForLines(Self.count, in: "log.jsonl")
      // The run before may have written the last lines, so that this one has just begun.
      try last.wait(for: "its connection") {
        let status = (try? place.flow("status", "--state", "st", "--json"))?.output ?? ""
        return status.contains("\"connected_since\"") && status.contains("\"connections\"")
      }
      let shown = try place.flow("status", "--state", "st")
      #expect(shown.output.contains("connected for"), "\(shown)")
      try expect(last.end(by: SIGTERM).outcome.status, equals: 0)
      expect(place.lines("log.jsonl"), equals: (1...Self.count).map { "{\"n\":\($0),\"id\":\"\($0)\"}" })
    }
  }
}
