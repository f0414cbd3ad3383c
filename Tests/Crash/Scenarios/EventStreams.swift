import Foundation
import Loopback
import Reactive

/// Server-sent events of a server that freezes, at once or within an event, ends and resets connections → `jsonl`: each
/// event is written once, in order, since each connection begins behind the last one that was committed.
final class EventStreams: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  private let site: Site
  private let server = Server()

  private final class Server: Sendable { let stream = Locked(Stream()) }

  private struct Stream: Sendable {
    var count = 3
    var dice = SplitMix64(seed: 5)
    var isFrozen = false
  }

  init(_ place: Place) throws {
    self.place = place
    site = try Site { [server] request in
      let last = request.headers["last-event-id"].flatMap { Int($0) } ?? 0
      return server.stream.withLock { Self.answer(&$0, after: last) }
    }
    try place.write(
      "p.yaml",
      """
      name: streamed
      epoch: { events: 50, time: 20ms }
      sources:
        events: { http: { url: "\(site.url)/events", stream: sse, heartbeat: 300ms } }
      sinks:
        log: { jsonl: log.jsonl }

      """)
  }

  private static func line(_ number: Int) -> String { "{\"n\":\(number)}" }

  /// The events behind the last one, and then an end, a silence that is longer than the heartbeat, or half an event.
  private static func answer(_ stream: inout Stream, after last: Int) -> [LoopbackServer.Step] {
    if !stream.isFrozen { stream.count += stream.dice.below(30) }
    var steps: [LoopbackServer.Step] = [
      .text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 20\n\n")
    ]
    // A silence may also come before all else.
    if !stream.isFrozen, stream.dice.below(12) == 0 { steps.append(.pause(milliseconds: 600)) }
    for number in (last + 1)..<max(last + 1, stream.count + 1) {
      let event = "id: \(number)\ndata: \(line(number))\n\n"
      if !stream.isFrozen, stream.dice.below(40) == 0 {
        let part = event.prefix(1 + stream.dice.below(event.count - 1))
        steps.append(.text(String(part)))
        return steps + (stream.dice.below(2) == 0 ? [.pause(milliseconds: 600), .close] : [.reset])
      }
      steps.append(.text(event))
    }
    switch stream.dice.below(4) {
    case 0 where !stream.isFrozen: steps += [.pause(milliseconds: 600), .close]
    case 1: steps += [.pause(milliseconds: 20), .text(": still here\n\n"), .pause(milliseconds: 20), .close]
    case 2: steps.append(.reset)
    default: steps.append(.close)
    }
    return steps
  }

  /// A run that ends while the server is silent has a source that fails.
  func mayFail(_ lastWords: String) -> Bool { lastWords.contains("events") }

  func prepareEnd() { server.stream.withLock { $0.isFrozen = true } }

  var isSettled: Bool { place.logLines("log.jsonl").count >= server.stream.withLock { $0.count } }

  func verdict() -> Verdict {
    Verdict.comparing(
      place.logLines("log.jsonl"), with: (1...server.stream.withLock { $0.count }).map(Self.line),
      in: "log.jsonl")
  }
}
