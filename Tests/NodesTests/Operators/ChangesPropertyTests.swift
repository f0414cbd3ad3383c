import Expectations
@testable import Nodes
import JSON
import Engine
import Language
import Reactive
import TestScale
import Testing
import Trials

/// `changes` over random polls: complete, truncated, partial and torn ones, glitches, kills and restarts.
@Suite struct ChangesPropertyTests {
  /// Random polls of a list, each with the coverage that is true of it, unless it is a glitch.
  private struct Polls {
    var random: SplitMix64
    var list: [String: Int] = [:]
    var lines: [String] = []
    /// The values that the polls have had of each key.
    var seen: [String: Set<Int>] = [:]
    var count = 0
    /// Whether places in the list are for good.
    let isFixed: Bool

    init(_ seed: UInt64) {
      random = SplitMix64(seed: seed)
      isFixed = Int.random(in: 0..<2, using: &random) == 0
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    /// The list goes on: rows come, go and change.
    mutating func advance() {
      for key in 0..<16 where below(5) == 0 {
        let name = "k\(key)"
        if list[name] == nil { list[name] = below(40) } else if below(2) == 0 { list[name] = nil }
        if !isFixed, list[name] != nil { list[name] = below(40) }
      }
    }

    mutating func poll(mustBeComplete: Bool = false) {
      let all = list.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      var rows = all.map { ($0.key, $0.value, false) }
      var coverage = ""
      if !mustBeComplete {
        switch below(8) {
        case 0, 1:
          rows = Array(rows.prefix(8))
          // Shorter than its limit, a list is complete.
          if all.count > 8 { coverage = isFixed ? " truncated .n" : " truncated .n moves" }
        case 2:
          rows = rows.filter { _ in below(3) > 0 }
          coverage = " partial"
        case 3: rows = rows.map { ($0.0, $0.1, below(4) == 0) }
        case 4: rows = (0..<below(3)).map { ("g\($0)", below(9), false) }
        default: break
        }
      }
      add(rows, coverage)
    }

    /// A poll whose pages have moved: some rows come twice, as they were and as they are, and others not at all.
    mutating func pollWithTwins() {
      let rows = list.sorted { $0.key < $1.key }.flatMap { key, n in
        (0..<[1, 1, 2, 0][below(4)]).map { (key, n + $0, false) }
      }
      add(rows, "")
    }

    private mutating func add(_ rows: [(key: String, n: Int, isBad: Bool)], _ coverage: String) {
      for row in rows {
        lines.append(#"\#(count)h {"id":"\#(row.key)","n":\#(row.n)\#(row.isBad ? #","bad":true"# : "")}"#)
        seen[row.key, default: []].insert(row.n)
      }
      lines.append("\(count)h poll\(coverage)")
      count += 1
    }

    var input: String { lines.joined(separator: "\n") }
  }

  private static let torn = "- map: 'if .bad then error(\"bad\") else . end'"

  @Test("folding the events from the first poll on gives the last accepted poll", arguments: [1, 2])
  func fold(_ removedAfter: Int) throws {
    for seed in UInt64(1)...UInt64(TestScale.count(50)) {
      var polls = Polls(seed &* UInt64(removedAfter))
      for _ in 0..<25 {
        polls.advance()
        polls.poll()
      }
      // As many as a loss and a removal must be confirmed by, each beside the other.
      for _ in 0..<3 { polls.poll(mustBeComplete: true) }
      let step = "- changes: { key: .id, first: emit, removed_after: \(removedAfter) }"
      let lines = try Trial("\(Self.torn)\n\(step)").run(polls.input).linesDespiteTrouble
      var folded: [String: Int] = [:]
      for line in lines {
        let change = try Change(line)
        #expect(change.before == folded[change.key] && change.before != change.after, "seed \(seed): \(line)")
        folded[change.key] = change.after
      }
      expect(folded, equals: polls.list, "seed \(seed)\n\(polls.input)")
    }
  }

  @Test("with a baseline, each change begins where the one before ended, or at a row that was noted")
  func foldWithBaseline() throws {
    for seed in UInt64(1)...UInt64(TestScale.count(50)) {
      var polls = Polls(seed)
      for _ in 0..<25 {
        polls.advance()
        polls.poll()
      }
      for _ in 0..<2 { polls.poll(mustBeComplete: true) }
      let lines = try Trial("\(Self.torn)\n- changes: .id").run(polls.input).linesDespiteTrouble
      var folded: [String: Int?] = [:]
      for line in lines {
        let change = try Change(line)
        // A row that comes over the horizon is noted without an event, a removed one that returns there too.
        if let known = folded[change.key], let known {
          expect(change.before, equals: known, "seed \(seed): \(line)")
        } else if let before = change.before {
          expect(polls.seen[change.key]?.contains(before), equals: true, "seed \(seed): \(line)")
        }
        folded[change.key] = .some(change.after)
      }
      for (key, value) in folded where value != nil {
        expect(value, equals: polls.list[key], "seed \(seed): \(key)")
      }
    }
  }

  @Test("without glitches, a loss that is held back only delays events", arguments: 1...40)
  func delayed(_ seed: UInt64) throws {
    var polls = Polls(seed)
    var last: [String: Int] = [:]
    for _ in 0..<20 {
      polls.advance()
      polls.poll(mustBeComplete: true)
      last = polls.list
    }
    polls.poll(mustBeComplete: true)
    for option in ["off", "{ share: 10%, rows: 1 }"] {
      let lines = try Trial("changes: { key: .id, first: emit, sudden_loss: \(option) }").run(polls.input)
        .linesDespiteTrouble
      var folded: [String: Int] = [:]
      for line in lines {
        let change = try Change(line)
        folded[change.key] = change.after
      }
      expect(folded, equals: last)
    }
  }

  /// Steps over which a poll takes one turn, or several of them.
  @Test(
    "a run that is killed and run again emits what an undisturbed one does",
    arguments: [
      "changes: { key: .id }", "changes: { key: .id, removed_after: 2, first: emit, tolerance: { .n: 3 } }",
    ],
    [false, true])
  func killed(_ step: String, _ isSlow: Bool) throws {
    for seed in UInt64(1)...UInt64(TestScale.count(isSlow ? 3 : 5)) {
      var polls = Polls(seed &+ 1000)
      for key in 0..<12 { polls.list["k\(key)"] = polls.below(40) }
      polls.poll(mustBeComplete: true)
      for _ in 0..<8 {
        polls.advance()
        polls.poll()
      }
      let slow = isSlow ? "- rate_limit: { count: 1, per: 1m }\n" : ""
      // Nothing reads this source: its times are more times to be killed at.
      let other = (0..<polls.count).flatMap { ["\($0)h3m30s 0", "\($0)h7m30s 0"] }.joined(separator: "\n")
      let trial = try KeptTrial(
        Trial("\(Self.torn)\n\(slow)- \(step)").plan, input: polls.input, other: isSlow ? other : "")
      let whole = try trial.run(killedBehind: [])
      #expect(!whole.isEmpty)
      let cuts = trial.times.indices.filter { _ in polls.below(3) == 0 }
      try expect(
        trial.run(killedBehind: Array(trial.times.indices)), equals: whole, "seed \(seed), killed behind each"
      )
      try expect(
        trial.run(killedBehind: cuts), equals: whole, "seed \(seed), killed behind \(cuts)\n\(polls.input)")
      try expect(
        trial.run(killedBehind: cuts, inGoodOrder: true), equals: whole,
        "seed \(seed), stopped behind \(cuts)")
    }
  }

  @Test("with state it emits what it does without, also where rows come twice")
  func twins() throws {
    for seed in UInt64(1)...UInt64(TestScale.count(50)) {
      var polls = Polls(seed)
      for _ in 0..<12 {
        polls.advance()
        polls.pollWithTwins()
      }
      let step = "changes: { key: .id, sudden_loss: off }"
      let kept = try KeptTrial(Trial(step).plan, input: polls.input)
      let lines = try Trial(step).run(polls.input).linesDespiteTrouble
      try expect(kept.run(killedBehind: []), equals: lines, "seed \(seed)\n\(polls.input)")
    }
  }

  private struct Change {
    let key: String
    let before: Int?
    let after: Int?

    init(_ line: String) throws {
      let change = try Value.parse(String(line.drop { $0 != "{" }))
      key = try #require(change.member("key")?.string)
      before = change.member("before")?.member("n")?.double.map { Int($0) }
      after = change.member("after")?.member("n")?.double.map { Int($0) }
    }
  }
}
