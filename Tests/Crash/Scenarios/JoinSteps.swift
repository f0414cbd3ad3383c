import Foundation
import Loopback
import Store

/// Two files that grow and are rotated → `join`, and `enrich` from a server that fails now and then → `jsonl`.
///
/// Each event once, in order, with what the other file has said of its key, never anything older than before. An event
/// whose lookup is refused is a dead letter, once.
final class JoinSteps: Scenario {
  let place: Place
  let logs = ["joined.jsonl", "enriched.jsonl"]
  private let site: Site
  private let own: GrowingFile
  private let other: GrowingFile
  private var isEnding = false

  init(_ place: Place) throws {
    self.place = place
    let tries = Tries()
    site = try Site { request in
      guard let number = Int(request.target.dropFirst()) else { return [.reply("", status: "404 Not Found")] }
      let isFirst = tries.next(number) == 1
      switch number % 44 {
      case 0 where isFirst: return [.reply("", status: "503 Service Unavailable", ["Retry-After: 0"])]
      case 4 where isFirst: return [.reset]
      case 8: return [.reply("", status: "400 Bad Request")]
      default: return [.pause(milliseconds: number % 5), .reply("{\"square\":\(number * number)}")]
      }
    }
    try place.write(
      "p.yaml",
      """
      name: joined
      sources:
        own: { file: { path: own.jsonl, follow: true } }
        other: { file: { path: other.jsonl, follow: true } }
      streams:
        joined: { from: own, steps: [ { join: { with: other, key: .k, as: o } }, { map: '{n, v: .o.v}' } ] }
        enriched:
          from: own
          steps:
            - filter: .n % 4 == 0
            - enrich: { url: '\(site.url)/\\(.n)', with: '{n, square: $answer.square}', cache: 1s }
      sinks:
        own: { from: own, jsonl: own-log.jsonl }
        other: { from: other, jsonl: other-log.jsonl }
        joined: { from: joined, jsonl: { path: joined.jsonl, rotate: { size: 16KiB, keep: 9000 } } }
        enriched: { from: enriched, jsonl: enriched.jsonl, on_error: { dead_letter: dead.jsonl } }

      """)
    own = try GrowingFile("own.jsonl", in: place, seed: 5, most: 4) { "{\"n\":\($0),\"k\":\($0 % 6)}" }
    other = try GrowingFile("other.jsonl", in: place, seed: 6, most: 4) { "{\"v\":\($0),\"k\":\($0 % 6)}" }
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    try own.tend(mayRotate: place.size("own-log.jsonl") > 0)
    try other.tend(mayRotate: place.size("other-log.jsonl") > 0)
  }

  func prepareEnd() throws {
    for file in [own, other] { try file.add(1) }
    isEnding = true
  }

  private var enriched: [String] {
    stride(from: 4, through: own.count, by: 4).filter { $0 % 44 != 8 }.map {
      "{\"n\":\($0),\"square\":\($0 * $0)}"
    }
  }

  /// The numbers of the events whose lookup was refused.
  private var letters: [String] {
    struct Letter: Decodable {
      struct Value: Decodable { var n: Int }
      var value: Value
    }
    let reader = try? StateReader(path: place["state/flow/joined.db"])
    let letters = (try? reader?.deadLetters(limit: 1_000_000)) ?? []
    return letters.map { letter in
      let event = try? JSONDecoder().decode(Letter.self, from: Data(letter.entry.bytes))
      return event.map { "\($0.value.n)" } ?? "torn"
    }
  }

  var isSettled: Bool {
    place.logLines("joined.jsonl").count >= own.count
      && place.logLines("enriched.jsonl").count >= enriched.count
      && place.bytes("other-log.jsonl").lines.count >= other.count
  }

  func verdict() -> Verdict {
    struct Line: Decodable {
      var n: Int
      var v: Int?
    }
    let lines = place.logLines("joined.jsonl").map {
      try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    var verdict = Verdict.comparing(
      lines.map { $0.map { "\($0.n)" } ?? "torn" }, with: own.lines.indices.map { "\($0 + 1)" },
      in: "joined.jsonl")
    var latest: [Int: Int] = [:]
    for case let line? in lines {
      let value = line.v ?? 0
      if value < latest[line.n % 6] ?? 0 {
        verdict.findings.append("joined.jsonl: \(line) has something older than the line of its key before")
      }
      if value != 0, value % 6 != line.n % 6 {
        verdict.findings.append("joined.jsonl: \(line) is of another key")
      }
      latest[line.n % 6] = value
    }
    verdict.add(.comparing(place.logLines("enriched.jsonl"), with: enriched, in: "enriched.jsonl"))
    verdict.add(
      .comparing(
        letters, with: stride(from: 8, through: own.count, by: 44).map { "\($0)" }, in: "dead letters"))
    verdict.add(.comparing(place.logLines("other-log.jsonl"), with: other.lines, in: "other-log.jsonl"))
    return verdict
  }
}
