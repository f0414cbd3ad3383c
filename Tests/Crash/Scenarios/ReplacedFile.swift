import Foundation
import Reactive

/// A followed file that is replaced or written over in place while nothing runs, and a log that others rename at any
/// time: each line once, in order.
final class ReplacedFile: Scenario {
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

  /// What is in all logs, the one with the first line first.
  ///
  /// Lines that were not committed when their input was replaced are in a file that was set aside, with a notice.
  private var lines: [String] {
    var names = ["log.jsonl"] + (0..<renamed).map { "log.jsonl-\($0 + 1)" }
    for number in 1... {
      guard place.has("log.jsonl.aside-\(number)") else { break }
      names.append("log.jsonl.aside-\(number)")
    }
    let logs = names.map { place.bytes($0).lines }.filter { !$0.isEmpty }
    func first(_ log: [String]) -> Int { Int(log[0].filter { $0.isNumber }) ?? 0 }
    return logs.sorted { first($0) < first($1) }.flatMap { $0 }
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
