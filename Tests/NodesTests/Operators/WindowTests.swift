import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct WindowTests {
  private func run(
    _ step: String, _ input: String, now: Double = 0, hasTrouble: Bool = false
  ) throws -> [String] {
    let output = try Trial(
      "- \(step)\n- map: '[.key, .start[11:19], .end[11:19], .value] | tojson'", now: now
    )
    .run(input)
    return hasTrouble ? output.linesDespiteTrouble : output.lines
  }

  private func line(_ time: String, _ key: String, _ start: String, _ end: String, _ value: String) -> String
  {
    let json = #"[\#(key),"\#(start)","\#(end)",\#(value)]"#.replacing("\"", with: "\\\"")
    return "\(time) \"\(json)\""
  }

  @Test("windows keep to the clock on the wall, whenever the first event comes")
  func aligned() throws {
    // 2026-01-01T00:07:00Z
    let lines = try run("window: { tumbling: 10m }", "1m 1\n3m 2\n4m 3", now: 1_767_226_020)
    expect(
      lines,
      equals: [
        line("3m", "null", "00:00:00", "00:10:00", "[1]"),
        line("13m", "null", "00:10:00", "00:20:00", "[2,3]"),
      ])
  }

  @Test("an event is in each sliding window that covers it")
  func sliding() throws {
    let lines = try run("window: { sliding: { size: 20s, every: 10s } }", "5s 1\n10s 2\n100s 3")
    expect(
      lines,
      equals: [
        line("10s", "null", "23:59:50", "00:00:10", "[1]"),
        line("20s", "null", "00:00:00", "00:00:20", "[1,2]"),
        line("30s", "null", "00:00:10", "00:00:30", "[2]"),
        line("1m50s", "null", "00:01:30", "00:01:50", "[3]"),
        line("2m", "null", "00:01:40", "00:02:00", "[3]"),
      ])
  }

  @Test("a session ends after a pause, or when it has gone on for too long")
  func session() throws {
    let lines = try run(
      "window: { session: { gap: 10s, max: 25s } }", "0s 1\n9s 2\n18s 3\n27s 4\n40s 5")
    expect(
      lines,
      equals: [
        line("25s", "null", "00:00:00", "00:00:18", "[1,2,3]"),
        line("37s", "null", "00:00:27", "00:00:27", "[4]"),
        line("50s", "null", "00:00:40", "00:00:40", "[5]"),
      ])
  }

  @Test("what comes too late by its own time is dropped and counted")
  func late() throws {
    let output = try Trial("window: { tumbling: 10s, time: ., emit: 'map(. + 0)' }")
      .run("0s 5\n0s 3\n0s 10\n0s 9\n0s 25\n0s end")
    expect(output.lines.count, equals: 3)
    expect(output.counts?.dropped, equals: 1)
    expect(output.lines.first?.contains(#""value":[3,5]"#), equals: true)
  }

  @Test("a window that emit fails on does not keep the others")
  func failure() throws {
    let output = try Trial("window: { tumbling: 10s, key: ., emit: 'map(. + 1)' }").run(
      #"0s "a"\#n0s 1\#n10s 2"#)
    expect(output.lines.count, equals: 2)
    expect(output.counts?.errors, equals: 1)
    #expect(
      output.outcome.messages.flatMap(\.details).contains(#"    in: ["a"]"#), "reported with its events")
  }

  @Test("an event without a time, or with a wrong one, fails")
  func noTime() throws {
    let output = try Trial("window: { tumbling: 10s, time: .at }").run(
      #"0s {}\#n0s {"at": "x"}\#n0s {"at": 1e300}\#n0s {"at": "9999-12-31T00:00:00Z"}\#n0s {"at": 1}\#n0s end"#
    )
    expect(output.counts?.errors, equals: 4)
    // A time that no window has makes no other event late.
    #expect(output.lines.count == 1 && output.counts?.dropped == 0)
  }

  @Test("open windows are sent when the stream ends, and kept when the pipeline stops")
  func ending() throws {
    try expect(
      run("window: { tumbling: 10s, time: . }", "0s 1\n1s 11\n2s end"),
      equals: [
        line("1s", "null", "00:00:00", "00:00:10", "[1]"), line("2s", "null", "00:00:10", "00:00:20", "[11]"),
      ])
    let kept = try Trial("window: { tumbling: 10s, time: . }").run("0s 1\n0s 2")
    #expect(kept.lines.isEmpty)
    expect(kept.outcome.messages.map(\.message), equals: ["2 events were still waiting"])
  }

  @Test(
    "what makes no sense is refused",
    arguments: [
      ("window: {}", "one of tumbling"),
      ("window: { tumbling: 1s, session: { gap: 1s } }", "one of tumbling"),
      ("window: { sliding: { size: 1s, every: 2s } }", "longer than size"),
      ("window: { sliding: { size: 1d, every: 1s } }", "more than 1000 windows"),
      ("window: { tumbling: 1s, allowed_lateness: 1s }", "no effect without time"),
    ])
  func check(_ step: String, _ message: String) {
    #expect { try Trial(step) } throws: { "\($0)".contains(message) }
  }

  @Test("an update that fails changes nothing, and one without an output keeps the value")
  func failingUpdate() throws {
    let lines = try run(
      "window: { tumbling: 10s, update: 'if $event == null then error(\"no\") else select($event > 0) + $event end', init: 0, emit: add }",
      "1s 1\n2s null\n3s -5\n4s 2", hasTrouble: true)
    expect(lines, equals: [line("10s", "null", "00:00:00", "00:00:10", "3")])
  }

  @Test("init without update, and update in a session, are reported where they are")
  func misplacedUpdate() {
    #expect(throws: (any Error).self) { try Trial("- window: { tumbling: 1m, init: 0 }") }
    #expect(throws: (any Error).self) { try Trial("- window: { session: { gap: 1m }, update: . + 1 }") }
  }
}
