import Foundation
import Reactive

/// A file that grows and is rotated, also while nothing runs, is followed → `jsonl`, `debounce` and `exec`: each line
/// is there once, in order, of each ten the last one comes out, and what must be reported is reported.
final class Followed: Scenario {
  let place: Place
  let logs = ["log.jsonl", "quiet.jsonl"]
  private var count = 0
  private var isInLine = false
  private var isEnding = false
  private var lastRotation = Date()
  private var dice: SplitMix64

  init(_ place: Place) throws {
    self.place = place
    dice = SplitMix64(seed: 1)
    try place.write(
      "p.yaml",
      """
      name: followed
      epoch: { events: 100, time: 20ms }
      sources:
        lines: { file: { path: in.jsonl, follow: true } }
      streams:
        all: { from: lines, steps: [ { map: '{n, twice: (.n * 2)}' } ] }
        quiet: { from: lines, steps: [ { debounce: { key: '.n / 10 | floor', for: 30ms } } ] }
      sinks:
        log: { jsonl: log.jsonl, from: all }
        quiet: { jsonl: quiet.jsonl, from: quiet }
        tell: { exec: { command: [sh, tell.sh], when: .n % 50 == 0 }, from: all }

      """)
    try place.write("tell.sh", "printf '%s %s\\n' \"$FLOW_EVENT_ID\" \"$(cat)\" >>told\n")
    try place.write("in.jsonl", "")
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    switch dice.below(40) {
    case 0..<10: try add(lines: 1 + dice.below(20))
    case 10:
      // The rest of the line comes later.
      try place.append("in.jsonl", isInLine ? "" : "{\"n\":")
      isInLine = true
    // A file that was never read is not known by any other name.
    case 11 where lastRotation.timeIntervalSinceNow < -0.3 && place.size("log.jsonl") > 0: try rotate()
    default: break
    }
  }

  private func add(lines: Int) throws {
    var text = ""
    for _ in 0..<lines {
      count += 1
      text += isInLine ? "\(count)}\n" : "{\"n\":\(count)}\n"
      isInLine = false
    }
    try place.append("in.jsonl", text)
  }

  private func rotate() throws {
    if isInLine { try add(lines: 1) }
    // A last line may have no line break.
    let isCutShort = dice.below(4) == 0
    if isCutShort {
      count += 1
      try place.append("in.jsonl", "{\"n\":\(count)}")
    }
    var number = 1
    while place.has("in.jsonl.\(number)") { number += 1 }
    for number in (1..<number).reversed() {
      rename(place["in.jsonl.\(number)"], place["in.jsonl.\(number + 1)"])
    }
    rename(place["in.jsonl"], place["in.jsonl.1"])
    // A writer that does not know yet, and then a while without a file.
    if !isCutShort, dice.below(2) == 0 {
      count += 1
      try place.append("in.jsonl.1", "{\"n\":\(count)}\n")
    }
    if dice.below(2) == 0 { usleep(5000) }
    try place.write("in.jsonl", "")
    lastRotation = Date()
  }

  func prepareEnd() throws {
    try add(lines: 1)
    isEnding = true
  }

  var isSettled: Bool {
    place.bytes("log.jsonl").count { $0 == 0x0a } >= count && lost.isEmpty
  }

  private func line(_ n: Int) -> String { "{\"n\":\(n),\"twice\":\(2 * n)}" }

  /// What must have come out beside the log.
  private var lost: [String] {
    let quiet = Set(place.logLines("quiet.jsonl"))
    let told = ToldEvents(place.bytes("told").lines, in: "told").texts
    let lasts = (0...count / 10).map { min($0 * 10 + 9, count) }.map { "{\"n\":\($0)}" }
    return lasts.filter { !quiet.contains($0) }
      + stride(from: 50, through: count, by: 50).map(line).filter { !told.contains($0) }
  }

  func verdict() -> Verdict {
    var verdict = Verdict.comparing(place.logLines("log.jsonl"), with: (1...count).map(line), in: "log.jsonl")
    verdict.add(ToldEvents(place.bytes("told").lines, in: "told").verdict)
    verdict.lost += lost.count
    if let first = lost.first { verdict.findings.append("\(first) did not come out") }
    var latest: [Int: Int] = [:]
    for line in place.logLines("quiet.jsonl") {
      guard let n = Int(line.dropFirst(5).dropLast()), line == "{\"n\":\(n)}" else {
        verdict.torn += 1
        verdict.findings.append("quiet.jsonl has the line \(line)")
        continue
      }
      if let before = latest.updateValue(n, forKey: n / 10), before >= n {
        verdict.doubled += before == n ? 1 : 0
        verdict.findings.append("quiet.jsonl has \(n) behind \(before)")
      }
    }
    return verdict
  }
}
