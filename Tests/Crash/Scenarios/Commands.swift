/// Polls → `dedupe` → `exec`, some of whose runs fail at first: each event at least once, repeats with the same id.
final class Commands: Scenario {
  let place: Place
  let logs: [String] = []
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: commands
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {id: ($p + .)}'
          every: 10ms
      steps:
        - dedupe: .id
      sinks:
        tell: { exec: { command: [sh, tell.sh], attempts: 5, backoff: 10ms, queue: 8 } }

      """)
    // Every fourth event fails twice. Its output is one write.
    try place.write(
      "tell.sh",
      """
      event=$(cat)
      n=${event#*:}
      n=${n%\\}}
      if [ $((n % 4)) = 0 ]; then
        for try in 1 2; do mkdir "try.$n.$try" 2>/dev/null && exit 1; done
      fi
      printf '%s %s\\n' "$FLOW_EVENT_ID" "$event" >>told

      """)
  }

  func prepareEnd() { last = (told.map(\.event).max() ?? 0) + 60 }

  var isSettled: Bool { told.contains { $0.event == (last ?? 0) + 2 } }

  private var told: [(id: String, event: Int)] { place.bytes("told").lines.compactMap { Told($0)?.numbered } }

  func verdict() -> Verdict {
    var verdict = place.told.verdict
    let events = Set(told.map(\.event))
    verdict.count = (last ?? 0) + 2
    let lost = (1...verdict.count).filter { !events.contains($0) }
    verdict.lost = lost.count
    if let first = lost.first { verdict.findings.append("event \(first) was never told") }
    var known: Set<Int> = []
    let firsts = told.map(\.event).filter { known.insert($0).inserted }
    if firsts != firsts.sorted() {
      let place = zip(firsts, firsts.dropFirst()).first { $0 > $1 }
      verdict.findings.append("told out of order: \(place.map { "\($0.0) before \($0.1)" } ?? "")")
    }
    return verdict
  }
}

extension Told {
  /// Of an event `{"id":7}`.
  fileprivate var numbered: (id: String, event: Int)? {
    guard text.hasPrefix(#"{"id":"#), text.hasSuffix("}"), let event = Int(text.dropFirst(6).dropLast())
    else {
      return nil
    }
    return (id, event)
  }
}
