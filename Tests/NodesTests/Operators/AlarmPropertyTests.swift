import Expectations
import JSON
import Engine
import Language
import Reactive
import TestScale
import Testing
import Trials

@testable import Nodes

/// `alarm` and `timeout` over random polls, outages and streams: nothing is reported that was not observed, and nothing
/// that was is left out.
///
/// The models below are given all observations at once, and know nothing of timers, deadlines and stored rows.
@Suite struct AlarmPropertyTests {
  /// An answer of a source: the rows of a poll, or events; nil where it failed.
  private struct Answer {
    let at: Duration
    var entry: String?
    let rows: [(key: Int, n: Int)]?

    func scripted(isPoll: Bool) -> ScriptedAnswer {
      let time = at / .seconds(1)
      guard let rows else { return ScriptedAnswer(at: time, .failure("down")) }
      let values = rows.map { Value.record([("k", .number($0.key)), ("n", .number($0.n))]) }
      let notes = entry.map { Value.record([("each", .string($0))]) } ?? .emptyObject
      return ScriptedAnswer(at: time, isPoll ? .poll(values) : .events(values), notes: notes)
    }

    /// The value of a key; nil where there is none.
    func n(of key: Int) -> Int? { rows?.first { $0.key == key }?.n }
  }

  private struct Dice {
    var random: SplitMix64
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Rows of some of three keys, of which most go on as they were.
    mutating func rows(after last: inout [Int: Int], all: Bool) -> [(key: Int, n: Int)] {
      (0..<3).compactMap { key in
        if below(3) == 0 { last[key] = below(10) }
        return all || below(5) > 0 ? last[key].map { (key, $0) } : nil
      }
    }
  }

  private static let keys = 0..<3
  private static let start = "1970-01-01T00:00:00Z"

  /// The outputs of a step, sorted: the time, and the members that are asked for.
  private func outputs(
    of yaml: String, _ answers: [Answer], isPoll: Bool, _ members: [Key]
  ) throws -> [String] {
    var run = ScriptedRun(try Trial.plan(yaml), start: 0)
    run.scripts["input"] = answers.map { $0.scripted(isPoll: isPoll) }
    return try (run.run().heard["out"] ?? []).compactMap { heard in
      heard.value.map { value in
        let at = Duration.milliseconds((heard.at / .milliseconds(1)).rounded())
        return ([DurationText.format(at)] + members.map { "\(value.member($0) ?? .null)" })
          .joined(separator: " ")
      }
    }.sorted()
  }

  private func line(_ at: Duration, _ type: String, key: String? = nil, since: Duration) -> String {
    let key = key.map { [$0] } ?? []
    return
      ([DurationText.format(at), "\"\(type)\""] + key + ["\"\(timestamp(since / .seconds(1)))\""])
      .joined(separator: " ")
  }

  // MARK: - Alarms

  /// A number of polls, or a time.
  private enum Rule {
    case polls(Int)
    case minutes(Int)

    var text: String {
      switch self {
      case .polls(let count): "\(count)"
      case .minutes(let count): "\(count)m"
      }
    }

    /// Whether polls at these times are enough, of a source with a period of ten minutes.
    func isMet(by polls: [Duration]) -> Bool {
      guard let first = polls.first, let last = polls.last else { return false }
      switch self {
      case .polls(let count): return polls.count >= count
      case .minutes(0): return true
      case .minutes(let count):
        return polls.count > 1 && last - first >= .seconds(60 * count) - .seconds(6 * min(count, 10))
      }
    }
  }

  private static let rules = [
    Rule.polls(1), .polls(2), .polls(3), .minutes(0), .minutes(5), .minutes(10), .minutes(25),
  ]

