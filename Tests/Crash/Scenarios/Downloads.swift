import Foundation
import Loopback

/// Polls → `dedupe` → `download`, from a server that breaks off: each file is there, whole as soon as it has its name.
final class Downloads: Scenario {
  let place: Place
  let logs: [String] = []
  private let site: Site
  private(set) var last: Int?
  /// Those that were looked at as soon as they had their names.
  private var seen: Set<String> = []
  private var torn: [String] = []

  init(_ place: Place) throws {
    self.place = place
    let tries = Tries()
    site = try Site { request in
      guard let number = Int(request.target.dropFirst()) else { return [.reply("", status: "404 Not Found")] }
      return Self.answer(number, request, isFirst: tries.next(number) == 1)
    }
    try place.write(
      "p.yaml",
      """
      name: downloads
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {id: ($p + .)}'
          every: 20ms
      steps:
        - dedupe: .id
      sinks:
        get:
          download:
            url: '"\(site.url)/\\(.id)"'
            path: 'files/\\(.id)'
            attempts: 50
            backoff: 10ms
            queue: 8

      """)
  }

  /// What a file is to have in it.
  private static func whole(_ number: Int) -> [UInt8] {
    let size = number % 11 == 0 ? 0 : number % 5 * 9000 + 100
    return (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31 >> 3) &+ number) }
  }

  private static func answer(
    _ number: Int, _ request: LoopbackServer.Received, isFirst: Bool
  ) -> [LoopbackServer.Step] {
    let bytes = whole(number)
    let tag = "ETag: \"\(number)\""
    var start = 0
    if let range = request.headers["range"], request.headers["if-range"] == "\"\(number)\"" {
      start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
      if start >= bytes.count {
        let length = "Content-Range: bytes */\(bytes.count)"
        return [.reply("", status: "416 Range Not Satisfiable", [length])]
      }
    }
    var head = ["HTTP/1.1 200 OK", tag, "Content-Length: \(bytes.count - start)"]
    if start > 0 {
      head[0] = "HTTP/1.1 206 Partial Content"
      head.append("Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
    }
    var steps: [LoopbackServer.Step] = [.text(head.joined(separator: "\r\n") + "\r\n\r\n")]
    while start < bytes.count {
      let end = min(start + 7000, bytes.count)
      steps += [.send(Array(bytes[start..<end])), .pause(milliseconds: 1)]
      start = end
      if isFirst, number % 3 == 0 { return steps + [.reset] }
    }
    return steps
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: place["files"])) ?? []
  }

  func tend(_ life: Life?) {
    for name in names where !name.contains(".") && seen.insert(name).inserted {
      if let number = Int(name), [UInt8](place.bytes("files/\(name)")) != Self.whole(number) {
        torn.append(name)
      }
    }
  }

  func prepareEnd() { last = (site.received.compactMap { Int($0.target.dropFirst()) }.max() ?? 0) + 30 }

  var isSettled: Bool {
    let names = Set(names)
    return (1...(last ?? 0) + 2).allSatisfy { names.contains("\($0)") }
  }

  func verdict() -> Verdict {
    var verdict = Verdict(count: (last ?? 0) + 2)
    if !torn.isEmpty { verdict.findings.append("\(torn[0]) had its name before it was whole") }
    for number in 1...verdict.count {
      if !place.has("files/\(number)") {
        verdict.lost += 1
      } else if [UInt8](place.bytes("files/\(number)")) != Self.whole(number) {
        verdict.torn += 1
      }
    }
    if verdict.lost + verdict.torn > 0 { verdict.findings.append("there are files that are not whole") }
    let parts = names.filter { $0.contains(".") }.sorted()
    if let first = parts.first { verdict.findings.append("\(first) is left over") }
    return verdict
  }
}
