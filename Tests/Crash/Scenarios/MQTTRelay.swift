import Foundation
import Reactive
import TestSupport

/// A file that grows → `mqtt` → a server that is restarted and frozen too → `mqtt` → `dedupe` → `jsonl`: each line arrives, and what
/// comes twice is the same message.
final class MQTTRelay: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  private let server: MQTTServer
  private let input: GrowingFile
  private var troubles: Troubles
  private var isEnding = false
  private var isComplete = false
  /// Whether the server keeps messages for the pipeline.
  private var isKnown = false

  init(_ place: Place) throws {
    self.place = place
    let server = try MQTTServer()
    self.server = server
    troubles = Troubles(
      oneIn: 300, longest: (away: 100, frozen: 1500), kill: server.stop, start: { try server.start() },
      signal: server.signal)
    try place.write(
      "p.yaml",
      """
      name: relayed
      epoch: { events: 200, time: 50ms }
      sources:
        lines: { file: { path: in.jsonl, follow: true } }
        back: { mqtt: { server: '\(server.url)', topics: t/+ } }
      streams:
        fresh: { from: back, steps: [{ dedupe: .n }] }
      sinks:
        out:
          from: lines
          mqtt: { server: '\(server.url)', topic: 't/\\(.n % 3)', concurrency: 8, attempts: 100, backoff: 10ms, timeout: 1s }
        log: { from: fresh, jsonl: log.jsonl }

      """)
    input = try GrowingFile("in.jsonl", in: place) { "{\"n\":\($0)}" }
  }

  /// A run that begins while the server is away has a source that fails.
  func mayFail(_ lastWords: String) -> Bool { lastWords.contains("mqtt://") }

  func tend(_ life: Life?) throws {
    // A server keeps nothing for topics before they are subscribed to.
    if !isKnown { isKnown = place.bytes("errors").lines.contains { $0.contains("reads t/+ of") } }
    if !isKnown { return }
    if isEnding { return isComplete ? () : try complete() }
    try input.tend(mayRotate: false)
    try troubles.tend()
  }

  func prepareEnd() throws {
    try troubles.end()
    isEnding = true
  }

  /// Adds the last line, and what is missing of the one before it.
  private func complete() throws {
    try input.add(1)
    isComplete = true
  }

  var isSettled: Bool { isComplete && place.logLines("log.jsonl").count >= input.count }

  func verdict() throws -> Verdict {
    // What waits for an answer is published beside what comes after it.
    var verdict = Verdict.comparing(
      place.logLines("log.jsonl").sorted(), with: input.lines.sorted(), in: "log.jsonl")
    verdict.serverKills = troubles.kills
    return verdict
  }
}
