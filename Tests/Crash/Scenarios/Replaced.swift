import Foundation
import Reactive

/// A followed file that is replaced or written over in place while nothing runs, and a log that others rename at any
/// time: each line once, in order.
final class Replaced: Scenario {
  let place: Place
  let logs: [String] = []
  private var count = 0
  private var renamed = 0
  private var isEnding = false
  private var dice = SplitMix64(seed: 11)

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: replaced
      epoch: { events: 100, time: 20ms }
      sources: { input: { file: { path: in.jsonl, follow: true } } }
      sinks: { log: { jsonl: log.jsonl } }

      """)
    try place.write("in.jsonl", "")
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    switch dice.below(60) {
    case 0..<10: try place.append("in.jsonl", next(1 + dice.below(20)))
    case 10 where place.has("log.jsonl"):
      renamed += 1
      rename(place["log.jsonl"], place["log.jsonl-\(renamed)"])
    case 11..<40 where life == nil && lines.count == count && count > 0:
      // What was not read would be lost with the file.
      let isReplaced = dice.below(2) == 0
      if isReplaced { unlink(place["in.jsonl"]) }
      // At least as long as before, or it would be known by its length.
      let size = place.size("in.jsonl")
      var text = next(1)
      while text.utf8.count < size { text += next(10) }
      let file = open(place["in.jsonl"], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      defer { close(file) }
      _ = text.withCString { write(file, $0, strlen($0)) }
    default: break
    }
  }

  private func next(_ lines: Int) -> String {
    let first = count + 1
    count += lines
    return (first...count).map { "{\"n\":\($0)}\n" }.joined()
  }

  /// What is in all logs, the first one first; a log that another was begun beside is behind it.
  private var lines: [String] {
    let old = renamed > 0 ? (1...renamed).flatMap { place.bytes("log.jsonl-\($0)").lines } : []
    return old + place.bytes("log.jsonl").lines
  }

  func prepareEnd() throws {
    try place.append("in.jsonl", next(1))
    isEnding = true
  }

  var isSettled: Bool { lines.count >= count }

  func verdict() -> Verdict {
    .comparing(lines, with: (1...count).map { "{\"n\":\($0)}" }, in: "log.jsonl and those it was before")
  }
}
