import Foundation
import Loopback
import Reactive

/// Polls of a server that fails in many ways → `changes` → `jsonl`, `exec` and `http`: the changes lead from one to the
/// next without a gap up to what the server has, and each is run and posted with one id.
final class FaultyPolls: Scenario {
  /// What the server has.
  private final class Feed: Sendable { let rows = Locked(Rows()) }

  private struct Rows: Sendable {
    // A run that is killed before its first poll has something to report at the end.
    var rows = [1: 1, 2: 2, 3: 3]
    var dice = SplitMix64(seed: 4)
    var isFrozen = false
  }

  let place: Place
  let logs: [String] = []
  private let site: Site
  private let feed = Feed()

  init(_ place: Place) throws {
    self.place = place
    let tries = Tries()
    site = try Site { [feed] request in
      if request.method == "POST" {
        return tries.next(request.body.count) % 9 == 0 ? [.reset] : [.reply("{}")]
      }
      return feed.rows.withLock { Self.answer(&$0) }
    }
    try place.write(
      "p.yaml",
      """
      name: fed
      sources: { feed: { http: { url: "\(site.url)/rows", rows: '.results[]' }, every: 30ms } }
      steps:
        - changes: { key: .id, first: emit }
        - map: 'del(.at) | . + {diff: (.diff | length)}'
      sinks:
        log: { jsonl: { path: log.jsonl, rotate: { size: 16KiB, keep: 9999 } } }
        tell: { exec: { command: [sh, tell.sh], concurrency: 2 } }
        web: { http: { url: "\(site.url)/hook", attempts: 50, backoff: 10ms } }

      """)
    try place.writeTeller()
  }

  /// Changes some rows, and answers with them, or with something that is no list of them.
  private static func answer(_ feed: inout Rows) -> [LoopbackServer.Step] {
    if !feed.isFrozen {
      for _ in 0..<feed.dice.below(4) {
        let id = feed.dice.below(30)
        if feed.rows[id] != nil, feed.dice.below(5) == 0 {
          feed.rows[id] = nil
        } else {
          feed.rows[id] = feed.dice.below(1_000_000)
        }
      }
    }
    let rows = feed.rows.sorted { $0.key < $1.key }.map { "{\"id\":\($0.key),\"v\":\($0.value)}" }
    let body = "{\"results\":[\(rows.joined(separator: ","))]}"
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    switch feed.isFrozen ? 99 : feed.dice.below(40) {
    case 0: return [.reply("", status: "500 Internal Server Error")]
    case 1: return [.text(head + body.prefix(body.count / 2)), .close]
    case 2: return [.reply("<html>error</html>")]
    case 3: return [.reply(String(body.dropLast(3)))]
    case 4: return [.pause(milliseconds: 200), .reply(body)]
    case 5: return [.reply("", status: "429 Too Many Requests", ["Retry-After: 0"])]
    case 6: return [.reply("{\"results\": null}")]
    case 7: return [.reply("{\"error\": \"come back later\"}")]
    case 8: return [.text("HTTP/1.1 204 No Content\r\n\r\n")]
    case 9: return [.reset]
    default: return [.reply(body)]
    }
  }

  func prepareEnd() { feed.rows.withLock { $0.isFrozen = true } }

  private var lines: [String] { place.logLines("log.jsonl") }
  private var told: [String] { place.bytes("told").lines }
  private var posted: [String] {
    site.received.filter { $0.method == "POST" }.map {
      "\($0.headers["idempotency-key"] ?? "") \(String(decoding: $0.body, as: UTF8.self))"
    }
  }

  private struct Change: Decodable {
    struct Row: Decodable, Equatable {
      var id: Int
      var v: Int
    }
    var key: Int
    var before: Row?
    var after: Row?
  }

  private static func change(_ line: String) -> Change? {
    try? JSONDecoder().decode(Change.self, from: Data(line.utf8))
  }

  private func rows(_ lines: [String]) -> [Int: Int] {
    var rows: [Int: Int] = [:]
    for case let change? in lines.map(Self.change) { rows[change.key] = change.after?.v }
    return rows
  }

  var isSettled: Bool {
    let lines = lines
    return rows(lines) == feed.rows.withLock { $0.rows }
      && [told, posted].allSatisfy { ToldEvents($0, in: "").texts.isSuperset(of: lines) }
  }

  func verdict() -> Verdict {
    let lines = lines
    var verdict = Verdict(count: lines.count)
    var known: [Int: Change.Row] = [:]
    for line in lines {
      guard let change = Self.change(line) else {
        verdict.torn += 1
        continue
      }
      if change.before != known[change.key] {
        verdict.doubled += change.after == known[change.key] ? 1 : 0
        verdict.findings.append(
          "log.jsonl: \(line) follows \(known[change.key].map { "\($0)" } ?? "nothing")")
      }
      known[change.key] = change.after
    }
    if known.mapValues(\.v) != feed.rows.withLock({ $0.rows }) {
      verdict.findings.append("the changes do not lead to what the server has")
    }
    for (name, outputs) in [("told", told), ("posted", posted)] {
      // A change may come back: then it has two ids, and is not compared by its text.
      let texts = ToldEvents(outputs, in: name).texts
      let ids = Dictionary(grouping: outputs.compactMap(Told.init), by: \.id)
      for (id, told) in ids where Set(told).count > 1 {
        verdict.findings.append("\(name): \(id) is the id of \(Set(told.map(\.text)))")
      }
      let lost = Set(lines).subtracting(texts)
      verdict.lost += lost.count
      if let first = lost.first { verdict.findings.append("\(first) was never \(name)") }
      if let extra = texts.subtracting(lines).first {
        verdict.findings.append("\(extra) was \(name) and is not in log.jsonl")
      }
    }
    return verdict
  }
}
