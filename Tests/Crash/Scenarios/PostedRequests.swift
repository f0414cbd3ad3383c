import Loopback
import Reactive

/// Polls → `dedupe` → `http`, some of whose requests fail at first, or have no answer: each event at least once, repeats
/// with the same id.
final class PostedRequests: Scenario {
  let place: Place
  let logs: [String] = []
  private let site: Site
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    let tries = Tries()
    site = try Site { request in
      let event = Self.number(request.body) ?? 0
      switch (event % 7, tries.next(event)) {
      case (3, 1): return [.reply("{}", status: "503 Service Unavailable")]
      case (5, 1): return [.reset]
      default: return [.pause(milliseconds: event % 3), .reply("{}")]
      }
    }
    try place.write(
      "p.yaml",
      """
      name: posted
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {id: ($p + .)}'
          every: 10ms
      steps:
        - dedupe: .id
      sinks:
        tell: { http: { url: "\(site.url)/hook", attempts: 50, backoff: 10ms, queue: 8 } }

      """)
  }

  func prepareEnd() { last = (events.max() ?? 0) + 60 }

  var isSettled: Bool { events.contains((last ?? 0) + 2) }

  private var events: [Int] { site.received.compactMap { Self.number($0.body) } }

  private static func number(_ body: [UInt8]) -> Int? {
    let text = String(decoding: body, as: UTF8.self)
    guard text.hasPrefix(#"{"id":"#), text.hasSuffix("}") else { return nil }
    return Int(text.dropFirst(6).dropLast())
  }

  func verdict() -> Verdict {
    let lines = site.received.map {
      "\($0.headers["idempotency-key"] ?? "") \(String(decoding: $0.body, as: UTF8.self))"
    }
    var verdict = ToldEvents(lines, in: "what was posted").verdict
    let events = Set(events)
    verdict.count = (last ?? 0) + 2
    let lost = (1...verdict.count).filter { !events.contains($0) }
    verdict.lost = lost.count
    if let first = lost.first { verdict.findings.append("event \(first) was never posted") }
    return verdict
  }
}

/// How often something was asked for.
final class Tries: Sendable {
  private let counts = Locked<[Int: Int]>([:])

  var all: [Int: Int] { counts.withLock { $0 } }

  /// Counted from one.
  func next(_ number: Int) -> Int {
    counts.withLock { counts in
      counts[number, default: 0] += 1
      return counts[number] ?? 0
    }
  }
}