  /// The alarms that a list of good polls of an entry supports.
  private func alarms(
    _ polls: [Answer], of key: Int, _ rising: Rule, _ falling: Rule, carries: Bool
  ) -> [String] {
    var lines: [String] = []
    var (isRaised, since, last) = (false, Duration.zero, Int?.none)
    var row: [Duration] = []
    for poll in polls {
      last = poll.n(of: key) ?? (carries ? last : nil)
      let isSoNow = last.map { isRaised ? $0 < 3 : $0 > 6 } ?? false
      row = isSoNow ? row + [poll.at] : []
      guard (isRaised ? falling : rising).isMet(by: row) else { continue }
      if !isRaised { since = row[0] }
      let key = poll.entry.map { "[\"\($0)\",\(key)]" } ?? "\(key)"
      lines.append(line(poll.at, isRaised ? "cleared" : "raised", key: key, since: since))
      (isRaised, row) = (!isRaised, [])
    }
    return lines
  }

  @Test("alarms of polls: those that good polls show, and no others", arguments: [false, true])
  func polled(sendsDifferences: Bool) throws {
    for seed in UInt64(1)...UInt64(TestScale.count(60)) {
      var dice = Dice(random: SplitMix64(seed: seed))
      let (rising, falling) = (dice.one(of: Self.rules), dice.one(of: Self.rules))
      var answers: [Answer] = []
      for entry in ["a", "b"] {
        var last: [Int: Int] = [:]
        for beat in 0..<40 {
          // Up to half a minute early or late.
          let at = Duration.seconds(600 * beat + 60 + dice.below(61) - 30)
          let isGood = dice.below(3) > 0
          answers.append(
            Answer(at: at, entry: entry, rows: isGood ? dice.rows(after: &last, all: false) : nil))
        }
      }
      answers.sort { $0.at < $1.at }
      let difference = sendsDifferences ? "{ distinct_until_changed: { key: .k, value: .n } }, " : ""
      let found = try outputs(
        of: """
          sources: { input: { generate: 1, every: 10m } }
          steps: [ \(difference){ alarm: { when: .n > 6, clear: .n < 3, key: .k, for: \(rising.text), clear_for: \(falling.text) } } ]
          sinks: { out: { 'null': {} } }
          """, answers, isPoll: true, ["type", "key", "since"])
      let expected = ["a", "b"].flatMap { entry in
        Self.keys.flatMap { key in
          alarms(
            answers.filter { $0.entry == entry && $0.rows != nil }, of: key, rising, falling,
            carries: sendsDifferences)
        }
      }
      expect(found, equals: expected.sorted(), "seed \(seed)")
    }
  }

