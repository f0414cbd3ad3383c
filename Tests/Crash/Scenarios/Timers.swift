/// Polls → `debounce` and `remind` → `jsonl` and `exec`: whatever waits comes out, once in a log.
final class Timers: Scenario {
  let place: Place
  let logs = ["quiet.jsonl", "near.jsonl"]
  private static let row = 8
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: timers
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '$meta.poll - 1 | select(. < $vars.last)
            | {id: ., key: (. / \(Self.row) | floor), v: (. % \(Self.row)), due: ($now + 0.15)}'
          every: 25ms
      streams:
        quiet:
          from: made
          steps:
            - debounce: { key: .key, for: 60ms }
            - map: '"\\(.key) \\(.v)"'
        near:
          from: made
          steps:
            - remind: { key: .id, at: .due, before: [50ms, 0s], when_missing: fire }
            - map: '"\\(.key) \\(.lead)"'
      sinks:
        quiet_log: { jsonl: quiet.jsonl, from: quiet }
        quiet_tell: { exec: { command: [sh, tell.sh, quiet.told, '\\(.)'], stdin: none }, from: quiet }
        near_log: { jsonl: near.jsonl, from: near }
        near_tell: { exec: { command: [sh, tell.sh, near.told, '\\(.)'], stdin: none }, from: near }

      """)
    try place.write("tell.sh", "printf '%s %s\\n' \"$FLOW_EVENT_ID\" \"$2\" >>\"$1\"\n")
  }

  func prepareEnd() {
    let events = place.logLines("near.jsonl").compactMap { Pair($0)?.number }
    last = ((events.max() ?? 0) / Self.row + 5) * Self.row
  }

  var isSettled: Bool { lost(quiet: lines("quiet"), near: lines("near")).isEmpty && lostOfCommands.isEmpty }

  private func lines(_ name: String) -> Set<String> {
    Set(place.logLines("\(name).jsonl").map { String($0.dropFirst().dropLast()) })
  }

  /// What must come out and has not: of each key its last value, of each time the reminder at it; the one before it is
  /// dropped where a run that was killed has slept past the time.
  private func lost(quiet: Set<String>, near: Set<String>) -> [String] {
    let last = last ?? 0
    let values = (0..<last / Self.row).map { "\($0) \(Self.row - 1)" }.filter { !quiet.contains($0) }
    let reminders = (0..<last).map { "\($0) 0s" }.filter { !near.contains($0) }
    return values + reminders
  }

  /// What is in a log and was told by no command.
  private var lostOfCommands: [String] {
    ["quiet", "near"].flatMap { name in
      let told = ToldEvents(place.bytes("\(name).told").lines, in: name).texts
      return lines(name).filter { !told.contains($0) }
    }
  }

  func verdict() -> Verdict {
    var verdict = Verdict()
    for name in ["quiet", "near"] {
      var known: Set<String> = []
      var latest: [Int: Int] = [:]
      for line in place.logLines("\(name).jsonl") {
        guard let pair = Pair(line) else {
          verdict.torn += 1
          verdict.findings.append("\(name).jsonl has the line \(line)")
          continue
        }
        verdict.count += 1
        if !known.insert(line).inserted {
          verdict.doubled += 1
          verdict.findings.append("\(name).jsonl has \(line) twice")
        }
        if let value = Int(pair.text), let before = latest.updateValue(value, forKey: pair.number),
          before > value
        {
          verdict.findings.append("\(name).jsonl has \(line) behind a later value of its key")
        }
      }
      let told = ToldEvents(place.bytes("\(name).told").lines, in: "\(name).told")
      verdict.add(told.verdict)
      let unknown = told.texts.subtracting(lines(name))
      if let first = unknown.first {
        verdict.findings.append("\(first) was told, and is not in \(name).jsonl")
      }
    }
    let lost = lost(quiet: lines("quiet"), near: lines("near")) + lostOfCommands
    verdict.lost = lost.count
    if let first = lost.first { verdict.findings.append("\(first) did not come out") }
    return verdict
  }
}

/// A line `"12 0s"`: a number, and what of it.
private struct Pair {
  let number: Int
  let text: String

  init?(_ line: String) {
    guard line.count > 2, line.first == "\"", line.last == "\"" else { return nil }
    let parts = line.dropFirst().dropLast().split(separator: " ")
    guard parts.count == 2, let number = Int(parts[0]) else { return nil }
    self.number = number
    text = String(parts[1])
  }
}
