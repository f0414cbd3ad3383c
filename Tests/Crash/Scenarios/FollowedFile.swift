/// A file that grows and is rotated, also while nothing runs, is followed → `jsonl`, `debounce` and `exec`: each line
/// is there once, in order, of each ten the last one comes out, and every command is run.
final class FollowedFile: Scenario {
  let place: Place
  let logs = ["log.jsonl", "quiet.jsonl"]
  private let input: GrowingFile
  private var isEnding = false

  init(_ place: Place) throws {
    self.place = place
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
    try place.writeTeller()
    input = try GrowingFile("in.jsonl", in: place) { "{\"n\":\($0)}" }
  }

  private var count: Int { input.count }

  func tend(_ life: Life?) throws {
    if !isEnding { try input.tend(mayRotate: place.size("log.jsonl") > 0) }
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
  }

  var isSettled: Bool {
    place.bytes("log.jsonl").count { $0 == 0x0a } >= count && lost.isEmpty
  }

  private func line(_ n: Int) -> String { "{\"n\":\(n),\"twice\":\(2 * n)}" }

  /// What must have come out beside the log.
  private var lost: [String] {
    let quiet = Set(place.logLines("quiet.jsonl"))
    let told = place.told.texts
    let lasts = (0...count / 10).map { min($0 * 10 + 9, count) }.map { "{\"n\":\($0)}" }
    return lasts.filter { !quiet.contains($0) }
      + stride(from: 50, through: count, by: 50).map(line).filter { !told.contains($0) }
  }

  func verdict() -> Verdict {
    var verdict = Verdict.comparing(place.logLines("log.jsonl"), with: (1...count).map(line), in: "log.jsonl")
    verdict.add(place.told.verdict)
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
