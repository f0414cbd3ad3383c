import Foundation
import Reactive
import TestSupport

/// A file that grows → a `redis` stream, on a server that is killed and frozen too → the `redis` source → `jsonl`.
///
/// Each line comes once, in order, without a step that drops repeats. Beside it the fields of a hash have the last number of
/// their kind.
final class RedisStream: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  private let server: RedisServer
  private let input: GrowingFile
  private var troubles: Troubles
  private var dice = SplitMix64(seed: 1)
  private var isEnding = false
  private var isComplete = false

  init(_ place: Place) throws {
    self.place = place
    let server = try RedisServer()
    self.server = server
    troubles = Troubles(
      oneIn: 300, longest: (away: 100, frozen: 1500), kill: server.stop, start: { try server.start() },
      signal: server.signal)
    try place.write(
      "p.yaml",
      """
      name: stocked
      epoch: { events: 200, time: 50ms }
      sources:
        lines: { file: { path: in.jsonl, follow: true } }
        back: { redis: { server: '\(server.url)', stream: s, field: data } }
      sinks:
        out:
          from: lines
          redis: { server: '\(server.url)', stream: s, attempts: 100, backoff: 10ms, timeout: 1s }
        kept:
          from: lines
          redis: { server: '\(server.url)', hash: h, field: '\\(.n % 7)', body: .n, concurrency: 8, attempts: 100, backoff: 10ms, timeout: 1s }
        log: { from: back, jsonl: log.jsonl }

      """)
    input = try GrowingFile("in.jsonl", in: place) { "{\"n\":\($0)}" }
  }

  func tend(_ life: Life?) throws {
    if isEnding { return isComplete ? () : try complete() }
    // One entry at a time is on its way.
    if dice.below(10) == 0 { try input.tend(mayRotate: false) }
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

  var isSettled: Bool {
    isComplete && place.logLines("log.jsonl").count >= input.count && (try? isKept()) == true
  }

  /// Whether each field has its last number.
  private func isKept() throws -> Bool {
    for rest in 0..<min(7, input.count) {
      let numbers = input.lines.reversed().lazy.compactMap { Int($0.filter(\.isNumber)) }
      let last = numbers.first { $0 % 7 == rest }
      if let last, try server.ask("HGET", "h", "\(rest)") != "\(last)" { return false }
    }
    return true
  }

  func verdict() throws -> Verdict {
    var verdict = Verdict.comparing(place.logLines("log.jsonl"), with: input.lines, in: "log.jsonl")
    verdict.serverKills = troubles.kills
    return verdict
  }
}
