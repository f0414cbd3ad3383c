/// What a comparison with the truth has found.
struct Verdict {
  /// What was compared: lines, or events.
  var count = 0
  var lost = 0
  var doubled = 0
  /// Lines that are not whole, or are no line of the truth at all.
  var torn = 0
  /// Told again with the same id, as is allowed of commands.
  var repeated = 0
  /// How often the server was killed that has the events.
  var serverKills = 0
  /// All that was wrong, the first of each kind.
  var findings: [String] = []

  var isGood: Bool { lost == 0 && doubled == 0 && torn == 0 && findings.isEmpty }

  mutating func add(_ other: Verdict) {
    count += other.count
    lost += other.lost
    doubled += other.doubled
    torn += other.torn
    repeated += other.repeated
    serverKills += other.serverKills
    findings += other.findings
  }

  /// Lines that are to be those of the truth, each once and in order.
  static func comparing(_ lines: [String], with truth: [String], in name: String) -> Verdict {
    var verdict = Verdict(count: truth.count)
    if lines == truth { return verdict }
    var left: [String: Int] = [:]
    for line in truth { left[line, default: 0] += 1 }
    for line in lines {
      guard let count = left[line] else {
        verdict.torn += 1
        continue
      }
      if count == 0 { verdict.doubled += 1 } else { left[line] = count - 1 }
    }
    verdict.lost = left.values.reduce(0, +)
    let same = zip(lines, truth).prefix { $0 == $1 }.count
    func text(_ lines: [String]) -> String { same < lines.count ? lines[same] : "nothing" }
    verdict.findings = ["\(name), line \(same + 1): \(text(lines)) instead of \(text(truth))"]
    return verdict
  }
}
