import Foundation

/// Polls → `dedupe` → `feed`: the feed has the last event of each key, and half a file is never visible.
final class Feeds: Scenario {
  let place: Place
  let logs: [String] = []
  private(set) var last: Int?
  private var halves = 0
  private var size = -1

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: feeds
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {n: ($p + .)}'
          every: 10ms
      steps:
        - dedupe: .n
      sinks:
        tell:
          feed: { path: all.atom, key: .n % 10, title: 'number \\(.n)', max_entries: 20 }

      """)
  }

  func tend(_ life: Life?) {
    let bytes = place.bytes("all.atom")
    if bytes.count != size, place.has("all.atom") {
      let text = String(decoding: bytes, as: UTF8.self)
      if !text.hasPrefix("<?xml") || !text.hasSuffix("</feed>\n") { halves += 1 }
    }
    size = bytes.count
  }

  /// The titles of the entries, and their ids.
  private var entries: [String] {
    String(decoding: place.bytes("all.atom"), as: UTF8.self).components(separatedBy: "<entry>").dropFirst()
      .map { entry in
        entry.components(separatedBy: "<title").dropFirst().first?.components(separatedBy: "</title>").first?
          .components(separatedBy: ">").last ?? "nothing"
      }
  }

  func prepareEnd() {
    last = (entries.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.max() ?? 0) + 60
  }

  var isSettled: Bool { entries.contains("number \((last ?? 0) + 2)") }

  func verdict() -> Verdict {
    let count = (last ?? 0) + 2
    var verdict = Verdict.comparing(
      entries.sorted(), with: (max(1, count - 9)...count).map { "number \($0)" }.sorted(), in: "all.atom")
    verdict.count = count
    verdict.torn += halves
    if halves > 0 { verdict.findings.append("all.atom was seen \(halves) times with half of its text") }
    return verdict
  }
}