  @Test("kills and restarts between polls change no alarm", arguments: [false, true])
  func killed(sendsDifferences: Bool) throws {
    for seed in UInt64(1)...UInt64(TestScale.count(8)) {
      var dice = Dice(random: SplitMix64(seed: seed))
      let (rising, falling) = (dice.one(of: Self.rules), dice.one(of: Self.rules))
      var (lines, last) = ([String](), [Int: Int]())
      for beat in 0..<12 {
        let isGood = dice.below(4) > 0
        if isGood {
          for row in dice.rows(after: &last, all: false) {
            lines.append(#"\#(beat * 10)m {"k":\#(row.key),"n":\#(row.n)}"#)
          }
        }
        lines.append("\(beat * 10)m \(isGood ? "poll" : "failure")")
      }
      let difference = sendsDifferences ? "{ distinct_until_changed: { key: .k, value: .n } }, " : ""
      let trial = try KeptTrial(
        Trial.plan(
          """
          name: p
          sources: { input: { generate: 1, every: 10m } }
          steps: [ \(difference){ alarm: { when: .n > 6, clear: .n < 3, key: .k, for: \(rising.text), clear_for: \(falling.text) } } ]
          sinks: { out: { 'null': {} } }
          """), input: lines.joined(separator: "\n"))
      let whole = try trial.run(killedBehind: [])
      let cuts = trial.times.indices.filter { _ in dice.below(2) == 0 }
      try expect(trial.run(killedBehind: cuts), equals: whole, "seed \(seed)")
    }
  }

  @Test("alarms of a stream: what was seen for so long, without the time in which it was down")
  func streamed() throws {
    for seed in UInt64(1)...UInt64(TestScale.count(60)) {
      var dice = Dice(random: SplitMix64(seed: seed))
      let minutes = (rising: dice.one(of: [0, 5, 10, 25]), falling: dice.one(of: [0, 5, 10]))
      var time = Duration.zero
      let answers = (0..<60).map { number in
        time += .seconds(1 + dice.below(600)) + .milliseconds(1)
        let rows = [(key: dice.below(3), n: dice.below(10))]
        return Answer(at: time, rows: dice.below(5) == 0 ? nil : rows)
      }
      let found = try outputs(
        of: """
          sources: { input: stdin }
          steps: [ alarm: { when: .n > 6, clear: .n < 3, key: .k, for: \(minutes.rising)m, clear_for: \(minutes.falling)m } ]
          sinks: { out: { 'null': {} } }
          """, answers, isPoll: false, ["type", "key", "since"])
      let expected = Self.keys.flatMap { key -> [String] in
        var lines: [String] = []
        var (isRaised, since, left) = (false, Duration.zero, Duration?.none)
        for (index, answer) in answers.enumerated() {
          if let n = answer.n(of: key) {
            let isSoNow = isRaised ? n < 3 : n > 6
            if !isSoNow {
              left = nil
            } else if left == nil {
              left = .seconds(60 * (isRaised ? minutes.falling : minutes.rising))
              if !isRaised { since = answer.at }
            }
          }
          guard answer.rows != nil, let time = left else { continue }
          let next = index + 1 < answers.count ? answers[index + 1].at : .seconds(1_000_000)
          if answer.at + time <= next {
            lines.append(line(answer.at + time, isRaised ? "cleared" : "raised", key: "\(key)", since: since))
            (isRaised, left) = (!isRaised, nil)
          } else {
            left = time - (next - answer.at)
          }
        }
        return lines
      }
      expect(found, equals: expected.sorted(), "seed \(seed)")
    }
  }

  // MARK: - Silence

  /// The silences between signs of life, and those of them that have an end.
  private func silences(_ signs: [Duration], from start: Duration?, key: String? = nil) -> [String] {
    let all = (start.map { [$0] } ?? []) + signs
    return all.enumerated().flatMap { index, last -> [String] in
      let (due, next) = (last + .seconds(1800), index + 1 < all.count ? all[index + 1] : nil)
      if let next, next < due { return [] }
      let silent = line(due, "silent", key: key, since: last)
      return [silent] + (next.map { [line($0, "back", key: key, since: last)] } ?? [])
    }
  }

  @Test("timeout: silent after so long without a good poll, or an event; and back", arguments: [false, true])
  func timeouts(countsPolls: Bool) throws {
    for seed in UInt64(1)...UInt64(TestScale.count(60)) {
      var dice = Dice(random: SplitMix64(seed: seed))
      let isPoll = countsPolls || dice.below(2) == 0
      var (time, last) = (Duration.zero, [Int: Int]())
      let answers = (0..<60).map { _ in
        time += .seconds(1 + dice.below(1200)) + .milliseconds(1)
        return Answer(at: time, rows: dice.below(2) == 0 ? nil : dice.rows(after: &last, all: false))
      }
      func yaml(_ options: String) -> String {
        """
        sources: { input: \(isPoll ? "{ generate: 1, every: 10m }" : "stdin") }
        steps: [ timeout: { for: 30m, pass: false, \(options) } ]
        sinks: { out: { 'null': {} } }
        """
      }
      let good = answers.filter { $0.rows?.isEmpty == false || countsPolls && $0.rows != nil }
      let found = try outputs(
        of: yaml("polls: \(countsPolls)"), answers, isPoll: isPoll, ["type", "since"])
      expect(found, equals: silences(good.map(\.at), from: .zero).sorted(), "seed \(seed)")
      if countsPolls { continue }
      let byKey = try outputs(of: yaml("key: .k"), answers, isPoll: isPoll, ["type", "key", "since"])
      let expected = Self.keys.flatMap { key in
        silences(answers.filter { $0.n(of: key) != nil }.map(\.at), from: nil, key: "\(key)")
      }
      expect(byKey, equals: expected.sorted(), "seed \(seed)")
    }
  }
}
