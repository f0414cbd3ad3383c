import Expectations
@testable import Nodes
import JSON
import Engine
import Language
import Testing
import Trials

/// `changes` over polls that have not seen everything: one example for each rule.
@Suite struct ChangesPollTests {
  /// Time, type and key of each change, and the numbers `n` before and after.
  private func changes(_ step: String, _ polls: [String]) throws -> [String] {
    try ChangesPollTests.changes(of: Trial(step).run(ChangesPollTests.input(polls)).linesDespiteTrouble)
  }

  static func changes(of lines: [String]) throws -> [String] {
    try lines.map { line in
      let change = try Value.parse(String(line.drop { $0 != "{" }))
      let number = { (side: Key) in change.member(side)?.member("n").map { "\($0)" } ?? "-" }
      let (type, key) = (change.member("type")?.string ?? "", change.member("key")?.string ?? "")
      return "\(line.prefix { $0 != " " }) \(type) \(key) \(number("before"))>\(number("after"))"
    }
  }

  /// Hourly polls, each as `a1 b2 c3 / partial`: keys with their numbers, and the coverage.
  static func input(_ polls: [String]) -> String {
    polls.enumerated().map { hour, poll in
      let parts = poll.split(separator: "/", omittingEmptySubsequences: false)
      let rows = parts[0].split(separator: " ").map { row in
        #"\#(hour)h {"id":"\#(row.prefix(1))","n":\#(row.dropFirst())}"#
      }
      let coverage = parts.count > 1 ? parts[1] : ""
      return (rows + ["\(hour)h poll\(coverage)"]).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  // MARK: - Horizon

  @Test("in a list whose rows move, a row that is missing is out of sight, wherever it was")
  func moving() throws {
    let polls = [
      "a1 b2 c3/ truncated .n moves", "a1 c3 d4/ truncated .n moves", "a1 b2 c3/ truncated .n moves",
    ]
    try expect(changes("changes: .id", polls), equals: [])
  }

  @Test("in a list in a fixed order, a row before the horizon was removed, and one behind it is out of sight")
  func fixed() throws {
    let polls = ["a9 b7 c5/ truncated -.n", "d11 a9 c5/ truncated -.n", "e12 d11/ truncated -.n"]
    try expect(
      changes("changes: .id", polls), equals: ["1h added d ->11", "1h removed b 7>-", "2h added e ->12"])
  }

  @Test("a row out of sight is removed once the horizon has moved beyond its place and it is still missing")
  func revealed() throws {
    let polls = [
      "a9 b7 c5/ truncated -.n", "a9/ truncated -.n", "a9 c5/ truncated -.n", "a9 c5 d4/ truncated -.n",
    ]
    try expect(changes("changes: .id", polls), equals: ["2h removed b 7>-"])
  }

  @Test("the same for a row that was hidden by a poll whose order was not known, or by a nearer horizon")
  func revealedLater() throws {
    let unordered = [
      "a1 b5 c9/ truncated .n", "a1 b5 d8/ truncated .n", "a1 b5 d8/ truncated .n", "a1/ truncated",
      "a1 e7/ truncated .n",
    ]
    try expect(
      changes("changes: .id", unordered), equals: ["1h added d ->8", "4h added e ->7", "4h removed b 5>-"])
    let nearer = [
      "a1 b5 c9/ truncated .n", "a1/ truncated .n", "a1 b5 d8/ truncated .n", "a1 b5 d8 c9/ truncated .n",
      "a1/ truncated .n", "a1 e7/ truncated .n",
    ]
    try expect(changes("changes: .id", nearer), equals: ["5h removed b 5>-"])
  }

  @Test("a row that lies at the edge itself, or behind it, is not added")
  func edge() throws {
    let polls = ["a1 b2/ truncated .n", "a1 c2 d3/ truncated .n", "a1 c2 d4/ truncated .n"]
    try expect(changes("changes: .id", polls), equals: ["1h removed b 2>-", "2h changed d 3>4"])
  }

  @Test(
    "in a list whose rows move, a row that was never seen may come from beyond the horizon: it is not added")
  func movedIn() throws {
    let polls = ["a1 b9/ truncated .n moves", "a1 c3 b9/ truncated .n moves", "a1 c4 b9/ truncated .n moves"]
    try expect(changes("changes: .id", polls), equals: ["2h changed c 3>4"])
  }

  @Test("where the order of a truncated list is not known, rows are added and none is removed")
  func unordered() throws {
    let polls = ["a1 b2/ truncated", "a1 c3/ truncated", "b3 c3/ truncated"]
    try expect(changes("changes: .id", polls), equals: ["1h added c ->3", "2h changed b 2>3"])
  }

  @Test("a complete poll reveals everything, and a row out of sight that it lacks was removed")
  func complete() throws {
    let polls = ["a1 b2 c3/ truncated .n moves", "a1 b2/ truncated .n moves", "a1 b2 d9", "a1 b2 d9 e10"]
    try expect(changes("changes: .id", polls), equals: ["2h removed c 3>-", "3h added e ->10"])
  }

  @Test("a partial poll adds and changes rows, and removes none")
  func partial() throws {
    let polls = ["a1 b2", "b3 c4/ partial", "b3 c4"]
    try expect(
      changes("changes: .id", polls), equals: ["1h changed b 2>3", "1h added c ->4", "2h removed a 1>-"])
  }

  @Test("as long as all polls are partial, known rows are compared, and unknown ones noted")
  func partialFirst() throws {
    let polls = ["a1 e1/ partial", "a2 b2/ partial", "a2 b2 c3", "a3 b2 c3 d4"]
    try expect(
      changes("changes: .id", polls),
      equals: ["1h changed a 1>2", "2h removed e 1>-", "3h changed a 2>3", "3h added d ->4"])
  }

  @Test("with first: emit, each row is added when it is first seen, beyond the horizon too")
  func emit() throws {
    let polls = ["a1 b2/ truncated .n moves", "a1 c3/ truncated .n moves", "a1 b2/ partial"]
    try expect(
      changes("changes: { key: .id, first: emit }", polls),
      equals: ["0h added a ->1", "0h added b ->2", "1h added c ->3"]
        .map { $0.replacing("0h", with: "0s") })
  }

  @Test("a row out of sight for longer than it is remembered is forgotten, as is the oldest of too many")
  func forgotten() throws {
    let away = "a1/ truncated .n moves"
    let polls = ["a1 b2/ truncated .n moves", away, away, away, away, "a1 b0/ truncated .n moves"]
    try expect(changes("changes: { key: .id, remember: 5h }", polls), equals: ["5h changed b 2>0"])
    try expect(changes("changes: { key: .id, remember: 2h }", polls), equals: [])
    let several = [
      "a1 b2/ truncated .n moves", "c1 d2/ truncated .n moves", "e1 f2/ truncated .n moves",
      "a0 c0/ truncated .n moves",
    ]
    // Of a, b, c and d the last two are remembered.
    try expect(changes("changes: { key: .id, bound: 2 }", several), equals: ["3h changed c 1>0"])
  }

  @Test("at the bound a row that takes the place of a missing one is added; one too many is an error")
  func full() throws {
    let output = try Trial("changes: { key: .id, bound: 3 }").run(
      Self.input(["a1 b2 c3", "a1 d4 b2", "a1 d4 b5 c3", "a1 d4 c3"]))
    try expect(
      Self.changes(of: output.linesDespiteTrouble),
      equals: [
        "1h removed c 3>-", "1h added d ->4", "2h changed b 2>5", "3h removed b 5>-", "3h added c ->3",
      ])
    expect(
      output.outcome.messages.map { "\($0.message.prefix(34))" },
      equals: ["row 4: there are more than 3 keys;", "no row fails any more, after 1 pol"])
  }

  @Test("at the bound a row that returns in time was not missing")
  func fullAndBack() throws {
    let polls = ["a1 b2", "a1 c3", "b4 c3", "b4 c3"]
    try expect(
      changes("changes: { key: .id, removed_after: 2, bound: 2 }", polls),
      equals: ["1h added c ->3", "2h changed b 2>4", "3h removed a 1>-"])
  }

  // MARK: - Confirmation

  @Test("a removal has the time of the poll that confirms it, by polls or by time")
  func confirmed() throws {
    let polls = ["a1 b2", "a1", "a1", "a1", "a1"]
    try expect(changes("changes: { key: .id, removed_after: 3 }", polls), equals: ["3h removed b 2>-"])
    try expect(changes("changes: { key: .id, removed_after: 90m }", polls), equals: ["3h removed b 2>-"])
    try expect(changes("changes: { key: .id, removed_after: 1 }", polls), equals: ["1h removed b 2>-"])
  }

  @Test(
    "a row that returns before its removal is confirmed is compared, and counted anew when it is missing again"
  )
  func unconfirmed() throws {
    let polls = ["a1 b2", "a1", "a1 b3", "a1", "a1 b3", "a1", "a1"]
    try expect(
      changes("changes: { key: .id, removed_after: 2 }", polls),
      equals: [
        "2h changed b 2>3", "6h removed b 3>-",
      ])
  }

  @Test("polls that have not seen everything neither confirm a removal nor take it back")
  func interrupted() throws {
    let polls = ["a1 b2", "a1", "a1/ partial", "a1/ truncated .n moves", "a1"]
    try expect(changes("changes: { key: .id, removed_after: 2 }", polls), equals: ["4h removed b 2>-"])
  }

  // MARK: - Sudden loss

  private static let guarded = "changes: { key: .id, sudden_loss: { share: 50%, rows: 4 } }"

  @Test("nothing of a poll that is held back counts, and the next one is compared with the one before it")
  func held() throws {
    let polls = ["a1 b2 c3 d4", "x9 a7", "a1 b2 c3 d5"]
    try expect(changes(Self.guarded, polls), equals: ["2h changed d 4>5"])
    try expect(changes(Self.guarded, ["a1 b2 c3 d4", "", "a1 b2 c3 d5"]), equals: ["2h changed d 4>5"])
  }

  @Test("a second poll in a row that lacks as much is accepted")
  func accepted() throws {
    let polls = ["a1 b2 c3 d4", "a1", "a2", "a2 e5"]
    try expect(
      changes(Self.guarded, polls),
      equals: [
        "2h changed a 1>2", "2h removed b 2>-", "2h removed c 3>-", "2h removed d 4>-", "3h added e ->5",
      ])
  }

  @Test("a loss of just the share, or of fewer rows than the option says, is accepted at once")
  func small() throws {
    try expect(
      changes(Self.guarded, ["a1 b2 c3 d4", "a1 b2"]), equals: ["1h removed c 3>-", "1h removed d 4>-"])
    try expect(changes(Self.guarded, ["a1 b2 c3", "a1"]), equals: ["1h removed b 2>-", "1h removed c 3>-"])
    try expect(changes("changes: { key: .id, sudden_loss: off }", ["a1 b2 c3 d4", ""]).count, equals: 4)
  }

  @Test("rows out of sight count as missing: another list instead of this one is held back")
  func exchanged() throws {
    let polls = [
      "a1 b2 c3 d4/ truncated .n moves", "w0 x0 y0 z0/ truncated .n moves", "a1 b2 c3 d5/ truncated .n moves",
    ]
    try expect(changes(Self.guarded, polls), equals: ["2h changed d 4>5"])
  }

  @Test(
    "a partial poll that has most rows refutes the one before it, and a later loss needs a confirmation of its own"
  )
  func refuted() throws {
    let polls = ["a1 b2 c3 d4", "x9", "a1 b2 c3/ partial", "x9", "a1 b2 c3 d4"]
    try expect(changes(Self.guarded, polls), equals: [])
  }

  @Test("a stale poll repeats what the service answered before, and confirms neither a loss nor a removal")
  func stale() throws {
    let glitch = ["a1 b2 c3 d4", "x9", "x9/ stale", "a1 b2 c3 d4"]
    try expect(changes(Self.guarded, glitch), equals: [])
    let gone = ["a1 b2", "a1", "a1/ stale", "a1"]
    try expect(changes("changes: { key: .id, removed_after: 2 }", gone), equals: ["3h removed b 2>-"])
  }

  @Test("a partial poll decides nothing: while it lacks too much, only known rows are compared")
  func partialLoss() throws {
    let polls = ["a1 b2 c3 d4", "x9", "a2 y8/ partial", "a2 b2 c3 d4 y8"]
    try expect(changes(Self.guarded, polls), equals: ["2h changed a 1>2", "3h added y ->8"])
  }

  @Test("different rows with one key are an error, once and then counted: no news, and not removed")
  func repeatedKey() throws {
    let polls = ["a1 b2 c3", "a2 a3 b4", "a3 a2 b4", "a2 b4", "a2 b4 x1 x2", "a2 b4 x1"]
    let output = try Trial("changes: .id").run(Self.input(polls))
    try expect(
      Self.changes(of: output.lines),
      equals: [
        "1h changed b 2>4", "1h removed c 3>-", "3h changed a 1>2", "5h added x ->1",
      ])
    let messages = output.outcome.messages.map(\.message).filter { $0.contains("have the key") }
    expect(
      messages.map { $0.prefix { $0 != ";" } + ($0.contains("they differ in /n; ") ? "" : "!") },
      equals: [
        "row 1: 2 rows of this poll have the key \"a\"", "row 3: 2 rows of this poll have the key \"x\"",
      ], "\(messages)")
    expect(output.counts?.errors, equals: 3)
  }

  @Test("equal rows with one key are one row, and duplicates says which of different ones counts")
  func duplicates() throws {
    let polls = ["a1 b2", "a1 a1 b2 b2 e5 e5"]
    try expect(changes("changes: .id", polls), equals: ["1h added e ->5"])
    let different = ["a1 a2", "a2 a1 b3", "a2 a3 b3"]
    try expect(
      changes("changes: { key: .id, duplicates: first }", different),
      equals: [
        "1h changed a 1>2", "1h added b ->3",
      ])
    try expect(
      changes("changes: { key: .id, duplicates: last }", different),
      equals: ["1h changed a 2>1", "1h added b ->3", "2h changed a 1>3"])
  }

  @Test("a key that is twice in the first poll is not new later, and neither are rows that failed there")
  func faultyBaseline() throws {
    try expect(changes("changes: .id", ["a1 a2 b3", "a1 b3 c4"]), equals: ["1h added c ->4"])
    let failing = "- filter: if .n == 9 then error(\"no\") else true end\n- changes: .id"
    try expect(changes(failing, ["a9 b9", "a9 b2", "a1 b2", "a1 b2 c3"]), equals: ["3h added c ->3"])
    // A row that always fails keeps no addition back but the second poll's.
    try expect(changes(failing, ["a9 b2", "a9 b2 c3", "a9 b2 c3 d4"]), equals: ["2h added d ->4"])
    // Twice in the second poll, which is a baseline as well.
    try expect(changes(failing, ["a9 b9", "b1 b2 c3", "b1 c3 d4"]), equals: ["2h added d ->4"])
  }

  @Test("2 and 2.0 are one key, but large numbers are as many as there are")
  func numbers() throws {
    let input = """
      0s {"id":2,"n":1}
      0s {"id":1234567890123456789,"n":1}
      0s {"id":1234567890123456790,"n":1}
      0s poll
      1h {"id":2.0,"n":1}
      1h {"id":1234567890123456789,"n":1}
      1h {"id":1234567890123456790,"n":2}
      1h poll
      """
    let lines = try Trial("changes: .id").run(input).lines
    #expect(lines.count == 1 && lines[0].contains(#""type":"changed","key":1234567890123456790"#), "\(lines)")
  }

  @Test("a poll that is held back is reported once, with its number and what it lacks")
  func reported() throws {
    let output = try Trial(Self.guarded).run(Self.input(["a1 b2 c3 d4", "a1", "a1 b2 c3 d4"]))
    let messages = output.outcome.messages.map(\.message)
    expect(
      messages, equals: ["poll 2 of input lacks 3 of 4 rows: it is held back, and the next poll decides"])
  }

  // MARK: - Tolerance

  @Test("a tolerated difference beside another one is reported with it, and counts from there")
  func besides() throws {
    let step = "changes: { key: .id, tolerance: { .n: 5 } }"
    try expect(
      changes(step, ["a1", "a4", "a5", "a6", "a8", "a2", "a1"]),
      equals: [
        "3h changed a 1>6", "6h changed a 6>1",
      ])
  }

  @Test("a row that returns with a tolerated difference is no news, and counts from what was emitted")
  func returned() throws {
    let step = "changes: { key: .id, tolerance: { .n: 5 } }"
    let polls = [
      "a1 b2/ truncated .n moves", "a1/ truncated .n moves", "a1 b5/ truncated .n moves",
      "a1 b7/ truncated .n moves",
    ]
    try expect(changes(step, polls), equals: ["3h changed b 2>7"])
  }

  @Test(
    "options that make no sense are errors",
    arguments: [
      "removed_after: 0", "removed_after: soon", "sudden_loss: on", "sudden_loss: { share: 150% }",
      "sudden_loss: { share: 0.5 }", "tolerance: 5", "tolerance: { .n: -1 }", "tolerance: { .n: some }",
      "tolerance: { '.n +': 1 }", "remember: 0s",
    ])
  func wrong(_ option: String) {
    #expect(throws: Trial.Wrong.self) { try Trial("changes: { key: .id, \(option) }") }
  }
}
