/// Polls by number → `changes` → `jsonl`, to one file, to one that is rotated, or to one a key: each change once, in
/// order.
final class Polls: Scenario {
  let place: Place
  let logs: [String]
  private let isSpread: Bool
  private(set) var last: Int?
  private var truth: [String] = []
  private let pad = String(repeating: "x", count: 100)

  init(_ place: Place, rotating: String? = nil, isSpread: Bool = false) throws {
    self.place = place
    self.isSpread = isSpread
    logs = isSpread ? (0..<6).map { "log-\($0).jsonl" } : ["log.jsonl"]
    let path = isSpread ? #"'log-\(.key).jsonl', max_open: 2"# : "log.jsonl"
    try place.write(
      "p.yaml",
      """
      name: polls
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(6) | select(($p + .) % 5 != 0)
            | {id: ., n: (($p + .) / 3 | floor), pad: "\(pad)"}'
          every: 5ms
      steps:
        - changes: { key: .id, first: emit }
      sinks:
        log: { jsonl: { path: \(path)\(rotating.map { ", rotate: { \($0) }" } ?? "") } }

      """)
  }

  private var count: Int { logs.reduce(0) { $0 + place.logLines($1).count } }

  func prepareEnd() {
    let count = count
    var polls = 0
    while changes(polls).count < count { polls += 100 }
    last = polls + 60
    truth = changes(polls + 60)
  }

  var isSettled: Bool {
    if isSpread { return count >= truth.count }
    // Old files may be packed, and take long to count.
    return place.bytes("log.jsonl").lines.last.map { withoutTime($0) } == truth.last
  }

  func verdict() -> Verdict {
    var verdict = Verdict()
    for (key, log) in logs.enumerated() {
      let truth = isSpread ? truth.filter { $0.contains("\"key\":\(key),") } : truth
      verdict.add(.comparing(place.logLines(log).map { withoutTime($0) }, with: truth, in: log))
    }
    return verdict
  }

  /// A change without its time, which is the clock's.
  private func withoutTime(_ line: String) -> String {
    guard let start = line.range(of: #""at":""#), let end = line[start.upperBound...].range(of: #"","#) else {
      return line
    }
    return String(line[..<start.lowerBound] + line[end.upperBound...])
  }

  /// The changes of so many polls, without their times.
  private func changes(_ polls: Int) -> [String] {
    var changes: [String] = []
    var known: [Int: Int] = [:]
    guard polls > 0 else { return [] }
    for poll in 1...polls {
      let rows = (0..<6).filter { (poll + $0) % 5 != 0 }
      for id in rows {
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
      for id in 0..<6 where !rows.contains(id) {
        guard let before = known.removeValue(forKey: id) else { continue }
        changes.append(
          #"{"type":"removed","key":\#(id),"before":\#(row(id, before)),"after":null,"diff":[]}"#)
      }
    }
    return changes
  }

  private func row(_ id: Int, _ n: Int) -> String { #"{"id":\#(id),"n":\#(n),"pad":"\#(pad)"}"# }
}
