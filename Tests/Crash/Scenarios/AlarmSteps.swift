/// Polls → `alarm` and `timeout` by key → `jsonl`: each alarm is raised once and cleared once, each key falls silent.
final class AlarmSteps: Scenario {
  let place: Place
  let logs = ["alarms.jsonl", "silent.jsonl"]
  private static let rows = 8
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: alarmed
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '$meta.poll - 1 | select(. < $vars.last)
            | {key: (. / \(Self.rows) | floor), v: (. % \(Self.rows))}'
          every: 10ms
      streams:
        alarms:
          from: made
          steps:
            - alarm: { key: .key, when: .v > 2, clear: .v == 7 }
            - map: '"\\(.key) \\(.type)"'
        silent:
          from: made
          steps:
            - timeout: { for: 300ms, key: .key, pass: false }
            - map: '"\\(.key) \\(.type)"'
      sinks:
        alarms: { jsonl: alarms.jsonl, from: alarms }
        silent: { jsonl: silent.jsonl, from: silent }

      """)
  }

  func prepareEnd() {
    last = ((histories("alarms").keys.max() ?? 0) + 5) * Self.rows
  }

  var isSettled: Bool { missing.isEmpty }

  /// What each key has come to, in order.
  private func histories(_ name: String) -> [Int: [String]] {
    var histories: [Int: [String]] = [:]
    for line in place.logLines("\(name).jsonl") {
      let parts = line.dropFirst().dropLast().split(separator: " ")
      guard parts.count == 2, let key = Int(parts[0]) else { continue }
      histories[key, default: []].append(String(parts[1]))
    }
    return histories
  }

  /// Keys whose alarm is not over, and keys that have not been missed.
  private var missing: [String] {
    let (alarms, silent) = (histories("alarms"), histories("silent"))
    return (0..<(last ?? 0) / Self.rows).flatMap { key in
      (alarms[key]?.last == "cleared" ? [] : ["the alarm of \(key) was not cleared"])
        + (silent[key]?.last == "silent" ? [] : ["\(key) has not fallen silent"])
    }
  }

  func verdict() -> Verdict {
    var verdict = Verdict()
    for (key, history) in histories("alarms") {
      verdict.count += history.count
      if history != ["raised", "cleared"] {
        verdict.findings.append("the alarm of \(key): \(history.joined(separator: ", "))")
      }
    }
    // A busy machine may let a key fall silent between two of its rows; then it is back, once.
    for (key, history) in histories("silent") {
      verdict.count += history.count
      for (number, type) in history.enumerated() where type != (number.isMultiple(of: 2) ? "silent" : "back")
      {
        verdict.doubled += 1
        verdict.findings.append("\(key): \(history.joined(separator: ", "))")
        break
      }
    }
    verdict.lost = missing.count
    if let first = missing.first { verdict.findings.append(first) }
    return verdict
  }
}
