import Expectations
import Foundation
import JSON
import Store
import Testing

@testable import flow

/// `flow why` and `flow why-not`: the way of an event, and where that of a row ended.
@Suite("flow why", .timeLimit(.minutes(30))) struct WhyCommandTests {
  private static let pipeline = """
    name: p
    vars: { least: 5 }
    sources: { in: { http: 'https://example.org/list.json', every: 1h } }
    steps:
      - filter: .kind != "x"
      - map: { id: .id, n: .n }
      - changes: { key: .id }
      - filter: .after.n > $vars.least
      - debounce: { key: .key, for: 10m }
    sinks:
      tell: { notify: { title: '\\(.after.n)', when: .after.n < 100 } }
      all: { jsonl: out.jsonl }
    """

  private func workplace() throws -> Workplace {
    let place = try Workplace(Self.pipeline)
    try place.record(
      #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","n":1},{"id":"b","n":1,"kind":"x"}],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T01:00:00Z","rows":[{"id":"a","n":9},{"id":"b","n":1,"kind":"x"}],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T02:00:00Z","error":"no answer"}"#,
      #"{"at":"2026-01-02T00:00:00Z","rows":[{"id":"a","n":700}],"coverage":"complete"}"#,
      #"{"at":"2026-01-02T03:00:00Z","rows":[{"id":"a","n":2,"m":0}],"coverage":"complete"}"#,
      #"{"at":"2026-01-02T04:00:00Z","rows":[{"id":"a","n":2,"m":1}],"coverage":"complete"}"#)
    return place
  }

  @Test("the poll and row of an event, each expression with its values, and how long it was held")
  func why() throws {
    let place = try workplace()
    let seen = try place.flow("why", "p.yaml", "a", "--over", "rec", "-n", "1")
    expect(
      seen.output,
      equals: """
        all  2026-01-02 00:10:00Z  ~ changed  a  n: 9 → 700
          in        poll 4 at 2026-01-02T00:00:00Z, row 0: {"id":"a","n":700}
          filter    where .kind != "x" → true: null
          map       passed on at 2026-01-02T00:00:00Z
          changes   at the end of the poll of 2026-01-02T00:00:00Z
                    key .id → "a"
          filter-2  where .after.n > $vars.least → true: 700, 5
          debounce  held for 10m, until 2026-01-02T00:10:00Z
                    key .key → "a"
          all       given at 2026-01-02T00:10:00Z

        """, "\(seen)")
    #expect(seen.status == 0 && seen.errors == "2 earlier events; -n shows more\n")
    #expect(!place.has("out.jsonl"))
  }

  @Test("an event is known by the line of a log too, in an envelope or at another time")
  func lines() throws {
    let place = try workplace()
    let line =
      #"{"type":"changed","key":"a","at":"2026-01-01T01:00:07Z","before":{"id":"a","n":1},"#
      + #""after":{"id":"a","n":9},"diff":[{"path":"/n","before":1,"after":9}]}"#
    for text in [line, #"{"specversion":"1.0","id":"p/all/3","data":\#(line)}"#] {
      let seen = try place.flow("why", "p.yaml", text, "--over", "rec", "--json")
      let events = seen.output.split(separator: "\n").compactMap { try? Value.parse(Array($0.utf8)) }
      expect(events.map { $0.member("sink")?.string }, equals: ["tell", "all"], "\(seen)")
      let steps = events.first?.member("steps")?.items ?? []
      #expect(steps.first?.member("poll") == 2 && steps.first?.member("row") == 0)
      expect(steps.first { $0.member("node") == "debounce" }?.member("held"), equals: 600)
      let part = steps.last?.member("expressions")?.items?.first
      #expect(part?.member("text") == ".after.n < 100" && part?.member("value") == true)
      expect(part?.member("reads")?.items?.first?.member("value"), equals: 9)
    }
  }

  @Test("the step that ended the way of a row, for its last rows or those of a time")
  func whyNot() throws {
    let place = try workplace()
    let seen = try place.flow("why-not", "p.yaml", "a", "--over", "rec", "-n", "2")
    expect(
      seen.output,
      equals: #"""
        2026-01-02T03:00:00Z  ended by filter-2
          in        poll 5 at 2026-01-02T03:00:00Z, row 0: {"id":"a","n":2,"m":0}
          filter    where .kind != "x" → true: null
          map       → {"id":"a","n":2}
          changes   at the end of the poll of 2026-01-02T03:00:00Z
                    key .id → "a"
                    → {"type":"changed","key":"a","at":"2026-01-02T03:00:00Z","before":{"id":"a","n":700},"after":{"id":"a","n":2},"diff":[{"path":"/n","before":700,"after":2}]}
          filter-2  ends here
                    where .after.n > $vars.least → false: 2, 5
        2026-01-02T04:00:00Z  ended by changes
          in       poll 6 at 2026-01-02T04:00:00Z, row 0: {"id":"a","n":2,"m":1}
          filter   where .kind != "x" → true: null
          map      → {"id":"a","n":2}
          changes  ends here: it is as in the poll before
                   key .id → "a"

        """#, "\(seen)")
    let other = try place.flow("why-not", "p.yaml", "b", "--over", "rec")
    expect(
      other.output,
      equals: """
        2026-01-01T00:00:00Z  ended by filter; the same in 2 polls, until 2026-01-01T01:00:00Z
          in      poll 1 at 2026-01-01T00:00:00Z, row 1: {"id":"b","n":1,"kind":"x"}
          filter  ends here
                  where .kind != "x" → false: "x"

        """, "\(other)")
    let first = try place.flow("why-not", "p.yaml", "a", "--over", "rec", "--at", "2026-01-01", "--json")
    let ends = try Value.parse(Array(first.output.utf8)).member("steps")?.items?.last
    expect(ends?.member("reason")?.string?.hasPrefix("it is the first of its key"), equals: true, "\(first)")
    let over = try place.flow(
      "why-not", "p.yaml", "a", "--over", "rec", "--at", "2026-01-02T01:00:00Z", "-n", "1")
    #expect(over.output.hasPrefix("2026-01-02T00:00:00Z  ended by tell\n"), "\(over)")
    #expect(over.output.contains("tell      ends here\n            when .after.n < 100 → false: 700\n"))
    #expect(over.output.contains("2026-01-02T00:00:00Z  put out by all\n"))
  }

  @Test("below a partition, in a window by id, and in one by another key, whose events are not known")
  func others() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { http: 'https://example.org/list.json', every: 1h } }
      streams:
        parted: { from: in, steps: [{ partition: .id }, { changes: .id }] }
        counted: { from: in, steps: [{ window: { tumbling: 6h, key: .id, emit: length } }] }
        named: { from: in, steps: [{ window: { tumbling: 6h, key: .n, emit: length } }] }
      sinks:
        a: { jsonl: a.jsonl, from: parted }
        b: { jsonl: b.jsonl, from: counted }
        c: { jsonl: c.jsonl, from: named }
      """)
    try place.record(
      #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","n":1},{"id":"b","n":2}],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T01:00:00Z","rows":[{"id":"a","n":3},{"id":"b","n":2}],"coverage":"complete"}"#)
    let seen = try place.flow("why", "p.yaml", "a", "--over", "rec", "-n", "9")
    #expect(
      seen.output.contains("parted/changes    at the end of the poll of 2026-01-01T01:00:00Z\n"), "\(seen)")
    let row = #"poll 2 at 2026-01-01T01:00:00Z, row 0: {"id":"a","n":3}"#
    #expect(seen.output.contains("in              \(row)\n  counted/window  "), "\(seen)")
    #expect(!seen.output.contains("emit"), "\(seen)")
    let other = try place.flow("why", "p.yaml", "3", "--over", "rec")
    #expect(other.output.contains("named/window  made of events before, which are not known"), "\(other)")
    // Each row is read once, however many readers there are.
    let not = try place.flow("why-not", "p.yaml", "a", "--over", "rec")
    expect(
      not.output.split(separator: "\n").filter { $0.hasPrefix("2026") },
      equals: [
        "2026-01-01T00:00:00Z  ended by parted/changes", "2026-01-01T00:00:00Z  went into counted/window",
        "2026-01-01T00:00:00Z  went into named/window", "2026-01-01T01:00:00Z  put out by a",
        "2026-01-01T01:00:00Z  put out by b", "2026-01-01T01:00:00Z  went into named/window",
      ], "\(not)")
    #expect(not.output.contains("ends here: nothing is known to have come of it (collect"), "\(not)")
  }

  private func workplace(steps: String, hours: String...) throws -> Workplace {
    let place = try Workplace(
      """
      name: p
      vars: { token: '${TOKEN:-none}' }
      sources: { in: { http: 'https://example.org/list.json', every: 1h } }
      steps:
      \(steps)
      sinks: { log: { jsonl: out.jsonl } }
      """)
    let polls = hours.enumerated().map { hour, rows in
      #"{"at":"2026-01-01T0\#(hour):00:00Z",\#(rows),"coverage":"complete"}"#
    }
    try place.record(polls.joined(separator: "\n"))
    return place
  }

  @Test("a row that was held is of its own poll, also where later polls have an equal one")
  func held() throws {
    let row = #""rows":[{"id":"a"}]"#
    let place = try workplace(steps: "  - delay: 90m", hours: row, row, #""rows":[]"#, #""rows":[]"#)
    let seen = try place.flow("why", "p.yaml", "a", "--over", "rec")
    let polls = seen.output.split(separator: "\n").filter { $0.contains("poll ") }
    #expect(polls.count == 2 && polls[0].contains("poll 1") && polls[1].contains("poll 2"), "\(seen)")
    expect(seen.output.components(separatedBy: "held for 1h30m").count, equals: 3, "\(seen)")
  }

  @Test("a window is of all rows in it, or of the last row in it where it has none of them")
  func windows() throws {
    let hours = [#""rows":[{"id":"a","n":1}]"#, #""rows":[{"id":"a","n":2}]"#, #""rows":[{"id":"a","n":3}]"#]
    let whole = try workplace(
      steps: "  - window: { tumbling: 2h, key: .id }", hours: hours[0], hours[1], hours[2])
    let seen = try whole.flow("why", "p.yaml", "a", "--over", "rec")
    #expect(
      seen.output.contains(#"row 0: {"id":"a","n":2}"#)
        && seen.output.contains(#"with what in sent at 2026-01-01T00:00:00Z: {"id":"a","n":1}"#), "\(seen)")
    let count = try workplace(
      steps: "  - window: { tumbling: 2h, key: .id, emit: length }", hours: hours[0], hours[1], hours[2])
    let last = try count.flow("why", "p.yaml", "a", "--over", "rec")
    #expect(last.output.contains("in      poll 2 at 2026-01-01T01:00:00Z"), "\(last)")
  }

  @Test(
    "a key that is twice, a poll that is held back, a tolerance and a missing row are the reasons that they are"
  )
  func reasons() throws {
    func rows(_ changed: [Int: Int] = [:], without gone: Int? = nil, _ more: String = "") -> String {
      let rows = (0..<20).filter { $0 != gone }.map { #"{"id":\#($0),"p":\#(changed[$0] ?? 100)}"# }
      return #""rows":[\#(rows.joined(separator: ","))\#(more)]"#
    }
    let held = #""rows":[{"id":3,"p":50},{"id":4,"p":100}]"#
    let place = try workplace(
      steps: "  - changes: { key: .id, tolerance: { .p: 5 }, removed_after: 3 }",
      hours: rows(), rows([:], #",{"id":1,"p":999}"#), held, rows([3: 50]),
      rows([3: 50, 2: 103], without: 5),
      rows([3: 50, 2: 103]), rows([3: 50, 2: 103], without: 6), rows([3: 50, 2: 103], without: 6))
    func ends(_ key: String) throws -> String {
      try place.flow("why-not", "p.yaml", key, "--over", "rec", "-n", "9").output
    }
    let twice =
      "ends here: 2 rows of its poll have this key and differ in /p, so that none of them is compared"
    #expect(try ends("1").components(separatedBy: twice).count == 3)
    let lost = "ends here: its poll lacks 18 of 20 rows, so that nothing of it counts"
    let third = try ends("3")
    #expect(
      third.contains(lost) && third.contains("put out by log") && !third.contains("does not report"),
      "\(third)")
    #expect(try ends("2").contains("differs from the value that counts in /p by less than the tolerance"))
    #expect(
      try ends("5").contains("it had been missing for less than removed_after: 3, and it is as it was before")
    )
    let missing = try ends("6")
    #expect(
      missing.contains("missing, and not reported by changes")
        && missing.contains("it is missing from 2 polls in turn, since 2026-01-01T06:00:00Z"), "\(missing)")
  }

  @Test("a line of the log that is not committed yet is not said to be none")
  func uncommitted() throws {
    let place = try Workplace(
      """
      name: p
      trace: 100 events
      sources: { in: { exec: [cat, rows.json], every: 1h } }
      steps: [changes: { key: .id, first: emit }]
      sinks: { log: { jsonl: out.jsonl } }
      """)
    try place.write("rows.json", #"[{"id":1}]"#)
    #expect(try place.run("--once", "--state", "st").status == 0)
    let line =
      #"{"type":"added","key":2,"at":"2026-01-01T00:00:00Z","before":null,"after":{"id":2},"diff":[]}"#
    // As a run that was killed before its commit has left it.
    try place.append("out.jsonl", line + "\n")
    let seen = try place.flow("why", "p.yaml", line, "--state", "st")
    #expect(
      seen.status == 1 && seen.errors.contains("out.jsonl has this line, and p has not committed it yet"),
      "\(seen)")
    let other = try place.flow("why", "p.yaml", line.replacing("2", with: "3"), "--state", "st")
    #expect(other.errors.contains("has put out nothing that is"), "\(other)")
  }

  @Test(
    "a step that drops events gives its reason",
    arguments: [
      ("dedupe: .id", "an event with its key came before"),
      (
        "throttle: { for: 3h, key: .id }",
        "the period of its key, which an event before it has begun, had not ended"
      ),
      ("distinct_until_changed: .id", "its value is that of the event before it"),
    ])
  func dropped(_ step: String, _ reason: String) throws {
    let row = #""rows":[{"id":"a"}]"#
    let place = try workplace(steps: "  - \(step)", hours: row, row)
    let seen = try place.flow("why-not", "p.yaml", "a", "--over", "rec")
    #expect(seen.output.contains("ends here: \(reason)\n"), "\(seen)")
  }

  @Test("polls in turn count as one where all that became of a row is the same")
  func repeated() throws {
    let row = #""rows":[{"id":"a"}]"#
    let place = try workplace(
      steps: "  - throttle: { for: 3h, latest: false }", hours: row, row, row, row, row)
    let seen = try place.flow("why-not", "p.yaml", "a", "--over", "rec", "-n", "9")
    expect(
      seen.output.split(separator: "\n").filter { $0.hasPrefix("2026") },
      equals: [
        "2026-01-01T00:00:00Z  put out by log",
        "2026-01-01T01:00:00Z  went into throttle; the same in 2 polls, until 2026-01-01T02:00:00Z",
        "2026-01-01T03:00:00Z  put out by log", "2026-01-01T04:00:00Z  went into throttle",
      ], "\(seen)")
  }

  @Test("a row is compared with the one before of its own entry and key, which names it too")
  func entries() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { http: { url: 'https://example.org/\\(.)', each: [x, y] }, every: 1h } }
      steps: [changes: { key: .id, watch: [.n], types: [changed] }]
      sinks: { log: { jsonl: out.jsonl } }
      """)
    let polls = ["0", "1", "2"].flatMap { hour in
      ["x", "y"].map { entry in
        let rows = #"{"id":1,"n":"\#(entry)","m":\#(hour)}"# + (hour == "2" ? #",{"id":2}"# : "")
        return
          #"{"at":"2026-01-01T0\#(hour):00:00Z","meta":{"each":"\#(entry)"},"rows":[\#(rows)],"coverage":"complete"}"#
      }
    }
    try place.record(polls.joined(separator: "\n"))
    func ends(_ key: String) throws -> [Substring] {
      try place.flow("why-not", "p.yaml", key, "--over", "rec", "-n", "9").output.split(separator: "\n")
        .filter { $0.contains("ends here") }
    }
    let first =
      "  changes  ends here: it is the first of its key: the baseline that later polls are compared with"
    let same = "  changes  ends here: it differs from the one before in /m, which it does not report"
    try expect(ends(#"["y",1]"#).map(String.init), equals: [first, same, same])
    try expect(ends("1").map(String.init), equals: [first, first, same, same, same, same])
    // It is new, which is not reported either; nothing before it says so.
    let new = try ends(#"["x",2]"#)
    #expect(
      new.count == 1 && new[0].hasPrefix("  changes  ends here: nothing is known to have come of it"),
      "\(new)")
  }

  @Test("the row of the other side is part of what a join sends")
  func joined() throws {
    let place = try Workplace(
      """
      name: p
      sources:
        in: { http: 'https://example.org/list.json', every: 1h }
        other: { http: 'https://example.org/other.json', every: 1h }
      streams: { both: { from: in, steps: [{ join: { with: other, key: .id, as: place, wait: true } }] } }
      sinks: { log: { jsonl: out.jsonl, from: both } }
      """)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1,"name":"a"}],"coverage":"complete"}"#)
    try place.write(
      "rec/other.jsonl",
      #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1,"pad":"cape"}],"coverage":"complete"}"# + "\n")
    let seen = try place.flow("why", "p.yaml", "1", "--over", "rec")
    #expect(
      seen.output.contains(#"with what other sent at 2026-01-01T00:00:00Z: {"id":1,"pad":"cape"}"#), "\(seen)"
    )
    let side = try place.flow("why-not", "p.yaml", "cape", "--over", "rec")
    #expect(side.output.hasPrefix("2026-01-01T00:00:00Z  put out by log\n"), "\(side)")
  }

  @Test("an expression of several lines is shown on one, and of several outputs the one that was sent")
  func texts() throws {
    let place = try workplace(
      steps: """
          - filter: |
              .n == 1
              and .id != "b"
          - map: '{ id, n }, { id: "x", n: 2 }'
        """, hours: #""rows":[{"id":"a","n":1}]"#)
    let seen = try place.flow("why", "p.yaml", "x", "--over", "rec")
    #expect(seen.output.contains(#"where .n == 1 and .id != "b" → true"#), "\(seen)")
    #expect(
      seen.output.contains(#"  map     passed on at"#) && !seen.output.contains("map     to"), "\(seen)")
  }

  @Test("a secret is redacted before a long line is cut")
  func secrets() throws {
    let place = try workplace(
      steps: """
          - map: '{ id, token: $vars.token }'
          - filter: .token == "x"
        """, hours: #""rows":[{"id":"a"}]"#)
    let secret = (0..<50).map { "s3\($0)" }.joined()
    for words in [
      ["why-not", "p.yaml", "a"], ["why-not", "p.yaml", "a", "--json"],
    ] {
      let seen = try place.flow(words + ["--over", "rec"], environment: ["TOKEN": secret])
      #expect(seen.output.contains("***") && !seen.output.contains("s30s31"), "\(seen)")
    }
  }

  @Test("the trace that a pipeline keeps with its state, with each attempt of a sink, without a recording")
  func kept() throws {
    let place = try Workplace(
      """
      name: p
      trace: 8 events
      sources: { in: { exec: [cat, rows.json], every: 1h } }
      steps: [changes: { key: .id }]
      sinks:
        log: { jsonl: out.jsonl }
        tell: { exec: { command: [sh, -c, 'cat > /dev/null; exit 7'], attempts: 2, backoff: 10ms } }
      """)
    func run(_ rows: String) throws {
      try place.write("rows.json", rows)
      _ = try place.run("--once", "--state", "st")
    }
    let none = try place.flow("why", "p.yaml", "a", "--state", ".")
    #expect(
      none.status == 1 && none.errors.contains("has no trace of p yet: runs with state keep it"), "\(none)")
    try run(#"[{"id":"a","n":1},{"id":"b","n":1}]"#)
    try run(#"[{"id":"a","n":2},{"id":"b","n":1}]"#)
    let seen = try place.flow("why", "p.yaml", "a", "--state", "st")
    let lines = seen.output.split(separator: "\n").map(String.init)
    #expect(seen.status == 0 && lines.count == 12, "\(seen)")
    #expect(
      lines.first?.hasPrefix("log  ") == true && lines.first?.hasSuffix("~ changed  a  n: 1 → 2") == true)
    expect(lines.dropFirst().first?.hasSuffix(#"row 0: {"id":"a","n":2}"#), equals: true)
    let attempts = lines.filter { $0.contains("attempt ") }
    #expect(
      attempts.count == 2 && attempts[0].contains("exit status 7; next try at 20")
        && attempts[1].hasSuffix("exit status 7; given up, a dead letter now"), "\(seen)")
    let json = try place.flow("why", "p.yaml", "a", "--state", "st", "--json", "-n", "1")
    let tell = try Value.parse(Array(json.output.utf8)).member("steps")?.items?.last
    expect(tell?.member("attempts")?.items?.count, equals: 2, "\(json)")
    let not = try place.flow("why-not", "p.yaml", "b", "--state", "st")
    #expect(
      not.output.contains("ends here: it is the first of its key: the baseline")
        && not.output.contains("ends here: it is as in the poll before"), "\(not)")
    // The state has the trace beside it, and not as that of a node.
    let third = try place.flow("run", "--once", "--state", "st", "p.yaml")
    #expect(!third.errors.contains("belongs to no node"), "\(third)")
    let shown = try place.flow("state", "show", "p", "pipeline", "--state", "st")
    #expect(shown.status != 0 && shown.output.isEmpty, "\(shown)")
    for _ in 0..<5 { try run(#"[{"id":"c","n":1},{"id":"d","n":1}]"#) }
    let gone = try place.flow("why-not", "p.yaml", "a", "--state", "st")
    #expect(gone.status == 1 && gone.errors.contains("has read no row “a” since 20"), "\(gone)")
  }

  @Test("the trace in the state has no secret, and is dropped by the first run that keeps none")
  func keptNoLonger() throws {
    let place = try Workplace()
    let pipeline = """
      name: p
      vars: { token: '${TOKEN}' }
      sources: { in: { generate: '{ id: "a" }', every: 1h } }
      steps: [map: { id: .id, token: $vars.token }]
      sinks: { log: { jsonl: out.jsonl } }
      """
    let secret = (0..<9).map { "s3\($0)" }.joined()
    func run(_ pipeline: String) throws -> Int? {
      try place.write("p.yaml", pipeline)
      let seen = try place.flow(
        "run", "--once", "--state", "st", "p.yaml", environment: ["TOKEN": secret])
      expect(seen.status, equals: 0, "\(seen)")
      let tables = try StateReader(path: place["st/p.db"]).tables()
      return tables.first { $0.node.hasPrefix("pipeline@trace") }?.count
    }
    try expect(run("trace: 8 events\n" + pipeline), equals: 1)
    for part in ["st/p.db", "st/p.db-wal"] { #expect(!place.text(part).contains(secret)) }
    let seen = try place.flow("why", "p.yaml", "a", "--state", "st", environment: ["TOKEN": secret])
    #expect(seen.status == 0 && seen.output.contains(#"log  "#) && seen.output.contains("***"), "\(seen)")
    try expect(run(pipeline) ?? 0, equals: 0)
  }

  @Test(
    "on a terminal the headline has colors, not their codes",
    .enabled(if: RunOutputTests.hasTerminal, "there is no script(1) to make a terminal"))
  func colors() throws {
    let place = try workplace()
    let seen = try place.shell(
      "script -qec \"$0 why p.yaml a --over rec -n 1\" /dev/null", environment: ["TERM": "xterm-256color"])
    #expect(seen.output.contains("\u{1B}[") && !seen.output.contains("u001b"), "\(seen)")
  }

  @Test("what is not there is named, and what may have been meant")
  func mistakes() throws {
    let place = try workplace()
    let none = try place.flow("why", "p.yaml", "b", "--over", "rec")
    #expect(
      none.status == 1
        && none.errors
          == "flow why: p has put out nothing that is “b”; flow why-not shows what became of a row\n",
      "\(none)")
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"lamp","n":1}],"coverage":"complete"}"#)
    let near = try place.flow("why-not", "p.yaml", "lanp", "--over", "rec")
    #expect(
      near.status == 1
        && near.errors == "flow why-not: p has read no row “lanp”; did you mean “lamp”?\n", "\(near)")
    try expect(place.flow("why", "q.yaml", "a", "--over", "rec").status, equals: 2)
    let bare = try place.flow("why-not", "p.yaml", "a")
    #expect(bare.status == 2 && bare.errors.contains("write trace: 1000 events into p.yaml"), "\(bare)")
    #expect(bare.errors.contains("--over FOLDER traces a run over a recording"), "\(bare)")
    try place.write("s.yaml", "sources: { in: stdin }\nsinks: { log: null }\n")
    let unpolled = try place.flow("why", "s.yaml", "a", "--over", "rec")
    #expect(
      unpolled.status == 2 && unpolled.errors.contains("--over: s.yaml has no source that is polled"),
      "\(unpolled)")
  }
}
