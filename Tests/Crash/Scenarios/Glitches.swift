/// Polls with glitches → `changes` → `jsonl`: a poll that lacks most rows is held back, and a removal needs two polls.
///
/// Every seventh poll has two rows of twelve; each row is missing from every fifth poll, and one is away for long.
final class Glitches: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  private static let rows = 12
  private(set) var last: Int?
  private var truth: [String] = []

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: glitches
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(\(Self.rows))
            | select(if $p % 7 == 3 then . < 2 else ($p + .) % 5 != 0 and (. != 11 or $p % 40 < 20) end)
            | {id: ., n: (($p + .) / 3 | floor)}'
          every: 5ms
      steps:
        - changes: { key: .id, first: emit, removed_after: 2, sudden_loss: { share: 50%, rows: 5 } }
      sinks:
        log: { jsonl: log.jsonl }

      """)
  }

  func prepareEnd() {
    let count = place.logLines("log.jsonl").count
    var polls = 0
    while changes(polls, last: .max).count < count { polls += 70 }
    // A last poll that is repeated without end must not be a glitch.
    let end = (polls / 7 + 10) * 7 + 5
    last = end
    truth = changes(end + 5, last: end)
  }

  var isSettled: Bool { place.bytes("log.jsonl").lines.last.map { withoutTime($0) } == truth.last }

  func verdict() -> Verdict {
    .comparing(place.logLines("log.jsonl").map { withoutTime($0) }, with: truth, in: "log.jsonl")
  }

  private func withoutTime(_ line: String) -> String {
    guard let start = line.range(of: #""at":""#), let end = line[start.upperBound...].range(of: #"","#) else {
      return line
    }
    return String(line[..<start.lowerBound] + line[end.upperBound...])
  }

  /// The changes of so many polls, without their times.
  private func changes(_ polls: Int, last: Int) -> [String] {
    var changes: [String] = []
    var known: [Int: Int] = [:]
    var missing: [Int: Int] = [:]
    guard polls > 0 else { return [] }
    for poll in (1...polls).map({ min($0, last) }) {
      let isGlitch = poll % 7 == 3
      let rows = (0..<Self.rows).filter { id in
        isGlitch ? id < 2 : (poll + id) % 5 != 0 && (id != 11 || poll % 40 < 20)
      }
      // The first polls have too few rows for a loss.
      if isGlitch, known.count - missing.count >= 5 { continue }
      for id in rows {
        missing[id] = nil
        let n = (poll + id) / 3
        guard let before = known.updateValue(n, forKey: id) else {
          changes.append(#"{"type":"added","key":\#(id),"before":null,"after":\#(row(id, n)),"diff":[]}"#)
          continue
        }
        if before == n { continue }
        changes.append(
          #"{"type":"changed","key":\#(id),"before":\#(row(id, before)),"after":\#(row(id, n)),"#
            + #""diff":[{"path":"/n","before":\#(before),"after":\#(n)}]}"#)
      }
      for id in known.keys.sorted() where !rows.contains(id) {
        missing[id, default: 0] += 1
        guard missing[id] == 2, let before = known.removeValue(forKey: id) else { continue }
        missing[id] = nil
        changes.append(
          #"{"type":"removed","key":\#(id),"before":\#(row(id, before)),"after":null,"diff":[]}"#)
      }
    }
    return changes
  }

  private func row(_ id: Int, _ n: Int) -> String { #"{"id":\#(id),"n":\#(n)}"# }
}
