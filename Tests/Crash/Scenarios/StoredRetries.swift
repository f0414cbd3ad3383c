import Loopback
import Reactive
import Store

/// Polls → `dedupe` → `http`, most of whose requests fail several times, so that each kill leaves stored retries.
///
/// Between two runs the clock steps by an hour, a day or a year: each event is delivered, and only kills repeat one.
final class StoredRetries: Scenario {
  let place: Place
  let logs: [String] = []
  private let site: Site
  private let delivered = Tries()
  private(set) var last: Int?
  private var kills = 0
  private var dice = SplitMix64(seed: 15)
  private var findings: [String] = []
  /// The steps of the clock, in seconds; zero leaves the stored times as they are.
  private static let steps = [0, 3600, -3600, 86_400, -86_400, 31_622_400, -31_622_400]

  init(_ place: Place) throws {
    self.place = place
    let tries = Tries()
    site = try Site { [delivered] request in
      let event = Self.number(request.body) ?? 0
      if event % 5 != 0, tries.next(event) <= 3 { return [.reply("{}", status: "503 Service Unavailable")] }
      _ = delivered.next(event)
      return [.reply("{}")]
    }
    try place.write(
      "p.yaml",
      """
      name: retried
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {id: ($p + .)}'
          every: 10ms
      steps:
        - dedupe: .id
      sinks:
        post: { http: { url: "\(site.url)/hook", attempts: 50, backoff: 20ms, queue: 32 } }

      """)
  }

  /// Stores later or earlier times, as a clock would have that was ahead or behind during the run.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    if end == .killed { kills += 1 }
    let step = Self.steps[dice.below(Self.steps.count)]
    guard step != 0, place.has("state/flow/retried.db") else { return }
    do {
      let state = try Database(path: place["state/flow/retried.db"])
      // A process that was killed early has made no tables yet.
      let tables = try state.statement("SELECT count(*) FROM sqlite_master WHERE name = 'outbox'")
      let isMade = try tables.step() && tables.integer(0) > 0
      tables.reset()
      if isMade { try state.execute("UPDATE outbox SET due = due + \(step) WHERE attempts > 0") }
    } catch {
      findings.append("the stored times could not be changed: \(error)")
    }
  }

  func prepareEnd() { last = (events.max() ?? 0) + 20 }

  var isSettled: Bool {
    let events = events
    return (1...(last ?? 0) + 2).allSatisfy { events.contains($0) }
  }

  private var events: Set<Int> { Set(delivered.all.keys) }

  private static func number(_ body: [UInt8]) -> Int? {
    let text = String(decoding: body, as: UTF8.self)
    guard text.hasPrefix(#"{"id":"#), text.hasSuffix("}") else { return nil }
    return Int(text.dropFirst(6).dropLast())
  }

  func verdict() -> Verdict {
    let lines = site.received.map {
      "\($0.headers["idempotency-key"] ?? "") \(String(decoding: $0.body, as: UTF8.self))"
    }
    // Attempts that failed are among the requests, with the id of the one that did not.
    var verdict = ToldEvents(lines, in: "what was posted").verdict
    verdict.findings += findings
    verdict.count = (last ?? 0) + 2
    let delivered = delivered.all
    let lost = (1...verdict.count).filter { delivered[$0] == nil }
    verdict.lost = lost.count
    if let first = lost.first { verdict.findings.append("event \(first) was never delivered") }
    let often = delivered.filter { $0.value > 1 + kills }
    verdict.doubled += often.count
    if let (event, count) = often.min(by: { $0.key < $1.key }) {
      verdict.findings.append("event \(event) was delivered \(count) times, with \(kills) kills")
    }
    return verdict
  }
}
