import Expectations
import Foundation
import JSON
import Reactive
import TestScale
import Testing

@testable import flow

/// `flow verify`, `at` and `history` over logs of random recordings, and over logs in which something is wrong.
@Suite("flow verify", .timeLimit(.minutes(30))) struct VerifyCommandTests {
  private static let pipeline = """
    name: p
    sources: { in: { http: 'https://example.org/list.json', every: 1h } }
    steps: [changes: { key: .id, first: emit }]
    sinks: { log: { jsonl: out/log.jsonl } }
    """

  /// Hourly polls in which rows come, change and go; every eighth fails.
  private static func polls(seed: Int) -> [[String]?] {
    var dice = SplitMix64(seed: UInt64(seed))
    var rows: [Int: Int] = [:]
    return (0..<40).map { number in
      for id in 0..<9 where dice.below(4) == 0 { rows[id] = dice.below(5) == 0 ? nil : dice.below(50) }
      if number % 8 == 7 { return nil }
      return rows.sorted { $0.key < $1.key }.map { #"{"id":\#($0.key),"n":\#($0.value),"s":"é"}"# }
    }
  }

  /// Real polls are made between seconds.
  private static func time(_ number: Int) -> String {
    "2026-01-0\(1 + number / 24)T\(number % 24 < 10 ? "0" : "")\(number % 24):00:00.163Z"
  }

  /// A workplace with a recording and the log that the pipeline makes of it.
  private static func workplace(_ polls: [[String]?]) throws -> Workplace {
    let place = try Workplace(pipeline)
    try FileManager.default.createDirectory(atPath: place["rec"], withIntermediateDirectories: true)
    let lines = polls.enumerated().map { number, rows in
      let what =
        rows.map { "\"rows\":[\($0.joined(separator: ","))],\"coverage\":\"complete\"" }
        ?? #""error":"no answer""#
      return #"{"at":"\#(time(number))",\#(what)}"# + "\n"
    }
    try place.write("rec/in.jsonl", lines.joined())
    try expect(place.run("--replay", "rec", "--state", "s").status, equals: 0)
    try place.move("out/replay/log.jsonl", to: "out/log.jsonl")
    return place
  }

  @Test("logs are accepted, add up to their polls, and every mutation of them is refused", arguments: 0..<4)
  func recordings(seed: Int) throws {
    let polls = Self.polls(seed: seed)
    let place = try Self.workplace(polls)
    let log = place.lines("out/log.jsonl")
    for arguments in [
      ["out/log.jsonl"], ["p.yaml", "--state", "s"], ["out/log.jsonl", "--against", "rec"],
      ["p.yaml", "--against", "rec"],
    ] {
      let seen = try place.flow(["verify"] + arguments)
      let limit =
        arguments == ["out/log.jsonl"] ? "a line that is missing before the first or behind the last" : ""
      let lines = seen.errors.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(
        seen.status == 0 && lines.count == (limit.isEmpty ? 2 : 3)
          && lines[0] == "out/log.jsonl: \(log.count) changes, nothing wrong" && lines[1].hasPrefix(limit),
        "\(seen)")
    }
    var dice = SplitMix64(seed: UInt64(seed) + 100)
    for number in [0, 1 + dice.below(38), 39] {
      let rows = polls[...number].last { $0 != nil } ?? nil
      let seen = try place.flow("at", Self.time(number), "out/log.jsonl")
      #expect(
        (seen.status == 0 || seen.errors.contains("out/log.jsonl begins at"))
          && seen.output.split(separator: "\n").map(String.init).sorted() == rows ?? [],
        "\(number): \(seen)")
    }
    for mutation in 0..<TestScale.count(5) {
      let place = try Self.mutated(place, log, mutation % 5, &dice)
      let seen = try place.flow("verify", "p.yaml", "--against", "rec")
      #expect(seen.status == 1 && !seen.output.isEmpty, "mutation \(mutation): \(seen)")
    }
    try place.write("out/log.jsonl", log.map { $0 + "\n" }.joined())
  }

  /// Drops, doubles, swaps or edits a line, or cuts off the last one.
  private static func mutated(
    _ place: Workplace, _ log: [String], _ mutation: Int, _ dice: inout SplitMix64
  ) throws -> Workplace {
    var lines = log
    let line = dice.below(lines.count - 1)
    switch mutation {
    case 0: lines.remove(at: line)
    case 1: lines.insert(lines[line], at: line)
    case 2:
      // Rows that one poll has removed are in any order.
      let place = lines.indices.dropLast().first { $0 >= line && !lines[$0].contains("removed") } ?? 0
      lines.swapAt(place, place + 1)
    case 3: lines[line] = lines[line].replacing("\"s\":\"é\"", with: "\"s\":\"e\"")
    default: lines[lines.count - 1] = String(lines[lines.count - 1].dropLast(5))
    }
    try place.write("out/log.jsonl", lines.map { $0 + "\n" }.joined())
    return place
  }

  @Test("the first place that is wrong is named")
  func places() throws {
    let place = try Workplace(Self.pipeline)
    func change(_ type: String, _ time: Int, _ before: String, _ after: String, _ more: String = "") -> String
    {
      #"{"type":"\#(type)","key":1,"at":"\#(Self.time(time))","before":\#(before),"after":\#(after)\#(more)}"#
        + "\n"
    }
    let row = (1...3).map { #"{"id":1,"n":\#($0)}"# }
    let diff = #","diff":[{"path":"/n","before":1,"after":7}]"#
    for (log, found) in [
      (
        change("added", 0, "null", row[0]) + change("changed", 1, row[1], row[2]),
        "l:2: changed 1: the row before is not"
      ),
      (
        change("added", 0, "null", row[0]) + change("added", 1, "null", row[1]),
        "l:2: added 1: the row is there already"
      ),
      (
        change("removed", 0, row[0], "null") + change("changed", 1, row[0], row[1]),
        "l:2: changed 1: the row has been removed"
      ),
      (
        change("added", 1, "null", row[0]) + change("changed", 0, row[0], row[1]),
        "l:2: changed 1: it is earlier"
      ),
      (change("changed", 0, row[0], row[1], diff), "l:1: changed 1: diff disagrees with the rows at /n"),
      (change("changed", 0, row[0], row[0]), "l:1: changed 1: nothing has changed"),
      (change("added", 0, "null", row[0]) + "\n{}\n", "l:3: this is no change event"),
      (change("added", 0, "null", row[0]) + "{\"type", "l:2: the last line is cut off"),
    ] {
      try place.write("l", log)
      let seen = try place.flow("verify", "l")
      #expect(seen.status == 1 && seen.output.hasPrefix(found), "\(seen)")
    }
    try place.write("l", "\n")
    #expect(try place.flow("verify", "l").errors.hasPrefix("l: no changes, nothing wrong\n"))
    #expect(try place.flow("verify", "nowhere").errors.contains("there is no log and no pipeline “nowhere”"))
    #expect(
      try place.flow("verify", "p.yaml").errors.contains("out/log.jsonl, the log of p, does not exist here"))
  }

  @Test("the log of a pipeline that leaves out fields is compared by running it, and rotated files are read")
  func rotated() throws {
    let place = try Self.workplace(Self.polls(seed: 9))
    let log = place.lines("out/log.jsonl").map { $0 + "\n" }
    try place.write("out/log.jsonl.2", log[..<5].joined())
    try place.write("out/log.jsonl.1", log[5..<20].joined())
    try expect(place.shell("gzip out/log.jsonl.2").status, equals: 0)
    try place.write("out/log.jsonl", log[20...].joined())
    #expect(
      try place.flow("verify", "out/log.jsonl", "--against", "rec").errors.contains(
        ": \(log.count) changes, "))
    let history = try place.flow("history", "--utc", "out/log.jsonl", "3")
    let all = log.filter { $0.contains("\"key\":3,") }
    #expect(history.status == 0 && history.output.split(separator: "\n").count == all.count && !all.isEmpty)
    for pipeline in ["p.yaml", "p"] {
      let raw = try place.flow("history", "--json", "--state", "s", pipeline, "3")
      expect(raw.output, equals: all.joined(), "\(pipeline)")
    }
    let none = try place.flow("history", "out/log.jsonl", "33")
    #expect(none.status == 1 && none.errors.contains("has no row “33”"), "\(none)")
    let wrong = try place.flow("at", "yesterday", "out/log.jsonl")
    #expect(wrong.status == 2 && wrong.errors.contains("“yesterday” is no time"))
  }

  /// The log that steps make of three polls, and what verify says of it, of its pipeline, and of both with the polls.
  private func verified(
    _ steps: String, sink: String = "out/log.jsonl", polls: [String]
  ) throws -> (place: Workplace, outcomes: [Outcome]) {
    let place = try Workplace(
      Self.pipeline.replacing("[changes: { key: .id, first: emit }]", with: steps)
        .replacing("jsonl: out/log.jsonl", with: "jsonl: \(sink)"))
    let lines = polls.enumerated().map {
      #"{"at":"\#(Self.time($0))","rows":[\#($1)],"coverage":"complete"}"# + "\n"
    }
    try FileManager.default.createDirectory(atPath: place["rec"], withIntermediateDirectories: true)
    try place.write("rec/in.jsonl", lines.joined())
    try expect(place.run("--replay", "rec").status, equals: 0)
    try place.move("out/replay/log.jsonl", to: "out/log.jsonl")
    let outcomes = try [["out/log.jsonl"], ["p.yaml"], ["p.yaml", "--against", "rec"]].map {
      try place.flow(["verify"] + $0)
    }
    return (place, outcomes)
  }

  @Test("fields that are left out move between the changes of the others, and a change of those is followed")
  func fields() throws {
    let polls = [(1, 1), (1, 2), (2, 3)].map { #"{"id":1,"n":\#($0),"seen":\#($1)}"# }
    let (place, outcomes) = try verified("[changes: { key: .id, first: emit, watch: [.n] }]", polls: polls)
    expect(outcomes.map(\.status), equals: [0, 0, 0], "\(outcomes)")
    let log = place.text("out/log.jsonl").replacing(
      #""before":{"id":1,"n":1,"#, with: #""before":{"id":1,"n":5,"#
    )
    .replacing(#""before":1,"#, with: #""before":5,"#)
    try place.write("out/log.jsonl", log)
    let edited = try place.flow("verify", "out/log.jsonl")
    #expect(edited.status == 1 && edited.output.contains("is not the one that the last change has left"))
  }

  @Test(
    "a log that has some of the changes is not followed, but compared by running its pipeline"
  )
  func part() throws {
    let polls = (1...4).map { #"{"id":1,"n":\#($0)}"# }
    let (place, outcomes) = try verified(
      "[changes: { key: .id, first: emit }, filter: .after.n % 2 == 0]", polls: polls)
    #expect(outcomes.map(\.status) == [1, 0, 0] && outcomes[1].errors.contains("only some of the changes"))
    try place.write("out/log.jsonl", place.lines("out/log.jsonl").dropLast().map { $0 + "\n" }.joined())
    #expect(try place.flow("verify", "p.yaml", "--against", "rec").output.contains("the log lacks 1 change"))
  }

  @Test("rows of several sources with one key are not followed, and a log by itself gives the hint")
  func severalSources() throws {
    let place = try Workplace(
      """
      name: two
      sources: { a: { generate: '{id: 1, n: 1}' }, b: { generate: '{id: 1, n: 2}' } }
      steps: [changes: { key: .id, first: emit }]
      sinks: { log: { jsonl: out/log.jsonl } }
      """)
    try expect(place.run("--state=s").status, equals: 0)
    let alone = try place.flow("verify", "out/log.jsonl")
    #expect(alone.status == 1 && alone.output.contains("several sources"), "\(alone)")
    let known = try place.flow("verify", "p.yaml", "--state=s")
    #expect(known.status == 0 && known.errors.contains("rows of several sources"), "\(known)")
  }

  @Test("parts of texts that do not count may differ between the changes of a row, and other parts may not")
  func noise() throws {
    let polls = ["a, 5 views", "a, 6 views", "b, 6 views"].map { #"{"id":1,"t":"\#($0)"}"# }
    let steps = "[changes: { key: .id, first: emit, text: { ignore: '[0-9]+ views' } }]"
    let (place, outcomes) = try verified(steps, polls: polls)
    #expect(
      outcomes.map(\.status) == [1, 0, 0] && outcomes[0].output.contains("parts of texts"), "\(outcomes)")
    let log = place.text("out/log.jsonl")
    try place.write("out/log.jsonl", log.replacing("a, 6 views", with: "c, 6 views"))
    #expect(
      try place.flow("verify", "p.yaml").output.contains("is not the one that the last change has left"))
  }

  @Test("a log of JSON Patches is compared by running its pipeline, and is else a wrong use")
  func patches() throws {
    let polls = (1...3).map { #"{"id":1,"n":\#($0)}"# }
    let (place, outcomes) = try verified("[changes: { key: .id, first: emit, as: patch }]", polls: polls)
    #expect(
      outcomes.map(\.status) == [2, 2, 0] && outcomes[0].errors.contains("JSON Patches"), "\(outcomes)")
    try place.write("out/log.jsonl", place.lines("out/log.jsonl").dropLast().map { $0 + "\n" }.joined())
    #expect(try place.flow("verify", "p.yaml", "--against", "rec").output.contains("the log lacks 1 change"))
  }

  @Test("where rotation keeps no more files, the log may begin later; changes that it then lacks are missing")
  func droppedFiles() throws {
    let polls = (1...9).map { #"{"id":1,"n":\#($0)}"# }
    let (place, outcomes) = try verified(
      "[changes: { key: .id, first: emit }]",
      sink: "{ path: out/log.jsonl, rotate: { size: 1MiB, keep: 2 } }", polls: polls)
    #expect(outcomes.map(\.status) == [0, 0, 0], "\(outcomes)")
    let log = place.lines("out/log.jsonl").map { $0 + "\n" }
    try place.write("out/log.jsonl", log[6...].joined())
    try place.write("out/log.jsonl.1", log[4..<6].joined())
    let early = try place.flow("verify", "p.yaml", "--against", "rec")
    #expect(early.status == 1 && early.output.contains("the recorded polls give"), "\(early)")
    try place.write("out/log.jsonl.2", log[3..<4].joined())
    let kept = try place.flow("verify", "p.yaml", "--against", "rec")
    #expect(kept.status == 0 && kept.errors.contains("3 earlier changes that the polls give"), "\(kept)")
    try place.write("out/log.jsonl.1", log[4])
    #expect(try place.flow("verify", "p.yaml", "--against", "rec").status == 1)
  }

  @Test("with first: emit each row of the state is in the log; one that is missing for once is in the state")
  func stateRows() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { exec: [cat, rows.json], every: 1h } }
      steps: [changes: { key: .id, first: emit, removed_after: 2 }]
      sinks: { log: { jsonl: out/log.jsonl } }
      """)
    for rows in [#"[{"id":1},{"id":2},{"id":3}]"#, #"[{"id":1},{"id":3}]"#] {
      try place.write("rows.json", rows)
      #expect(try place.run("--once", "--state", "s").status == 0)
    }
    let seen = try place.flow("verify", "p.yaml", "--state", "s")
    #expect(seen.status == 0 && seen.errors == "out/log.jsonl: 3 changes, nothing wrong\n", "\(seen)")
    let log = place.lines("out/log.jsonl").map { $0 + "\n" }
    for kept in [log[1...].joined(), ""] {
      try place.write("out/log.jsonl", kept)
      let lacking = try place.flow("verify", "p.yaml", "--state", "s")
      #expect(
        lacking.status == 1 && lacking.output == "1: the state has this row, and the log has no line of it\n",
        "\(lacking)")
    }
  }

  @Test(
    "a time that is missing, or before that of a line above, is wrong where one list is polled, and else named"
  )
  func times() throws {
    let polls = [#"{"id":1}"#, #"{"id":1},{"id":2}"#, #"{"id":1},{"id":2},{"id":3}"#]
    let (place, _) = try verified("[changes: { key: .id, first: emit }]", polls: polls)
    let log = place.lines("out/log.jsonl").map { $0 + "\n" }
    for (text, flaw) in [
      (log[0] + log[2] + log[1], "its time is before that of a line above"),
      (
        log[0] + log[1].replacing(#""at":"\#(Self.time(1))","#, with: "") + log[2], "it has no time"
      ),
    ] {
      try place.write("out/log.jsonl", text)
      let alone = try place.flow("verify", "out/log.jsonl")
      #expect(alone.status == 0 && alone.errors.contains(": \(flaw)\n"), "\(alone)")
      let known = try place.flow("verify", "p.yaml")
      #expect(known.status == 1 && known.output.contains(flaw), "\(known)")
      #expect(try place.flow("verify", "out/log.jsonl", "--against", "rec").status == 1)
    }
  }

  @Test("of a time before its log nothing is known, and no list is printed")
  func before() throws {
    let polls = (1...3).map { #"{"id":1,"n":\#($0)}"# }
    let (place, _) = try verified("[changes: .id]", polls: polls)
    let seen = try place.flow("at", "2025-12-31", "out/log.jsonl")
    #expect(
      seen.status == 1 && seen.output.isEmpty
        && seen.errors.contains("out/log.jsonl begins at 2026-01-01T01:00:00"),
      "\(seen)")
    #expect(try place.flow("at", Self.time(1), "out/log.jsonl").output == "{\"id\":1,\"n\":2}\n")
  }

  @Test("the log that a replay has written serves where there is no other, and is named")
  func replayed() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("in.jsonl", "")
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1}],"coverage":"complete"}"#)
    #expect(try place.run("--replay", "rec").status == 0)
    let seen = try place.flow("verify", "--against", "rec", "p.yaml")
    #expect(
      seen.status == 0 && seen.errors.contains("reading out/replay/log.jsonl, which a replay has written")
        && seen.errors.contains("out/replay/log.jsonl: 1 change, nothing wrong"), "\(seen)")
  }

  @Test("ids of lines are left out of the comparison, and any other member is an edit")
  func ids() throws {
    let (place, outcomes) = try verified(
      "[changes: { key: .id, first: emit }]", sink: "{ path: out/log.jsonl, event_id: id }",
      polls: [#"{"id":1}"#])
    expect(outcomes.map(\.status), equals: [0, 0, 0], "\(outcomes)")
    try place.write(
      "out/log.jsonl", place.text("out/log.jsonl").replacing("{\"type\"", with: "{\"x\":1,\"type\""))
    try expect(place.flow("verify", "p.yaml", "--against", "rec").status, equals: 1)
  }

  @Test(
    "a poll that changes takes for a wrong answer counts for nothing; lines that are no changes are named")
  func glitches() throws {
    let all = (1...12).map { #"{"id":\#($0),"n":1}"# }.joined(separator: ",")
    let (place, outcomes) = try verified(
      "[changes: { key: .id, first: emit }]", polls: [all, #"{"id":1,"n":9}"#, all])
    let seen = try place.flow("verify", "out/log.jsonl", "--against", "rec")
    #expect(outcomes.map(\.status) == [0, 0, 0] && seen.status == 0, "\(outcomes), \(seen)")
    try place.append("out/log.jsonl", "{}\n{\"type\":\"changed\",\"key\":1,\"patch\":[]}\n")
    let history = try place.flow("history", "out/log.jsonl", "12")
    expect(history.status, equals: 0)
    expect(history.errors, equals: "out/log.jsonl:13: this is no change event; 2 such lines are skipped\n")
    let key = try place.flow("verify", "out/log.jsonl", "--against", "rec", "--key", ".[")
    #expect(key.status == 2 && key.errors.contains("--key is not a valid jq expression"))
  }
}
