import Foundation

/// A file of many lines → `map`, `filter`, `dedupe`, `scan` → `jsonl`: the same output as one undisturbed run.
///
/// To one file, to one that is rotated, or to seven; and some of it to one more.
final class Bulk: Scenario {
  let place: Place
  let logs: [String]
  private(set) var isOver = false
  /// What each log is to hold.
  private let truth: [[String]]
  private let size: Int
  private static let keys = 2003

  init(_ place: Place, lines: Int, rotates: Bool = false, isSpread: Bool = false) throws {
    self.place = place
    logs = (isSpread ? (0..<7).map { "log-\($0).jsonl" } : ["log.jsonl"]) + ["few.jsonl"]
    let path = isSpread ? #"'log-\(.n % 7).jsonl', max_open: 3"# : "log.jsonl"
    try place.write(
      "p.yaml",
      """
      name: bulk
      epoch: { events: 500, time: 20ms }
      sources:
        lines: { file: in.jsonl }
      steps:
        - map: '{n, k: (.n % \(Self.keys) + (.n / 10000 | floor) * 1000)}'
        - filter: .n % 3 != 0
        - dedupe: .k
        - scan: { init: 0, update: '. + $event.n', emit: '{n: $event.n, sum: .}' }
      sinks:
        log: { jsonl: { path: \(path)\(rotates ? ", rotate: { size: 16KiB, keep: 500 }" : "") } }
        few: { jsonl: { path: few.jsonl, when: .n % 5 == 0 } }

      """)
    try place.write("in.jsonl", (1...lines).map { "{\"n\":\($0)}\n" }.joined())
    let events = Bulk.events(lines)
    func text(_ isThere: (Int) -> Bool) -> [String] {
      events.filter { isThere($0.n) }.map { #"{"n":\#($0.n),"sum":\#($0.sum)}"# }
    }
    truth =
      (isSpread ? (0..<7).map { rest in text { $0 % 7 == rest } } : [text { _ in true }])
      + [text { $0.isMultiple(of: 5) }]
    size = truth.joined().reduce(0) { $0 + $1.utf8.count + 1 }
  }

  private static func events(_ lines: Int) -> [(n: Int, sum: Int)] {
    var known: Set<Int> = []
    var sum = 0
    return (1...lines).compactMap { n in
      guard n % 3 != 0, known.insert(n % keys + n / 10000 * 1000).inserted else { return nil }
      sum += n
      return (n, sum)
    }
  }

  /// A run that has reached its end is not resumed: the next one begins again.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    if end == .exited(0), !wasStopped { isOver = true }
    if logs.reduce(0, { $0 + place.log($1).count }) >= size, !hasPosition { isOver = true }
  }

  private var hasPosition: Bool {
    let show = Process()
    show.executableURL = try? Life.command()
    show.arguments = ["state", "show", "bulk", "lines", "--state", place["state/flow"]]
    show.standardOutput = FileHandle.nullDevice
    show.standardError = FileHandle.nullDevice
    guard (try? show.run()) != nil else { return true }
    show.waitUntilExit()
    return show.terminationStatus == 0
  }

  var isSettled: Bool { false }

  /// By the truth, and byte for byte by what a run in a fresh place writes.
  func verdict() throws -> Verdict {
    var verdict = Verdict()
    for (log, truth) in zip(logs, truth) {
      verdict.add(.comparing(place.logLines(log), with: truth, in: log))
    }
    let fresh = try Place("fresh")
    for name in ["p.yaml", "in.jsonl"] { try place.bytes(name).write(to: URL(fileURLWithPath: fresh[name])) }
    if try Life(fresh, []).end(within: 120) != .exited(0) {
      verdict.findings.append("a run that was not disturbed failed: \(fresh.bytes("errors").lines)")
    }
    for log in logs where fresh.log(log) != place.log(log) {
      verdict.findings.append("a run that was not disturbed writes something else to \(log)")
    }
    return verdict
  }
}
